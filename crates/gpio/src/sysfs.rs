//! Lines by the old interface, see `Documentation/admin-guide/gpio/sysfs.rst` of Linux: a folder of files for each
//! line.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fauxplat_sys::clock;
use fauxplat_sys::files::{open_without_waiting, write_over};
use fauxplat_sys::poll::Interest;

use crate::leds::short_text;
use crate::patience::{self, patiently};
use crate::{Chip, GpioError, Input, InputWish, Leave, LineEvent, Output, OutputWish, Result, Stamp};

/// The lines below the folder `/sys/class/gpio`, which are numbered across all chips.
#[derive(Debug)]
pub struct Sysfs {
    folder: PathBuf,
}

impl Sysfs {
    pub fn new(folder: &Path) -> Self {
        Sysfs { folder: folder.to_owned() }
    }
}

/// An exported line. When dropped, a line that this process exported is unexported, and any other line gets its
/// original settings back.
#[derive(Debug)]
struct Exported {
    name: String,
    number: String,
    folder: PathBuf,
    unexport: Option<PathBuf>,
    /// `CLOCK_MONOTONIC` time, in nanoseconds, until which permissions for the files of a new line are waited for,
    /// since udev sets the owner of the files later; 0 for a line that was exported before.
    patient_until_ns: u64,
    /// Files of [`SETTINGS`], each with its original value.
    found: Vec<(&'static str, String)>,
}

/// Files that change the meaning of a line without moving its level, so that they can be restored whatever level the
/// line is left with. The kernel resets them itself when a line is unexported.
const SETTINGS: [&str; 2] = ["active_low", "edge"];

impl Exported {
    fn of(sysfs: &Sysfs, number: &str) -> Result<Self> {
        let (name, folder) = (format!("sysfs:{number}"), sysfs.folder.join(format!("gpio{number}")));
        let number = number.to_owned();
        let mut line =
            Exported { name, number, folder, unexport: None, patient_until_ns: 0, found: Vec::new() };
        if line.folder.is_dir() {
            line.found = SETTINGS.map(|file| (file, line.read(file))).into();
            return Ok(line);
        }
        let export = sysfs.folder.join("export");
        fs::write(&export, &line.number).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => GpioError::Missing {
                line: line.name.clone(),
                why: "no chip has a line of this number".to_owned(),
            },
            _ => GpioError::opening(&line.name, export.display().to_string(), error),
        })?;
        line.unexport = Some(sysfs.folder.join("unexport"));
        line.patient_until_ns = patience::ends_ns();
        Ok(line)
    }

    fn write(&self, file: &str, text: &str) -> Result<()> {
        let path = self.folder.join(file);
        patiently(self.patient_until_ns, || fs::write(&path, text))
            .map_err(|error| GpioError::opening(&self.name, path.display().to_string(), error))
    }

    fn read(&self, file: &str) -> String {
        short_text(&self.folder.join(file))
    }

    /// Whether a low level means active. A simulated line may lack the file; then high is active.
    fn is_active_low(&self) -> bool {
        self.read("active_low") == "1"
    }

    /// Sets the polarity. Without the file nothing needs to be written as long as high is active.
    fn set_active_low(&self, is_active_low: bool) -> Result<()> {
        match is_active_low || self.folder.join("active_low").exists() {
            true => self.write("active_low", if is_active_low { "1" } else { "0" }),
            false => Ok(()),
        }
    }

    fn value(&self, writes: bool) -> Result<File> {
        let path = self.folder.join("value");
        let open = || open_without_waiting(File::options().read(!writes).write(writes), &path);
        patiently(self.patient_until_ns, open)
            .map_err(|error| GpioError::opening(&self.name, path.display().to_string(), error))
    }
}

impl Drop for Exported {
    fn drop(&mut self) {
        // Errors are ignored: the line may have vanished, and then nothing is to be restored.
        if let Some(unexport) = &self.unexport {
            let _ = fs::write(unexport, &self.number);
        }
        for (file, text) in &self.found {
            if !text.is_empty() && self.read(file) != *text {
                let _ = self.write(file, text);
            }
        }
    }
}

impl Chip for Sysfs {
    fn input(&self, line: &str, wish: &InputWish) -> Result<Box<dyn Input>> {
        let line = Exported::of(self, line)?;
        line.set_active_low(wish.is_active_low)?;
        line.write("direction", "in")?;
        line.write("edge", "both")?;
        let input = SysfsInput { value: line.value(false)?, line };
        // Polling the value file reports an event at once, without any edge, unless the file was read before.
        input.level()?;
        Ok(Box::new(input))
    }

    fn output(&self, line: &str, wish: &OutputWish) -> Result<Box<dyn Output>> {
        let line = Exported::of(self, line)?;
        let was = Was {
            direction: line.read("direction"),
            is_active_low: line.is_active_low(),
            is_active: line.read("value") == "1",
        };
        line.set_active_low(wish.is_active_low)?;
        // Direction and level are set at once, so that the line never has the wrong level. The words `high` and `low`
        // mean electrical levels, whatever the polarity.
        let is_high = wish.is_active != wish.is_active_low;
        line.write("direction", if is_high { "high" } else { "low" })?;
        let mut output = SysfsOutput { value: line.value(true)?, line, was };
        output.set(wish.is_active)?;
        Ok(Box::new(output))
    }
}

#[derive(Debug)]
struct SysfsInput {
    value: File,
    line: Exported,
}

impl SysfsInput {
    fn level(&self) -> Result<bool> {
        let mut text = [0; 4];
        let read = self.value.read_at(&mut text, 0);
        let read = read.map_err(|error| GpioError::of_open(&self.line.name, "value", error))?;
        Ok(text[..read].first() == Some(&b'1'))
    }
}

impl Input for SysfsInput {
    fn fd(&self) -> BorrowedFd<'_> {
        self.value.as_fd()
    }

    fn interest(&self) -> Interest {
        Interest::Urgent
    }

    /// Returns a single event with the present level: the kernel reports that there was an edge, and neither the number
    /// of edges nor their times.
    fn take(&mut self, into: &mut Vec<LineEvent>) -> Result<()> {
        let is_active = self.level()?;
        into.push(LineEvent { at_ns: clock::monotonic_ns(), stamp: Stamp::Reader, is_active });
        Ok(())
    }

    fn lost(&self) -> u64 {
        0
    }

    fn name(&self) -> &str {
        &self.line.name
    }
}

#[derive(Debug)]
struct SysfsOutput {
    value: File,
    line: Exported,
    was: Was,
}

/// Original state of a line.
#[derive(Debug)]
struct Was {
    direction: String,
    is_active_low: bool,
    /// Whether the line was active, by the original polarity.
    is_active: bool,
}

impl SysfsOutput {
    fn leave_as_it_was(&mut self) -> Result<()> {
        if self.was.direction == "in" {
            return self.line.write("direction", "in");
        }
        // The polarity is restored first: with the other polarity the same value is the opposite level.
        self.line.set_active_low(self.was.is_active_low)?;
        self.set(self.was.is_active).map(drop)
    }
}

impl Output for SysfsOutput {
    fn set(&mut self, is_active: bool) -> Result<u64> {
        write_over(&self.value, if is_active { "1\n" } else { "0\n" })
            .map_err(|error| GpioError::of_open(&self.line.name, "value", error))?;
        Ok(clock::monotonic_ns())
    }

    fn leave(&mut self, way: Leave) -> Result<()> {
        match way {
            Leave::Inactive => self.set(false).map(drop),
            Leave::Active => self.set(true).map(drop),
            Leave::AsItWas => self.leave_as_it_was(),
        }
    }

    fn name(&self) -> &str {
        &self.line.name
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    const HOUR_NS: u64 = 3_600_000_000_000;

    /// A file that not even root may write to stands in for a file whose owner udev has yet to set.
    #[test]
    fn files_of_a_new_line_may_be_given_to_us_later() {
        const NOBODYS: &str = "/proc/sys/kernel/ostype";
        let root = tempfile::tempdir().unwrap();
        let line = |patient_until_ns| Exported {
            name: "sysfs:9".to_owned(),
            number: "9".to_owned(),
            folder: root.path().to_owned(),
            unexport: None,
            patient_until_ns,
            found: Vec::new(),
        };
        let files = ["direction", "value"].map(|file| root.path().join(file));
        files.iter().for_each(|file| symlink(NOBODYS, file).unwrap());
        let refused = line(0).write("direction", "in").unwrap_err();
        if !refused.is_permission() {
            // In some containers the file cannot be written to for another reason.
            return assert!(refused.to_string().contains("Read-only file system"), "{refused}");
        }
        assert!(line(0).value(true).unwrap_err().is_permission());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for file in &files {
                    std::thread::sleep(std::time::Duration::from_nanos(3 * patience::TRY_NS));
                    let made = file.with_extension("made");
                    fs::write(&made, "0").unwrap();
                    fs::rename(&made, file).unwrap();
                }
            });
            let line = line(clock::monotonic_ns() + HOUR_NS);
            line.write("direction", "in").unwrap();
            line.value(true).unwrap();
        });
        assert_eq!(fs::read_to_string(&files[0]).unwrap(), "in");
    }
}
