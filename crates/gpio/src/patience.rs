//! Waits for permissions: files that the kernel has just created belong to root until udev has given them to the group
//! that may use them.

use std::io;

use fauxplat_sys::{clock, timer};

/// Longest wait for a permission, in nanoseconds.
const PATIENCE_NS: u64 = 1_000_000_000;
/// Pause between two attempts, in nanoseconds.
pub(crate) const TRY_NS: u64 = 10_000_000;

/// `CLOCK_MONOTONIC` time at which the wait for files that the kernel creates now ends, in nanoseconds.
pub(crate) fn ends_ns() -> u64 {
    clock::monotonic_ns() + PATIENCE_NS
}

/// Repeats an attempt until it is permitted or the time `until_ns` has passed; returns the last result.
pub(crate) fn patiently<T>(until_ns: u64, attempt: impl Fn() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(error)
                if error.kind() == io::ErrorKind::PermissionDenied && clock::monotonic_ns() < until_ns =>
            {
                timer::sleep_until_ns(clock::monotonic_ns() + TRY_NS);
            }
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const HOUR_NS: u64 = 3_600_000_000_000;

    #[test]
    fn only_a_refusal_is_waited_out_and_only_for_a_time() {
        let tries = Cell::new(0);
        let third = |otherwise: io::ErrorKind| {
            tries.set(tries.get() + 1);
            if tries.get() < 3 { Err(io::Error::from(otherwise)) } else { Ok(()) }
        };
        let later_ns = clock::monotonic_ns() + HOUR_NS;
        patiently(later_ns, || third(io::ErrorKind::PermissionDenied)).unwrap();
        assert_eq!(tries.replace(0), 3);
        assert!(patiently(later_ns, || third(io::ErrorKind::NotFound)).is_err());
        assert_eq!(tries.replace(0), 1);
        assert!(patiently(0, || third(io::ErrorKind::PermissionDenied)).is_err());
        assert_eq!(tries.replace(0), 1);
    }
}
