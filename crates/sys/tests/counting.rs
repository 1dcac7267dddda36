//! Counters of children, compared with a program whose instructions can be counted by hand.
#![expect(clippy::disallowed_macros, reason = "a test says what it skips and what it found")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use fauxplat_sys::perf::{Count, Counter, CountingEvent, Whom};
use fauxplat_sys::process;
use fauxplat_sys::spawn::{ChildSetup, Image, start};

/// Number of rounds of the test program's loop of three instructions.
const ROUNDS: u32 = 1_000_000;

/// `PERF_TYPE_HARDWARE` with `PERF_COUNT_HW_INSTRUCTIONS` and `PERF_COUNT_HW_CPU_CYCLES`.
const INSTRUCTIONS: CountingEvent = of_processor(1);
const CYCLES: CountingEvent = of_processor(0);

const fn of_processor(config: u64) -> CountingEvent {
    CountingEvent {
        kind: 0,
        config: [config, 0, 0],
        excludes_user: false,
        excludes_kernel: true,
        excludes_hypervisor: true,
    }
}

/// Returns the number of the architecture in ELF, the machine code of the test program, and its number of instructions
/// outside the loop of [`ROUNDS`].
#[cfg(target_arch = "aarch64")]
fn code() -> (u16, Vec<u8>, u64) {
    let words = [
        0xd280_0001 | (ROUNDS & 0xffff) << 5, // movz x1, #…
        0xf2a0_0001 | (ROUNDS >> 16) << 5,    // movk x1, #…, lsl #16
        0xf100_0421,                          // subs x1, x1, #1
        0xd503_201f,                          // nop
        0x54ff_ffc1,                          // b.ne to the subs
        0xd280_0ba8,                          // movz x8, #93: exit
        0xd280_0000,                          // movz x0, #0
        0xd400_0001,                          // svc #0
    ];
    (183, words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect(), 5)
}

#[cfg(target_arch = "x86_64")]
fn code() -> (u16, Vec<u8>, u64) {
    let mut code = vec![0x48, 0xb9]; // mov $…, %rcx
    code.extend(u64::from(ROUNDS).to_le_bytes());
    code.extend([0x48, 0xff, 0xc9, 0x90, 0x75, 0xfa]); // dec %rcx; nop; jne to the dec
    code.extend([0xb8, 60, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05]); // mov $60, %eax; xor %edi, %edi; syscall
    (62, code, 4)
}

#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
fn code() -> (u16, Vec<u8>, u64) {
    (0, Vec::new(), 0)
}

/// Returns the smallest file that the kernel executes: a header, one segment, and the code (`elf(5)`).
fn executable(machine: u16, code: &[u8]) -> Vec<u8> {
    const BASE: u64 = 0x40_0000;
    const HEAD: u64 = 64 + 56;
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    file.extend(2u16.to_le_bytes());
    file.extend(machine.to_le_bytes());
    file.extend(1u32.to_le_bytes());
    for word in [BASE + HEAD, 64, 0] {
        file.extend(word.to_le_bytes());
    }
    file.extend(0u32.to_le_bytes());
    for half in [64u16, 56, 1, 0, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    let size = HEAD + code.len() as u64;
    file.extend([1u32, 5].iter().flat_map(|word| word.to_le_bytes()));
    for word in [0, BASE, BASE, size, size, 0x1000] {
        file.extend(word.to_le_bytes());
    }
    file.extend(code);
    file
}

fn counts(path: &str, runs: usize) -> Vec<[Count; 2]> {
    let leader = Counter::open(&INSTRUCTIONS, Whom::Children, None).unwrap();
    let member = Counter::open(&CYCLES, Whom::Children, Some(&leader)).unwrap();
    let mut image = Image::new(path, &[path.to_owned()], &[]).unwrap();
    let setup = ChildSetup { stdio: [0, 1, 2], ..Default::default() };
    let read = || [leader.read().unwrap(), member.read().unwrap()];
    let mut before = read();
    let mut all = Vec::new();
    for _ in 0..runs {
        let started = start(&mut image, &setup, None, &mut Default::default()).unwrap();
        process::wait(started.pid, true);
        let now = read();
        all.push([0, 1].map(|at| now[at].since(before[at]).unwrap()));
        before = now;
    }
    all
}

/// Where `EXACT_COUNTERS` is set, as in a guest whose counters are emulated, each of a hundred runs counts exactly the
/// same number of instructions. A real processor may add some for each interrupt, so elsewhere the smallest count of
/// all runs is compared with the known number.
#[test]
fn a_known_program_has_the_instructions_that_it_has() {
    let (machine, code, around) = code();
    if machine == 0 || Counter::open(&INSTRUCTIONS, Whom::Children, None).is_err() {
        assert!(std::env::var_os("EXACT_COUNTERS").is_none(), "the guest's counters are not there");
        println!("skipped: no counter of instructions here");
        return;
    }
    let path = std::env::temp_dir().join(format!("fauxplat-known-{}", std::process::id()));
    fs::write(&path, executable(machine, &code)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let all = counts(path.to_str().unwrap(), 100);
    fs::remove_file(&path).unwrap();
    let known = 3 * u64::from(ROUNDS) + around;
    // If other users occupy counters, or a core of another kind has none, a part of a run is not counted.
    let whole = all.iter().filter(|both| both.iter().all(|count| count.running_ns == count.enabled_ns));
    match whole.min_by_key(|[instructions, _]| instructions.value.abs_diff(known)) {
        None => println!("skipped: no run was counted from its beginning to its end"),
        Some([instructions, cycles]) => {
            assert!(instructions.running_ns > 0 && cycles.value > 0, "{instructions:?} {cycles:?}");
            assert!(instructions.value.abs_diff(known) < 3000, "{} of {known}", instructions.value);
        }
    }
    if std::env::var_os("EXACT_COUNTERS").is_some() {
        let same = all.iter().filter(|[instructions, _]| instructions.value == known).count();
        println!("{same} of {} runs counted {known} instructions", all.len());
        assert_eq!(same, all.len(), "{:?}", all[0]);
    }
}
