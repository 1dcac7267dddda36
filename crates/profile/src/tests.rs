//! Damaged, untrusted files: reading them ends in an answer, and never in a crash.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use fauxplat_model::{ObjectNames, StackEnd};
use fauxplat_sys::sampling::{Mapping, Sampled};
use proptest::prelude::*;

use crate::elf::{Elf, Segment, debug_files};
use crate::jit::PerfMap;
use crate::mappings::mappings;
use crate::names;
use crate::objects::{Objects, UNKNOWN};
use crate::process::Process;
use crate::unwind::{self, Cache};

const SOURCE: &str = "static inline int twice(int n) { return n * 2; }\n\
    __attribute__((noinline)) int work(int n) { return twice(n) + 1; }\n\
    int main(int argc, char **argv) { (void)argv; return work(argc); }\n";

/// A small program with unwind tables, lines and symbols, compiled once; without a compiler, the first bytes of this
/// test program.
#[expect(clippy::disallowed_methods, reason = "a compiler is started, and nothing is measured")]
fn image() -> &'static [u8] {
    static IMAGE: OnceLock<Vec<u8>> = OnceLock::new();
    IMAGE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let [source, program] = ["program.c", "program"].map(|name| folder.path().join(name));
        std::fs::write(&source, SOURCE).unwrap();
        let done = Command::new("cc").args(["-O2", "-g", "-o"]).arg(&program).arg(&source).status();
        if done.is_ok_and(|status| status.success()) {
            return std::fs::read(&program).unwrap();
        }
        let whole = std::fs::read("/proc/self/exe").unwrap();
        whole[..whole.len().min(256 << 10)].to_vec()
    })
}

/// Calls every operation on an untrusted file.
fn use_all(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program");
    std::fs::write(&path, bytes).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    let elf = Elf::of_file(&file);
    assert_eq!(elf.is_some(), Elf::of_image(bytes).is_some());
    let Some(elf) = elf else { return };
    let places: Vec<u64> = (0..200).map(|at| elf.entry.wrapping_sub(0x200).wrapping_add(at * 8)).collect();
    let found = names::of_file(&elf, &path, "/nowhere/program", &places);
    assert!(found.at.keys().all(|place| places.contains(place)));
    debug_files(&elf, Path::new("/nowhere/program"));
    let mut process = Process::new("stranger");
    let mapping = Mapping {
        pid: std::process::id() as i32,
        start: 0x1000_0000,
        bytes: 0x10_0000,
        file_offset: 0,
        device: (0, 0),
        inode: std::os::unix::fs::MetadataExt::ino(&file.metadata().unwrap()),
        is_code: true,
        path: std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec(),
    };
    process.map(&mapping, &mut Objects::new());
    let stack: Vec<u64> = (0..128).map(|at| 0x1000_0000 + at * 0x333).collect();
    for ip in places.iter().map(|place| place.wrapping_add(0x1000_0000)) {
        // The sample has exactly the requested registers, among them stack pointer and program counter.
        let registers = if cfg!(target_arch = "aarch64") { vec![64, ip + 8, 0, ip] } else { vec![64, 0, ip] };
        let sampled = sampled(Some(&registers), &stack);
        let callers = unwind::tables(&sampled, process.unwinder(), &mut Cache::new());
        assert!(callers.addresses.len() < 8192, "a stack of a kibibyte has an end");
    }
}

fn sampled<'a>(registers: Option<&'a [u64]>, stack: &'a [u64]) -> Sampled<'a> {
    let (kernel_chain, user_chain): (&[u64], &[u64]) = (&[], &[]);
    let (pid, tid, time_ns, ip, is_kernel, period) = (1, 1, 0, 0, false, 1);
    let stack_room = stack.len() as u64 * 8;
    Sampled {
        pid,
        tid,
        time_ns,
        ip,
        is_kernel,
        period,
        kernel_chain,
        user_chain,
        registers,
        stack,
        stack_room,
    }
}

#[test]
fn a_program_as_it_is_can_be_read() {
    let elf = Elf::of_file(&std::fs::File::open("/proc/self/exe").unwrap()).unwrap();
    assert!(elf.eh_frame.data.is_some() && elf.entry != 0);
    assert!(elf.is_entry(elf.entry) && !elf.is_entry(0));
    use_all(image());
}

/// The test function's own address has a name, a line and functions that contain its code.
#[test]
fn a_place_has_its_name() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let lines = maps.lines().filter_map(fauxplat_procfs::maps::MapsLine::parse);
    let own = a_place_has_its_name as *const () as u64;
    let line = lines.filter(|line| line.is_code).find(|line| line.addresses.contains(&own)).unwrap();
    let exe = Path::new("/proc/self/exe");
    let elf = Elf::of_file(&std::fs::File::open(exe).unwrap()).unwrap();
    let place = elf.address_of(own - line.addresses.start + line.offset).unwrap();
    let found = names::of_file(&elf, exe, "/proc/self/exe", &[place]);
    let outer = found.at[&place].last().unwrap();
    assert!(outer.name.ends_with("a_place_has_its_name"), "{outer:?}");
}

/// A debug link contains a file's name and checksum: a debug file of an older build has names of other functions.
#[test]
#[expect(clippy::disallowed_macros, reason = "a skipped test says so")]
#[expect(clippy::disallowed_methods, reason = "a compiler is started, and nothing is measured")]
fn debug_information_of_another_build_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [source, program, debug] =
        ["program.c", "program", "program.debug"].map(|name| folder.path().join(name));
    let run = |line: &str| {
        let done = Command::new("sh").args(["-c", line]).current_dir(folder.path()).output();
        done.is_ok_and(|done| done.status.success())
    };
    std::fs::write(&source, SOURCE).unwrap();
    let build = "cc -O1 -g -Wl,--build-id=none -o program program.c && objcopy --only-keep-debug program program.debug \
        && strip program && objcopy --add-gnu-debuglink=program.debug program";
    if !run(build) {
        return println!("skipped: no compiler, or no binutils");
    }
    let elf = Elf::of_file(&std::fs::File::open(&program).unwrap()).unwrap();
    assert!(elf.build_id.is_none() && elf.debug_link.is_some());
    let place = {
        use object::{Object as _, ObjectSymbol as _};
        let bytes = std::fs::read(&debug).unwrap();
        let file = object::File::parse(bytes.as_slice()).unwrap();
        let work = file.symbols().find(|symbol| symbol.name() == Ok("work")).unwrap();
        work.address() + 1
    };
    let found = || names::of_file(&elf, &program, program.to_str().unwrap(), &[place]);
    assert_eq!((found().known, found().missing), (ObjectNames::Lines, None));
    let mut other = std::fs::read(&debug).unwrap();
    other.push(0);
    std::fs::write(&debug, other).unwrap();
    let stale = found();
    assert_ne!(stale.known, ObjectNames::Lines);
    assert!(stale.missing.unwrap().contains("program.debug is of another build"));
    // Without any name, functions are distinguished by their start.
    let begin = &stale.at[&place][0];
    assert_eq!(
        (begin.name.as_str(), begin.is_nameless),
        (format!("program+{:#x}", place - 1).as_str(), true)
    );
}

/// A linker packed code behind other bytes, so the page from which the code is mapped begins with these bytes.
#[test]
fn code_is_where_its_own_segment_says() {
    let segment =
        |offset, bytes, address, is_code| Segment { offset, bytes, address, align: 0x1000, is_code };
    let segments = vec![
        segment(0, 0x2500, 0x20_0000, false),
        segment(0x2500, 0x3300, 0x20_3500, true),
        segment(0x5800, 0x800, 0x20_7800, false),
    ];
    let elf = Elf { segments, ..Elf::default() };
    assert_eq!(elf.address_of(0x2000), Some(0x20_3000), "mapped from the page in which it begins");
    assert_eq!(elf.address_of(0x3000), Some(0x20_4000), "or from a page of its own");
    assert_eq!([0x5900, 0x6000, 0].map(|at| elf.address_of(at)), [Some(0x20_7900), None, Some(0x20_0000)]);
}

/// Returns the mapping of this process that contains an address of its code.
fn mapping_of(address: u64) -> Mapping {
    let mut own = mappings(std::process::id()).into_iter();
    own.find(|it| (it.start..it.start + it.bytes).contains(&address)).unwrap()
}

#[test]
fn a_mapping_leads_to_its_functions() {
    let own = a_mapping_leads_to_its_functions as *const () as u64;
    let (mut objects, mut process) = (Objects::new(), Process::new("p"));
    process.map(&mapping_of(own), &mut objects);
    let place = process.place(own).address;
    let exe = Path::new("/proc/self/exe");
    let elf = Elf::of_file(&std::fs::File::open(exe).unwrap()).unwrap();
    let found = names::of_file(&elf, exe, "/proc/self/exe", &[place]);
    assert!(found.at[&place].last().unwrap().name.ends_with("a_mapping_leads_to_its_functions"));
}

/// A stack that fills its whole copy is reported differently from a stack whose caller cannot be found.
#[test]
fn a_copy_that_is_full_is_a_stack_that_was_cut() {
    let (mut objects, mut process) = (Objects::new(), Process::new("p"));
    let own = a_copy_that_is_full_is_a_stack_that_was_cut as *const () as u64;
    process.map(&mapping_of(own), &mut objects);
    // At the first instruction of a function, the return address is at the stack pointer; the copy of this stack has
    // nothing more.
    let stack = [own + 16];
    let registers =
        if cfg!(target_arch = "aarch64") { vec![0, own + 8, 0x1000, own] } else { vec![0, 0x1000, own] };
    let end = |stack_room| {
        let sampled = Sampled { stack_room, ..sampled(Some(&registers), &stack) };
        unwind::tables(&sampled, process.unwinder(), &mut Cache::new()).end
    };
    if cfg!(target_arch = "x86_64") {
        assert_eq!((end(8), end(65_000)), (StackEnd::Truncated, StackEnd::Broken));
    }
}

#[test]
fn without_registers_there_are_no_callers() {
    let sampled = sampled(None, &[]);
    let callers = unwind::tables(&sampled, Process::new("p").unwinder(), &mut Cache::new());
    assert!(callers.addresses.is_empty());
    assert_eq!(Process::new("p").place(0x1234).object, UNKNOWN);
}

/// Newer mappings replace older ones at the same address; a child process begins with its parent's mappings, and a
/// newly executed program with none.
#[test]
fn memory_is_what_was_mapped_last() {
    let (mut objects, mut process) = (Objects::new(), Process::new("p"));
    let mapping = |start, bytes, pid| Mapping {
        pid,
        start,
        bytes,
        file_offset: 0,
        device: (0, 0),
        inode: 0,
        is_code: true,
        path: b"//anon".to_vec(),
    };
    process.map(&mapping(0x1000, 0x2000, 7), &mut objects);
    let old = process.place(0x1800).object;
    process.map(&mapping(0x1000, 0x1000, 8), &mut objects);
    assert!(process.place(0x1800).object != old && process.place(0x2800).object == UNKNOWN);
    let mut child = process.child();
    assert_eq!(child.place(0x1800), process.place(0x1800));
    child.forget_code();
    assert_eq!(child.place(0x1800).object, UNKNOWN);
    process.map(&mapping(u64::MAX - 10, 100, 7), &mut objects);
}

/// Returns the beginning of a perf.data file: `words` are the offsets and lengths of its sections, which may lie beyond
/// its end.
fn recorded(words: &[u64]) -> Vec<u8> {
    [b"PERFILE2".as_slice(), &words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>()].concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn broken_programs_are_taken_for_what_they_are(
        changes in prop::collection::vec((0usize..2048, any::<u8>()), 1..12),
        elsewhere in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = image().to_vec();
        changes.iter().for_each(|&(at, byte)| bytes[at] = byte);
        elsewhere.iter().for_each(|(at, byte)| { let at = at.index(bytes.len()); bytes[at] = *byte; });
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        use_all(&bytes);
    }

    #[test]
    fn recordings_of_strangers_are_refused_or_read(
        words in prop::collection::vec(prop_oneof![0u64..400, any::<u64>(), Just(136), Just(104)], 0..60),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("perf.data");
        std::fs::write(&path, recorded(&words)).unwrap();
        let _ = crate::Profiler::default().import(&path);
    }

    #[test]
    fn maps_of_strangers_are_read(text in ".*", address in any::<u64>()) {
        let _ = PerfMap::parse(&text).find(address);
        let _ = PerfMap::parse("ffffffffffffff00 ffffffffffffffff all\n0 10 none\n").find(address);
        let _ = crate::demangle::demangle(&format!("_Z{text}"));
    }
}
