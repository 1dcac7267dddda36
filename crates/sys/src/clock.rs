//! Clocks. Durations are measured by the monotonic clock, since the wall clock can be set back.
#![expect(unsafe_code, reason = "clock_gettime(2) is a C call")]
#![expect(clippy::disallowed_methods, reason = "this module is where the clocks are read")]

use std::time::SystemTime;

/// Returns nanoseconds of `CLOCK_MONOTONIC`, see `clock_gettime(2)`. All processes of a boot share its zero.
pub fn monotonic_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid timespec that outlives the call, and the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Returns the CPU time that this thread has used (`CLOCK_THREAD_CPUTIME_ID`).
pub fn thread_cpu_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid timespec that outlives the call; the thread's own CPU clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Returns the CPU time that all threads of this process have used (`CLOCK_PROCESS_CPUTIME_ID`).
pub fn process_cpu_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid timespec that outlives the call; the process's own CPU clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Returns nanoseconds since 1970 by the wall clock, to compare with file times; the wall clock can be set back.
pub fn realtime_ns() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}

/// Returns the time of day in RFC 3339 form, UTC, to the second.
pub fn now_rfc3339() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// Returns a number of 53 bits that differs from one call to the next, to seed a plan when the user gives no seed.
pub fn fresh_seed() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    // SplitMix64's finaliser spreads the few bits that change between two calls (Steele et al., OOPSLA 2014).
    let mut z = (since.as_nanos() as u64) ^ (u64::from(std::process::id()) << 40);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    // JSON readers that hold numbers as doubles preserve a seed of 53 bits.
    (z ^ (z >> 31)) >> 11
}

#[cfg(test)]
mod tests {
    #[test]
    fn clocks_advance_and_seeds_differ() {
        let (a, b) = (super::monotonic_ns(), super::monotonic_ns());
        assert!(b >= a && a > 0);
        assert_ne!(super::fresh_seed(), super::fresh_seed());
        assert!(super::now_rfc3339().ends_with('Z'));
    }
}
