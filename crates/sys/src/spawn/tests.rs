//! Properties of a started process.

use super::*;
use crate::process::{Exit, Waited, wait};
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::AsRawFd;

fn null() -> std::fs::File {
    std::fs::File::options().read(true).write(true).open("/dev/null").unwrap()
}

fn run(
    program: &str,
    argv: &[&str],
    pad: Option<usize>,
    stdout: &std::fs::File,
) -> Result<Exit, StartFailed> {
    let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
    let mut image = Image::new(program, &argv, &["A=1".to_owned()]).unwrap();
    let null = null();
    let stdio = [null.as_raw_fd(), stdout.as_raw_fd(), null.as_raw_fd()];
    let setup = ChildSetup { stdio, ..ChildSetup::default() };
    let started = start(&mut image, &setup, pad, &mut StartSpace::default())?;
    assert!(started.cpu.is_some());
    match wait(started.pid, true) {
        Waited::Ended { exit, .. } => Ok(exit),
        other => panic!("{other:?}"),
    }
}

#[test]
fn runs_and_reports_the_status() {
    assert_eq!(run("/bin/sh", &["sh", "-c", "exit 7"], None, &null()).unwrap(), Exit::Status(7));
    assert_eq!(run("/bin/sh", &["sh", "-c", "kill -9 $$"], None, &null()).unwrap(), Exit::Signal(9));
}

#[test]
fn nothing_is_inherited_but_what_is_named() {
    let files = [null(), null()];
    let [named, unmarked] = files.each_ref().map(AsRawFd::as_raw_fd);
    crate::process::keep_over_exec(unmarked, true).unwrap();
    let open = |fd: i32| format!("test -e /proc/self/fd/{fd}");
    let script = format!("{} && ! {}", open(named), open(unmarked));
    let words = ["sh".to_owned(), "-c".to_owned(), script];
    let mut image = Image::new("/bin/sh", &words, &[]).unwrap();
    let inherited = Some(vec![named]);
    let setup = ChildSetup { stdio: [0, 1, 2], inherited, ..ChildSetup::default() };
    let started = start(&mut image, &setup, None, &mut StartSpace::default()).unwrap();
    let ended = wait(started.pid, true);
    assert!(matches!(ended, Waited::Ended { exit: Exit::Status(0), .. }), "{ended:?}");
}

#[test]
fn the_stack_has_the_limit_that_was_asked_for() {
    let words = ["sh".to_owned(), "-c".to_owned(), "test $(ulimit -s) = 1024".to_owned()];
    let mut image = Image::new("/bin/sh", &words, &[]).unwrap();
    let stack_limit_bytes = Some(1 << 20);
    let setup = ChildSetup { stdio: [0, 1, 2], stack_limit_bytes, ..ChildSetup::default() };
    let started = start(&mut image, &setup, None, &mut StartSpace::default()).unwrap();
    let ended = wait(started.pid, true);
    assert!(matches!(ended, Waited::Ended { exit: Exit::Status(0), .. }), "{ended:?}");
}

#[test]
fn says_which_step_failed() {
    let failed = run("/nonexistent/program", &["x"], None, &null()).unwrap_err();
    assert_eq!((failed.stage, failed.errno), (Stage::Exec, libc::ENOENT));
}

#[test]
fn a_numbered_program_knows_its_run_and_every_number_takes_the_same_room() {
    let words = ["env".to_owned(), "-0".to_owned()];
    let mut image = Image::new("/usr/bin/env", &words, &["A=1".to_owned()]).unwrap().numbered();
    let (mut sizes, bytes) = (Vec::new(), image.stack_bytes());
    for number in [0, 7, 10, u32::MAX] {
        let mut output = crate::shared::memory_file(0).unwrap();
        let null = null();
        let setup = ChildSetup { stdio: [null.as_raw_fd(), output.as_raw_fd(), 2], ..ChildSetup::default() };
        image.set_number(number);
        let started = start(&mut image, &setup, Some(40), &mut StartSpace::default()).unwrap();
        assert!(matches!(wait(started.pid, true), Waited::Ended { exit: Exit::Status(0), .. }));
        let mut text = String::new();
        output.seek(SeekFrom::Start(0)).unwrap();
        output.read_to_string(&mut text).unwrap();
        assert!(text.split('\0').any(|one| one == format!("{NUMBER_NAME}={number}")), "{text:?}");
        assert!(text.contains("A=1\0") && text.contains("FAUXPLAT_PAD="), "{text:?}");
        sizes.push(text.len());
        assert_eq!(image.stack_bytes(), bytes);
    }
    assert!(sizes.iter().all(|size| *size == sizes[0]), "{sizes:?}");
}

#[test]
fn padding_takes_exactly_its_bytes() {
    for pad in [1usize, 2, 12, 13, 14, 40, 4096] {
        let output = crate::shared::memory_file(0).unwrap();
        run("/usr/bin/env", &["env", "-0"], Some(pad), &output).unwrap();
        assert_eq!(output.metadata().unwrap().len() as usize, "A=1".len() + 1 + pad);
    }
}
