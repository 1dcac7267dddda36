//! Mappings of a running process.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use fauxplat_procfs::maps::MapsLine;
use fauxplat_sys::sampling::Mapping;

/// Returns the mappings of a process that contain code; empty for a process that does not exist.
pub fn mappings(pid: u32) -> Vec<Mapping> {
    let text = fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let code = text.lines().filter_map(MapsLine::parse).filter(|line| line.is_code);
    code.map(|line| Mapping {
        pid: pid as i32,
        start: line.addresses.start,
        bytes: line.addresses.end - line.addresses.start,
        file_offset: line.offset,
        device: line.device,
        inode: line.inode,
        is_code: true,
        path: OsStr::new(line.path).as_bytes().to_vec(),
    })
    .collect()
}
