//! Time limits of labs.

use std::time::Duration;

use fauxplat_sys::clock::monotonic_ns;
use fauxplat_units::Nanos;

/// Number of rounds from which on a lab may stop early; the median of fewer rounds has no interval.
pub(crate) const ROUNDS_MIN: u32 = 6;
/// Verbs with an option that limits their time.
const LIMITED: [&str; 4] = ["run", "compare", "sweep", "explain"];

/// The part of the time limit (`--max-time`) that a lab may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    begin_ns: u64,
    end_ns: Option<u64>,
    /// Number of experiments among which the time left is divided.
    parts: Parts,
}

/// A number of experiments, at least 1.
#[derive(Clone, Copy, Debug)]
struct Parts(u32);

impl Default for Parts {
    fn default() -> Self {
        Parts(1)
    }
}

impl Share {
    pub fn unlimited() -> Self {
        Share::default()
    }

    /// Returns a share that begins now and ends after `time`.
    pub fn of(time: Duration) -> Self {
        let begin_ns = monotonic_ns();
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Share { begin_ns, end_ns: Some(begin_ns.saturating_add(nanos)), ..Share::default() }
    }

    /// The share of one experiment, out of `to_run` experiments that are still to be run.
    pub(crate) fn for_one_of(self, to_run: usize) -> Self {
        Share { parts: Parts(u32::try_from(to_run.max(1)).unwrap_or(u32::MAX)), ..self }
    }

    /// Time for one experiment, in the syntax of fauxplat's options; `None` without a limit.
    pub(crate) fn words(self) -> Option<String> {
        self.part().map(|part| format!("{}ms", part.as_millis().max(1)))
    }

    fn part(self) -> Option<Duration> {
        self.left().map(|left| left / self.parts.0)
    }

    /// Time that is left; `None` without a limit.
    pub(crate) fn left(self) -> Option<Duration> {
        self.end_ns.map(|end| Duration::from_nanos(end.saturating_sub(monotonic_ns())))
    }

    /// Reason for starting no further experiment; `None` while there is time left.
    pub(crate) fn over(self) -> Option<String> {
        let given = self.end_ns?.saturating_sub(self.begin_ns);
        let is_over = self.left().is_some_and(|left| left.is_zero());
        is_over.then(|| {
            format!(
                "its share of --max-time, {}, was over before it was measured",
                Nanos::from_secs_f64(given as f64 / 1e9)
            )
        })
    }

    /// Whether a lab ends after `round` rounds: these suffice for an interval of a median, and another round of average
    /// length would exceed the time limit.
    pub(crate) fn ends_before(self, round: u32) -> bool {
        let Some(left) = self.left().filter(|_| round >= ROUNDS_MIN) else { return false };
        let past = Duration::from_nanos(monotonic_ns().saturating_sub(self.begin_ns));
        left < past / round
    }

    /// Limits the time of a command line of fauxplat to the experiment's part of the time left. A shorter limit that
    /// the line states stays.
    pub(crate) fn limit(self, line: &mut Vec<String>) {
        let verb = line.first().map_or("", String::as_str);
        let Some((part, words)) = self.part().zip(self.words()).filter(|_| LIMITED.contains(&verb)) else {
            return;
        };
        // `--max-time` and its value may be two words or one.
        let own = |word: &String| word.strip_prefix("--max-time=").is_some_and(|own| is_longer(own, part));
        match line.iter().position(|word| word == "--max-time" || word.starts_with("--max-time=")) {
            Some(at) if own(&line[at]) => line[at] = format!("--max-time={words}"),
            Some(at)
                if line[at] == "--max-time" && line.get(at + 1).is_some_and(|own| is_longer(own, part)) =>
            {
                line[at + 1] = words;
            }
            Some(_) => {}
            None => drop(line.splice(1..1, ["--max-time".to_owned(), words])),
        }
    }
}

fn is_longer(own: &str, part: Duration) -> bool {
    own.parse::<Nanos>().is_ok_and(|own| own.as_secs_f64() > part.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(line: &str, share: Share, to_run: usize) -> Vec<String> {
        let mut words = line.split(' ').map(str::to_owned).collect();
        share.for_one_of(to_run).limit(&mut words);
        words
    }

    #[test]
    fn lines_that_can_end_in_time_are_told_to() {
        let hour = Share::of(Duration::from_secs(3600));
        assert_eq!(limited("compare --max-time 8s a b", hour, 2)[1..3], ["--max-time", "8s"]);
        for line in ["compare --max-time 2h a b", "run a"] {
            let words = limited(line, hour, 4);
            let time: Nanos = words[2].parse().unwrap();
            assert!(words[1] == "--max-time" && time.as_secs_f64() <= 900.0, "{words:?}");
        }
        assert_eq!(limited("index --cpu 0", hour, 1), ["index", "--cpu", "0"]);
        assert_eq!(limited("run a", Share::unlimited(), 1), ["run", "a"]);
    }

    #[test]
    fn an_experiment_is_told_its_part() {
        let told = Share::of(Duration::from_secs(3600)).for_one_of(4).words().unwrap();
        let part: Nanos = Nanos::with_unit(&told).unwrap();
        assert!((1.0..=900.0).contains(&part.as_secs_f64()), "{told}");
        assert_eq!(Share::of(Duration::ZERO).for_one_of(0).words().unwrap(), "1ms");
        assert_eq!(Share::unlimited().for_one_of(4).words(), None);
    }

    #[test]
    fn a_share_that_is_over_begins_nothing_more() {
        let over = Share::of(Duration::ZERO);
        assert!(over.over().is_some_and(|why| why.contains("--max-time")));
        assert!(over.ends_before(ROUNDS_MIN) && !over.ends_before(ROUNDS_MIN - 1), "fewer make no interval");
        let hour = Share::of(Duration::from_secs(3600));
        assert!(hour.over().is_none() && !hour.ends_before(ROUNDS_MIN));
        assert!(Share::unlimited().over().is_none() && !Share::unlimited().ends_before(100));
    }
}
