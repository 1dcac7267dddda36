//! The empty static program, whose run time is the least that any measured program can have.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;

use fauxplat_model::{CounterFloor, Metric, Readings};
use fauxplat_sys::shared::memory_file;

use crate::counters::Counters;

/// The program's code: `exit(0)` in machine code; empty on other architectures.
#[cfg(target_arch = "x86_64")]
const CODE: &[u8] = &[0x31, 0xff, 0xb8, 0x3c, 0, 0, 0, 0x0f, 0x05]; // xor edi,edi; mov eax,60; syscall
#[cfg(target_arch = "aarch64")]
const CODE: &[u8] = &[0xa8, 0x0b, 0x80, 0xd2, 0, 0, 0x80, 0xd2, 1, 0, 0, 0xd4]; // mov x8,#93; mov x0,#0; svc #0
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const CODE: &[u8] = &[];

/// Number of this architecture in the header of an ELF file (`e_machine` of elf(5)).
#[cfg(target_arch = "x86_64")]
const MACHINE: u16 = 62;
#[cfg(target_arch = "aarch64")]
const MACHINE: u16 = 183;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const MACHINE: u16 = 0;

const HEADER_BYTES: u64 = 64;
const SEGMENT_BYTES: u64 = 56;
const BASE: u64 = 0x40_0000;

/// The program as an ELF file (see elf(5)): two headers and three instructions; `None` on architectures for which there
/// is no machine code here.
pub fn floor_image() -> Option<Vec<u8>> {
    if CODE.is_empty() {
        return None;
    }
    let entry = HEADER_BYTES + SEGMENT_BYTES;
    let size = entry + CODE.len() as u64;
    let mut image = Vec::new();
    image.extend([0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    image.extend([2u16, MACHINE].map(u16::to_le_bytes).concat());
    image.extend(1u32.to_le_bytes());
    image.extend([BASE + entry, HEADER_BYTES, 0].map(u64::to_le_bytes).concat());
    image.extend(0u32.to_le_bytes());
    image.extend([HEADER_BYTES as u16, SEGMENT_BYTES as u16, 1, 0, 0, 0].map(u16::to_le_bytes).concat());
    image.extend([1u32, 5].map(u32::to_le_bytes).concat());
    image.extend([0, BASE, BASE, size, size, 0x1000].map(u64::to_le_bytes).concat());
    image.extend(CODE);
    Some(image)
}

/// Number of instructions that the program executes, on every supported architecture.
const INSTRUCTIONS: u64 = 3;

/// Least, median and greatest count of each metric over these runs of the empty program, for metrics with counts. With
/// several sets of counters, only the first set is counted.
pub(crate) fn counter_floors(counters: &Counters, runs: &[Readings]) -> Vec<CounterFloor> {
    let floor = |metric: Metric| {
        let mut counts: Vec<u64> = runs.iter().filter_map(|run| run.get(metric)).collect();
        counts.sort_unstable();
        let in_user_mode = metric.name().ends_with("instructions:u");
        Some(CounterFloor {
            metric,
            executed: in_user_mode.then_some(INSTRUCTIONS),
            least: *counts.first()?,
            median: counts[counts.len() / 2],
            most: *counts.last()?,
            runs: counts.len() as u32,
        })
    };
    counters.entries.iter().filter_map(|entry| floor(entry.metric)).collect()
}

/// The program in a memory file, and the path by which the spawner can execute it; `None` if there is no program for
/// this architecture, or no memory file. Nothing is written to a disk.
pub fn floor_program() -> Option<(File, String)> {
    let mut file = memory_file(0).ok()?;
    file.write_all(&floor_image()?).ok()?;
    let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
    Some((file, path))
}
