//! Runs a command that is not measured, with the standard input and output of fauxplat, and waits for its end.

use std::path::{Path, PathBuf};

use fauxplat_sys::inherited::Signals;
use fauxplat_sys::process::{self, Exit, Waited};
use fauxplat_sys::spawn::{ADDR_NO_RANDOMIZE, ChildSetup, Image, StartSpace, start};
use fauxplat_sys::{sched, signal};

use crate::{LaunchError, words};

/// The executable of a command, as a shell finds it.
///
/// # Errors
/// Fails where the program does not exist, or may not be executed.
pub fn find(argv: &[String]) -> Result<PathBuf, LaunchError> {
    let cwd = std::env::current_dir();
    let cwd = cwd.map_err(|source| LaunchError::File { path: ".".into(), source })?;
    let path = std::env::var("PATH").unwrap_or_else(|_| "/bin:/usr/bin".to_owned());
    words::find_program(argv.first().map_or("", String::as_str), &cwd, &path)
}

/// Runs a command to its end and returns its exit status as a shell reports it. A request to stop is passed on to the
/// command, if [`signal::stop_on_interrupt_repeatedly`] was called before.
///
/// # Errors
/// Fails if the command cannot be started.
pub fn run(program: &Path, argv: &[String], aslr_off: bool) -> Result<i32, LaunchError> {
    let name = program.display().to_string();
    let environment: Vec<String> = std::env::vars_os()
        .filter_map(|(name, value)| Some(format!("{}={}", name.to_str()?, value.to_str()?)))
        .collect();
    let image = Image::new(&name, argv, &environment);
    let mut image = image.map_err(|_| LaunchError::NullByte(name.clone()))?;
    let personality = aslr_off.then(|| sched::personality() | ADDR_NO_RANDOMIZE);
    let signals = Signals::at_start().restoration();
    let setup = ChildSetup { personality, stdio: [0, 1, 2], signals, ..ChildSetup::default() };
    let started = start(&mut image, &setup, None, &mut StartSpace::default());
    let started = started.map_err(|failed| LaunchError::Refused {
        program: argv.join(" "),
        stage: failed.stage,
        source: std::io::Error::from_raw_os_error(failed.errno),
    })?;
    loop {
        match process::wait(started.pid, true) {
            Waited::Ended { exit: Exit::Status(status), .. } => return Ok(status.into()),
            Waited::Ended { exit: Exit::Signal(number), .. } => return Ok(128 + i32::from(number)),
            Waited::Interrupted if signal::stop_requested() => {
                signal::quiet();
                signal::clear_stop();
                signal::send(started.pid, signal::SIGTERM);
            }
            Waited::Interrupted | Waited::Running => {}
            Waited::NoChild | Waited::Refused(_) => return Ok(255),
        }
    }
}
