//! Records as the kernel writes them, and malformed records.

use proptest::prelude::*;

use super::*;

const WITH_STACK: Layout = Layout { has_chain: true, period: None, registers: 0b111 };
const CHAIN: Layout = Layout { has_chain: true, period: None, registers: 0 };

fn header(kind: u32, misc: u16, words: usize) -> u64 {
    u64::from(kind) | u64::from(misc) << 32 | (words as u64 * 8) << 48
}

fn whole(kind: u32, misc: u16, rest: &[u64]) -> Vec<u64> {
    [&[header(kind, misc, rest.len() + 1)], rest].concat()
}

/// Joins two numbers of 32 bits in memory order.
fn two(first: i32, second: i32) -> u64 {
    let (a, b) = (first.to_ne_bytes(), second.to_ne_bytes());
    u64::from_ne_bytes([a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]])
}

#[test]
fn a_sample_has_what_was_filled_of_its_stack() {
    // Address, thread, time, period; a chain of the kernel; registers; a stack of four words of which two were filled.
    let words = whole(
        SAMPLE,
        MODE_KERNEL,
        &[
            0xffff_8000,
            two(7, 8),
            99,
            5,
            3,
            -128_i64 as u64,
            0xffff_8000,
            0xffff_9000,
            2,
            11,
            12,
            13,
            32,
            1,
            2,
            3,
            4,
            16,
        ],
    );
    let filled = WITH_STACK.filled(bytes_of(words[0]), &|place| words[(place / 8) as usize]);
    assert_eq!(WITH_STACK.time_place(words[0] as u32, bytes_of(words[0])), 24);
    let Some(Record::Sample(sample)) = read(&words[..(filled / 8) as usize], &WITH_STACK) else {
        panic!("a sample")
    };
    assert_eq!((sample.pid, sample.tid, sample.time_ns, sample.period), (7, 8, 99, 5));
    assert!(sample.is_kernel);
    assert_eq!(sample.kernel_chain, [0xffff_8000, 0xffff_9000]);
    assert_eq!(sample.registers, Some(&[11, 12, 13][..]));
    assert_eq!(sample.stack, [1, 2]);
}

#[test]
fn chains_of_kernel_and_user_are_told_apart() {
    let words = whole(SAMPLE, 0, &[1, two(7, 8), 99, 5, 5, -128_i64 as u64, 10, CONTEXT_USER, 20, 21]);
    let Some(Record::Sample(sample)) = read(&words, &CHAIN) else { panic!("a sample") };
    assert_eq!((sample.kernel_chain, sample.user_chain), (&[10][..], &[20, 21][..]));
}

#[test]
fn what_processes_do_is_read() {
    let name = u64::from_ne_bytes(*b"prog\0\0\0\0");
    let named = whole(COMM, COMM_EXEC, &[two(7, 7), name, two(7, 7), 5]);
    assert!(
        matches!(read(&named, &CHAIN), Some(Record::Named { pid: 7, is_exec: true, name, .. }) if name == b"prog")
    );
    let forked = whole(FORK, 0, &[two(8, 7), two(9, 7), 5, two(8, 9), 5]);
    assert!(matches!(read(&forked, &CHAIN), Some(Record::Forked { pid: 8, parent: 7, tid: 9 })));
    let mapped = whole(
        MMAP2,
        0,
        &[two(7, 7), 0x1000, 0x2000, 0x3000, two(8, 1), 42, 0, two(5, 2), name, two(7, 7), 5],
    );
    let Some(Record::Mapped(mapping)) = read(&mapped, &CHAIN) else { panic!("a mapping") };
    assert_eq!((mapping.start, mapping.bytes, mapping.file_offset), (0x1000, 0x2000, 0x3000));
    assert_eq!((mapping.device, mapping.inode, mapping.is_code), ((8, 1), 42, true));
    assert_eq!(mapping.path, b"prog");
    assert!(matches!(read(&whole(LOST, 0, &[1, 77, 0, 0]), &CHAIN), Some(Record::Lost(77))));
}

#[test]
fn threads_lose_their_cpu_and_get_one() {
    for (misc, expected) in
        [(0, Switch::Runs), (SWITCH_OUT, Switch::Waits), (SWITCH_OUT | SWITCH_OUT_PREEMPT, Switch::Preempted)]
    {
        let words = whole(SWITCH, misc, &[two(7, 8), 99]);
        let Some(Record::Switched { pid: 7, tid: 8, time_ns: 99, how }) = read(&words, &CHAIN) else {
            panic!("a switch")
        };
        assert_eq!(how, expected);
    }
    assert!(read(&whole(SWITCH, 0, &[two(7, 8)]), &CHAIN).is_none());
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(mut words in prop::collection::vec(any::<u64>(), 1..40), kind in 0u32..20) {
        words[0] = header(kind, words[0] as u16, words.len());
        for layout in [WITH_STACK, CHAIN, Layout { has_chain: false, period: Some(3), registers: 7 }] {
            let word = |place: u64| words.get((place / 8) as usize).copied().unwrap_or(0);
            prop_assert!(layout.filled(bytes_of(words[0]), &word) <= bytes_of(words[0]));
            let _ = read(&words, &layout);
        }
    }
}
