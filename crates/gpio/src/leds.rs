//! LEDs of the kernel, see `Documentation/leds/leds-class.rst` of Linux.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use fauxplat_sys::clock;
use fauxplat_sys::files::{open_without_waiting, read_bounded, write_over};

use crate::patience::{self, patiently};
use crate::{Chip, GpioError, Input, InputWish, Leave, Output, OutputWish, Result};

/// The LEDs below the folder `/sys/class/leds`.
#[derive(Debug)]
pub struct Leds {
    folder: PathBuf,
}

impl Leds {
    pub fn new(folder: &Path) -> Self {
        Leds { folder: folder.to_owned() }
    }
}

impl Chip for Leds {
    fn input(&self, line: &str, _wish: &InputWish) -> Result<Box<dyn Input>> {
        Err(GpioError::Unfit { line: format!("led:{line}"), why: "an LED has no edges to wait for" })
    }

    fn output(&self, line: &str, wish: &OutputWish) -> Result<Box<dyn Output>> {
        let (name, folder) = (format!("led:{line}"), self.folder.join(line));
        if !folder.is_dir() {
            let why = format!("there is no folder {}", folder.display());
            return Err(GpioError::Missing { line: name, why });
        }
        let read = |file: &str| short_text(&folder.join(file));
        let (brightness, trigger) = (read("brightness"), current(&read("trigger")));
        let settings = trigger.as_ref().filter(|it| *it != NONE).map_or(Vec::new(), |_| settings(&folder));
        let path = folder.join("brightness");
        let open = open_without_waiting(File::options().write(true), &path);
        let file = open.map_err(|error| GpioError::opening(&name, path.display().to_string(), error))?;
        let full = read("max_brightness").parse::<u32>().unwrap_or(1).max(1);
        let levels = match wish.is_active_low {
            false => ["0\n".to_owned(), format!("{full}\n")],
            true => [format!("{full}\n"), "0\n".to_owned()],
        };
        let mut led = Led { name, folder, file, levels, was: Was { brightness, trigger, settings } };
        match led.begin(wish.is_active) {
            Ok(()) => Ok(Box::new(led)),
            Err(error) => {
                let _nothing_better_to_say = led.leave(Leave::AsItWas);
                Err(error)
            }
        }
    }
}

/// Text of a small file; empty where the file cannot be read. Never blocks, even if a pipe stands in for the file.
pub(crate) fn short_text(path: &Path) -> String {
    let bytes = read_bounded(path, 1 << 16).unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim().to_owned()
}

/// The trigger of an LED that is controlled by programs alone.
const NONE: &str = "none";

/// Files of an LED itself, which do not change with its trigger.
const OWN: [&str; 3] = ["brightness", "trigger", "uevent"];

/// Settings of a trigger, such as `delay_on` or `device_name`, with their values: files that the kernel removes when
/// the trigger changes, see `Documentation/ABI/testing/sysfs-class-led-trigger-*` of Linux. Settings that cannot be
/// read, such as `shot`, are lost, and so are settings in subfolders. Sorted by name, so that `device_name` precedes
/// the settings that depend on the device.
fn settings(folder: &Path) -> Vec<(PathBuf, String)> {
    let is_set = |path: &PathBuf| {
        let is_own = path.file_name().is_some_and(|name| OWN.iter().any(|own| *own == name));
        let facts = fs::symlink_metadata(path);
        !is_own && facts.is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o200 != 0)
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut settings: Vec<_> = files.filter(is_set).map(|path| (path.clone(), short_text(&path))).collect();
    settings.retain(|(_, text)| !text.is_empty());
    settings.sort();
    settings
}

/// The active trigger, which the kernel puts in brackets in its list of all triggers.
fn current(triggers: &str) -> Option<String> {
    let (_, rest) = triggers.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

fn set_trigger(name: &str, folder: &Path, trigger: &str) -> Result<()> {
    let path = folder.join("trigger");
    fs::write(&path, trigger).map_err(|error| GpioError::opening(name, path.display().to_string(), error))
}

#[derive(Debug)]
struct Led {
    name: String,
    folder: PathBuf,
    file: File,
    /// Values of `brightness` that mean inactive and active.
    levels: [String; 2],
    was: Was,
}

/// Original state of an LED.
#[derive(Debug)]
struct Was {
    brightness: String,
    trigger: Option<String>,
    /// Settings of the trigger: files with their values.
    settings: Vec<(PathBuf, String)>,
}

impl Led {
    fn begin(&mut self, is_active: bool) -> Result<()> {
        if self.was.trigger.as_ref().is_some_and(|trigger| trigger != NONE) {
            // With another trigger, the kernel would go on switching the LED itself.
            set_trigger(&self.name, &self.folder, NONE)?;
        }
        self.set(is_active).map(drop)
    }

    /// Restores brightness, trigger and settings; the trigger is restored even if the brightness cannot be restored.
    fn restore(&self) -> Result<()> {
        let before = format!("{}\n", self.was.brightness);
        let bright = write_over(&self.file, &before)
            .map_err(|error| GpioError::of_open(&self.name, "brightness", error));
        let triggered = match &self.was.trigger {
            Some(trigger) if trigger != NONE => {
                set_trigger(&self.name, &self.folder, trigger).and_then(|()| self.restore_settings())
            }
            _ => Ok(()),
        };
        bright.and(triggered)
    }

    /// Writes back the settings that do not have their old value once the trigger is set.
    fn restore_settings(&self) -> Result<()> {
        let changed = self.was.settings.iter().filter(|(path, text)| short_text(path) != *text);
        let until_ns = patience::ends_ns();
        let put_back = changed.map(|(path, text)| {
            patiently(until_ns, || fs::write(path, text))
                .map_err(|error| GpioError::opening(&self.name, path.display().to_string(), error))
        });
        // The first error is returned after all settings were tried.
        put_back.fold(Ok(()), Result::and)
    }
}

impl Output for Led {
    fn set(&mut self, is_active: bool) -> Result<u64> {
        write_over(&self.file, &self.levels[usize::from(is_active)])
            .map_err(|error| GpioError::of_open(&self.name, "brightness", error))?;
        Ok(clock::monotonic_ns())
    }

    fn leave(&mut self, way: Leave) -> Result<()> {
        match way {
            Leave::Inactive => self.set(false).map(drop),
            Leave::Active => self.set(true).map(drop),
            Leave::AsItWas => self.restore(),
        }
    }

    fn name(&self) -> &str {
        &self.name
    }
}
