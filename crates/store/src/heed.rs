//! Requests to stop: neither a wait for a locked store nor a statement without an end outlasts them.
//!
//! A crate of the column *state* has neither signals nor clocks, so the program says by [`heed`] where both are.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

use rusqlite::Connection;

/// How long a locked store is retried, in seconds.
pub(crate) const BUSY_SECONDS: u64 = 10;

/// A function that returns the time of a monotonic clock in nanoseconds where the user has asked to stop, and `None`
/// where nobody has.
type Stop = fn() -> Option<u64>;

static STOP: OnceLock<Stop> = OnceLock::new();

thread_local! {
    /// Whether a locked store is refused at once on this thread.
    static IS_IMPATIENT: Cell<bool> = const { Cell::new(false) };
}

/// Resets the patience of the thread, also where the work panics.
struct Patient(bool);

impl Drop for Patient {
    fn drop(&mut self) {
        IS_IMPATIENT.set(self.0);
    }
}

/// Does work with stores that never waits for a lock: a statement on a locked store fails at once. The measurement goes
/// on between two such attempts, and a wait would delay its next run.
pub fn without_waiting<T>(work: impl FnOnce() -> T) -> T {
    let _patient_again = Patient(IS_IMPATIENT.replace(true));
    work()
}

/// Makes all stores of this process heed requests to stop: once `stop` returns the time of a monotonic clock in
/// nanoseconds, instead of `None`, a wait for a locked store and a statement that does not end last about a second
/// more. Only the first call has an effect.
pub fn heed(stop: Stop) {
    let _only_once = STOP.set(stop);
}

fn stopped_at() -> Option<u64> {
    STOP.get().and_then(|stop| stop())
}

pub(crate) fn is_stopped() -> bool {
    stopped_at().is_some()
}

/// Time in milliseconds for which a lock or a statement may last after a request to stop: findings are stored after
/// it, and other processes hold locks for a few milliseconds.
const GRACE_MS: u64 = 1000;

/// Longest pause between two attempts to get a lock, in milliseconds.
const PAUSE_MS: u64 = 20;

/// Number of SQLite's instructions between two looks at the request to stop, which take some microseconds.
const INSTRUCTIONS: c_int = 1000;

/// Longest time between two looks that counts as time of a statement, in nanoseconds. A longer one is mostly time
/// between two statements.
const LOOK_NS: u64 = 50_000_000;

/// Makes a connection listen to requests to stop, in waits for a lock and in statements.
pub(crate) fn listen(connection: &mut Connection) -> rusqlite::Result<()> {
    listen_to(connection, stopped_at)
}

fn listen_to(connection: &mut Connection, stop: Stop) -> rusqlite::Result<()> {
    let (mut wait, mut watch) = (Wait::default(), Watch::default());
    connection.busy_handler(Some(move |tries: i32| {
        if IS_IMPATIENT.get() {
            return false;
        }
        match wait.pause_ms(tries, stop().is_some()) {
            Some(pause_ms) => {
                sleep(Duration::from_millis(pause_ms));
                true
            }
            None => false,
        }
    }))?;
    connection
        .progress_handler(INSTRUCTIONS, Some(move || stop().is_some_and(|now_ns| watch.is_over(now_ns))))
}

/// A wait for a lock that another process holds.
#[derive(Debug, Default)]
struct Wait {
    waited_ms: u64,
    waited_since_stop_ms: u64,
}

impl Wait {
    /// Returns the pause before the next attempt, in milliseconds; `None` if the wait is over. `tries` is the number of
    /// pauses so far in this wait.
    fn pause_ms(&mut self, tries: i32, is_stopped: bool) -> Option<u64> {
        if tries == 0 {
            *self = Wait::default();
        }
        let pause_ms = u64::try_from(tries).map_or(PAUSE_MS, |tries| (tries + 1).min(PAUSE_MS));
        self.waited_ms += pause_ms;
        self.waited_since_stop_ms += if is_stopped { pause_ms } else { 0 };
        let goes_on = self.waited_ms <= BUSY_SECONDS * 1000 && self.waited_since_stop_ms <= GRACE_MS;
        goes_on.then_some(pause_ms)
    }
}

/// The time that statements of a connection have taken since a request to stop.
#[derive(Debug, Default)]
struct Watch {
    looked_ns: Option<u64>,
    spent_ns: u64,
}

impl Watch {
    /// Returns whether the statement that runs now is to be interrupted. The next one has its own time then.
    fn is_over(&mut self, now_ns: u64) -> bool {
        let before_ns = self.looked_ns.replace(now_ns).unwrap_or(now_ns);
        self.spent_ns += now_ns.saturating_sub(before_ns).min(LOOK_NS);
        let is_over = self.spent_ns > GRACE_MS * 1_000_000;
        if is_over {
            *self = Watch::default();
        }
        is_over
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::StoreError;
    use crate::error::at;

    const ENDLESS: &str =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c";

    /// A clock that goes on by ten milliseconds with each look.
    fn ticks() -> Option<u64> {
        static LOOKS: AtomicU64 = AtomicU64::new(0);
        Some(LOOKS.fetch_add(1, Ordering::Relaxed) * 10_000_000)
    }

    #[test]
    fn a_statement_without_an_end_ends_after_a_request_to_stop() {
        let mut connection = Connection::open_in_memory().unwrap();
        listen_to(&mut connection, ticks).unwrap();
        for _ in 0..2 {
            let error = connection.query_row(ENDLESS, [], |_| Ok(())).unwrap_err();
            let error = at("a.sqlite".as_ref())(error);
            assert!(matches!(error, StoreError::Endless { .. }), "{error}");
            assert!(error.to_string().starts_with("a.sqlite: "), "{error}");
            let one: i64 = connection.query_row("SELECT 1", [], |row| row.get(0)).unwrap();
            assert_eq!(one, 1);
        }
    }

    #[test]
    fn without_a_request_a_long_statement_goes_on() {
        let mut connection = Connection::open_in_memory().unwrap();
        listen_to(&mut connection, || None).unwrap();
        let bounded = format!("SELECT COUNT(*) FROM ({} LIMIT 100000)", ENDLESS.replace("COUNT(*)", "x"));
        let rows: i64 = connection.query_row(&bounded, [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 100_000);
    }

    #[test]
    fn time_between_statements_is_not_that_of_statements() {
        let mut watch = Watch::default();
        let hours = |hours: u64| hours * 3_600_000_000_000;
        assert!((0..10).all(|hour| !watch.is_over(hours(hour))));
        assert!((1..=10).all(|look| !watch.is_over(hours(9) + look * 10_000_000)));
    }

    /// A wait asks for the request to stop before each pause, and an attempt without a wait never does.
    #[test]
    fn work_without_waiting_makes_no_pause_for_a_lock() {
        static LOOKS: AtomicU64 = AtomicU64::new(0);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sqlite");
        let [holder, mut connection] = [(); 2].map(|()| Connection::open(&path).unwrap());
        let stop = || {
            LOOKS.fetch_add(1, Ordering::Relaxed);
            Some(0_u64)
        };
        listen_to(&mut connection, stop).unwrap();
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();
        let attempt = || connection.execute_batch("BEGIN IMMEDIATE").unwrap_err();
        without_waiting(attempt);
        assert_eq!(LOOKS.load(Ordering::Relaxed), 0);
        attempt();
        assert!(LOOKS.load(Ordering::Relaxed) > 1);
    }

    #[test]
    fn a_wait_for_a_lock_has_an_end_and_a_nearer_one_after_a_request_to_stop() {
        let mut wait = Wait::default();
        let mut waited_ms =
            |is_stopped| (0..).map_while(|tries| wait.pause_ms(tries, is_stopped)).sum::<u64>();
        let [whole, cut, again] = [false, true, false].map(&mut waited_ms);
        assert!((9_900..=10_000).contains(&whole) && whole == again, "{whole} ms, {again} ms");
        assert!((900..=1000).contains(&cut), "{cut} ms");
    }
}
