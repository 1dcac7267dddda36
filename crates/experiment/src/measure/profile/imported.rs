//! Profiles from recordings of perf.

use std::path::Path;

use fauxplat_model::{ProfileFindings, ProfileQuality};
use fauxplat_profile::Profiler;

use super::sampled::Run;
use super::{Profiling, found};
use crate::Failure;

/// Makes a profile from a file of `perf record`. Callers are found again from the recorded stacks, and names of
/// functions are looked up on this machine.
///
/// # Errors
/// Fails if the file cannot be read, or is from another kind of processor.
pub fn profile_file(path: &Path, asked: &Profiling) -> Result<ProfileFindings, Failure> {
    let mut profiler = Profiler::default();
    let imported = profiler.import(path).map_err(Failure::usage)?;
    let mut notes = vec![
        "perf recorded it earlier: names of the kernel and of code without a file are today's".to_owned(),
    ];
    if !imported.left_out.is_empty() {
        notes.push(format!("samples of other events are left out: {}", imported.left_out.join(", ")));
    }
    let is_clock = imported.event.starts_with("cpu-clock") || imported.event.starts_with("task-clock");
    let quality = ProfileQuality {
        event: imported.event,
        notes,
        unwinding: if imported.stack_bytes > 0 { "eh_frame".to_owned() } else { "frame-pointers".to_owned() },
        stack_bytes: imported.stack_bytes,
        has_kernel: imported.has_kernel,
        ..ProfileQuality::default()
    };
    // An event of a clock stands for one nanosecond.
    let cpu_s = if is_clock { imported.followed.events as f64 / 1e9 } else { 0.0 };
    let elapsed_s = imported.elapsed_ns as f64 / 1e9;
    let run = Run { command: 0, block: 0, followed: imported.followed, cpu_s, elapsed_s, outcome: None };
    let name = imported.command.unwrap_or_else(|| path.display().to_string());
    Ok(found(asked, &quality, profiler, vec![run], vec![name]))
}
