//! Files, memory and pipes between processes, and their state as reported by the kernel.
#![expect(clippy::disallowed_methods, reason = "mkfifo(1) makes the FIFO of a test")]

use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::sync::atomic::Ordering;

use fauxplat_sys::files::{self, Folder};
use fauxplat_sys::shared::{Doorbell, SharedWords, duplicate, memory_file};
use fauxplat_sys::summons::{self, Summoned, Summons};
use fauxplat_sys::{klog, memory, wake};

fn flags_of(file: &impl AsRawFd) -> i64 {
    let text = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd())).unwrap();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:")).unwrap();
    i64::from_str_radix(flags.trim(), 8).unwrap()
}

const NONBLOCK: i64 = 0o4000;
const CLOSE_ON_EXEC: i64 = 0o2_000_000;

/// Opening a pipe without another end does not block, and reads of an inherited file wait as usual.
#[test]
fn a_named_pipe_holds_nobody_up() {
    let folder = std::env::temp_dir().join(format!("fauxplat-channels-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (pipe, plain) = (folder.join("pipe"), folder.join("plain"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut read = files::open_at_once(&pipe, false).unwrap();
    assert_eq!((read.read(&mut [0; 8]).unwrap(), flags_of(&read) & NONBLOCK), (0, 0));
    drop(read);
    assert_eq!(files::open_at_once(&pipe, true).unwrap_err().raw_os_error(), Some(6), "nobody reads it");
    assert_eq!(files::read_bounded(&pipe, 10).unwrap(), b"");
    for text in ["a", "b"] {
        files::open_at_once(&plain, true).unwrap().write_all(text.as_bytes()).unwrap();
    }
    assert_eq!(files::read_bounded(&plain, 2).unwrap(), b"ab", "it is appended to, and as long as allowed");
    assert_eq!(files::read_bounded(&plain, 1).unwrap_err().kind(), ErrorKind::FileTooLarge);
    let missing = files::open_at_once(&folder.join("no/such"), true).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    let mut unnamed = files::unnamed(&folder).unwrap();
    unnamed.write_all(b"x").unwrap();
    assert_eq!(unnamed.metadata().unwrap().nlink(), 0, "it has no name");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    let held = Folder::open(&folder).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(held.read(c"plain", &mut [0; 8]).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn shared_memory_is_as_long_as_asked_and_closed_on_exec() {
    for words in [0, 1, 513] {
        let file = memory_file(words).unwrap();
        assert_eq!(file.metadata().unwrap().len(), words as u64 * 8);
        assert_eq!(flags_of(&file) & CLOSE_ON_EXEC, CLOSE_ON_EXEC);
    }
    let file = memory_file(4).unwrap();
    let nothing = SharedWords::map(&file, 0).unwrap_err();
    assert!(nothing.to_string().starts_with("mmap of the shared memory: "), "{nothing}");
    let not_a_file = std::fs::File::open("/dev/null").unwrap();
    assert!(SharedWords::map(&not_a_file, 4).is_err());
    // The mapped memory outlives the descriptor of its file, and is visible through a duplicate of the descriptor.
    let words = SharedWords::map(&file, 4).unwrap();
    let other = std::fs::File::from(duplicate(file.as_raw_fd()).unwrap());
    assert_eq!(flags_of(&other) & CLOSE_ON_EXEC, CLOSE_ON_EXEC);
    drop(file);
    words.words()[3].store(u64::MAX, Ordering::Release);
    assert_eq!(SharedWords::map(&other, 4).unwrap().words()[3].load(Ordering::Acquire), u64::MAX);
}

#[test]
fn a_bell_is_heard_through_every_descriptor_of_it() {
    let bell = Doorbell::new().unwrap();
    let inherited = Doorbell::from(duplicate(bell.fd()).unwrap());
    inherited.ring();
    assert!(bell.wait(-1).unwrap() && !inherited.wait(0).unwrap(), "one stroke is heard once");
    (0..3).for_each(|_| bell.ring());
    drop(bell);
    assert!(inherited.wait(0).unwrap(), "it rings on without whoever rang it");
    assert_eq!(flags_of(&inherited.fd()) & (CLOSE_ON_EXEC | NONBLOCK), CLOSE_ON_EXEC | NONBLOCK);
}

/// As long as a second caller exists, the reader does not see the end of the pipe.
#[test]
fn a_summons_ends_with_its_last_caller_alone() {
    let (caller, called) = summons::pair().unwrap();
    let also_called = Summons::from(duplicate(called.fd()).unwrap());
    caller.call();
    assert_eq!(also_called.wait().unwrap(), Summoned::Called);
    let waiting = std::thread::spawn(move || (0..2).map(|_| called.wait().unwrap()).collect::<Vec<_>>());
    caller.call();
    while !waiting.is_finished() {
        caller.call();
    }
    assert_eq!(waiting.join().unwrap(), [Summoned::Called; 2]);
    drop(caller);
    while also_called.wait().unwrap() == Summoned::Called {}
    assert_eq!(also_called.wait().unwrap(), Summoned::Gone);
}

#[test]
fn an_event_counter_wakes_the_reader_that_sleeps() {
    let counter = wake::EventCounter::new().unwrap();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| counter.take());
        counter.add();
        assert!(reader.join().unwrap());
    });
}

/// A log that was overwritten while it was read continues after the gap; a log that only fails ends.
#[test]
fn a_log_is_read_past_its_gaps_and_never_for_ever() {
    struct Log(Vec<Result<&'static str, ErrorKind>>);
    impl Read for Log {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let next = if self.0.len() > 1 { self.0.remove(0) } else { self.0[0] };
            let text = next.map_err(std::io::Error::from)?;
            buffer[..text.len()].copy_from_slice(text.as_bytes());
            Ok(text.len())
        }
    }
    let told =
        |steps: Vec<_>| -> Vec<u64> { klog::records(&mut Log(steps)).iter().map(|it| it.number).collect() };
    let (gap, interrupted, end) =
        (Err(ErrorKind::BrokenPipe), Err(ErrorKind::Interrupted), Err(ErrorKind::WouldBlock));
    assert_eq!(told(vec![Ok("6,1,0,-;a\n"), gap, interrupted, Ok("6,9,0,-;b\n"), end]), [1, 9]);
    assert_eq!(told(vec![Ok("6,1,0,-;a\n"), Ok("")]), [1]);
    assert_eq!(told(vec![gap]), [0; 0]);
    let endless = told(vec![Ok("6,7,0,-;again\n")]);
    assert!(!endless.is_empty() && endless.iter().all(|&number| number == 7));
    assert_eq!(
        told(vec![Ok(";\n"), Ok("6,x,;y\n"), Ok("no prefix\n"), end]),
        [0, 0],
        "strange prefixes have no number"
    );
}

#[test]
fn windows_and_pages_are_whole_and_zero() {
    let windows = memory::Windows::new(2, 3).unwrap();
    assert_eq!((windows.len(), windows.is_empty(), windows.peek(usize::MAX, usize::MAX)), (6, false, 0));
    for bytes in [0, 1, memory::page_bytes(), memory::page_bytes() + 1] {
        let mut pages = memory::Pages::new(bytes, false).unwrap();
        let length = pages.words().len() * 8;
        assert!(length >= bytes && length.is_multiple_of(memory::page_bytes()), "{length} for {bytes}");
    }
}
