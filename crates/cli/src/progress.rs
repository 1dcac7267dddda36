//! The progress display on standard error, for terminals only: a line that is redrawn, or a line of words every ten
//! seconds where the terminal cannot redraw.

use std::io::IsTerminal;
use std::time::Duration;

use fauxplat_experiment::{Event, Listener, Standing};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output;
use fauxplat_options::OutputArgs;

pub(crate) struct Progress {
    bar: ProgressBar,
    /// Whether the experiment may end long before its limits, because it may be decided earlier.
    may_end_early: bool,
    /// Elapsed time and share of the work done when the first measured runs had finished; the remaining time is
    /// estimated from the rate since then. `None` before.
    begun: Option<(Duration, f64)>,
    /// Elapsed time at which the next line of words is due; `None` on terminals that can redraw.
    next_line: Option<Duration>,
}

/// Length of the bar, in thousandths of the work.
const FULL: u64 = 1000;

/// Interval between lines of words, which a screen reader may read aloud.
const LINES_EVERY: Duration = Duration::from_secs(10);

/// Elapsed time before which the remaining time would be a guess.
const GUESSING: Duration = Duration::from_millis(200);

impl Progress {
    /// The display of a new experiment; `None` where standard error is no terminal or the options ask for no messages.
    pub(crate) fn new(output: &OutputArgs) -> Option<Self> {
        let is_seen = !output.is_quiet() && std::io::stderr().is_terminal();
        let is_redrawn = output::can_redraw();
        is_seen.then(|| Progress {
            bar: if is_redrawn { bar(output) } else { ProgressBar::hidden() },
            may_end_early: false,
            begun: None,
            next_line: (!is_redrawn).then_some(LINES_EVERY),
        })
    }

    fn show(&mut self, standing: &Standing) {
        let (share, elapsed) = (standing.share.clamp(0.0, 1.0), self.bar.elapsed());
        let (begun, first) = *self.begun.get_or_insert((elapsed, share));
        if first == 0.0 && share > 0.0 && self.bar.position() == 0 {
            self.begun = Some((elapsed, share));
        }
        let left = time_left(elapsed.saturating_sub(begun), share - first, 1.0 - share);
        let text = match left {
            Some(left) => format!("{}{}: {}", self.bound(), words(left), standing.words),
            None => standing.words.clone(),
        };
        if self.next_line.is_some_and(|next| elapsed >= next) {
            self.next_line = Some(elapsed + LINES_EVERY);
            output::complain(&text);
        }
        self.bar.set_message(text);
        self.bar.set_position(self.bar.position().max((share * FULL as f64) as u64));
    }

    fn bound(&self) -> &'static str {
        if self.may_end_early { "at most " } else { "" }
    }
}

/// Remaining time for the share `rest` of the work, if the share `done` took the time `elapsed`; `None` while that time
/// is too short for an estimate.
fn time_left(elapsed: Duration, done: f64, rest: f64) -> Option<Duration> {
    let is_known = done > 0.0 && elapsed >= GUESSING;
    is_known.then(|| Duration::try_from_secs_f64(elapsed.as_secs_f64() * rest / done).ok()).flatten()
}

fn words(left: Duration) -> String {
    format!("{} left", HumanDuration(left))
}

impl Listener for Progress {
    fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Begun { kind, .. } => {
                self.may_end_early = matches!(*kind, "compare" | "aa" | "sweep");
                self.bar.set_message("the first run");
            }
            Event::Progress(standing) => self.show(standing),
            Event::Finished { .. } => self.bar.finish_and_clear(),
            _ => {}
        }
    }
}

/// Least width of a terminal for the bar; narrower terminals show only the words.
const COLUMNS_OF_A_BAR: usize = 60;

fn bar(output: &OutputArgs) -> ProgressBar {
    // Ten redraws a second are enough, and each takes CPU time beside the measured command.
    let target = ProgressDrawTarget::stderr_with_hz(10);
    let bar = ProgressBar::with_draw_target(Some(FULL), target);
    let style = output::style(output, true);
    let template = match style.width < COLUMNS_OF_A_BAR {
        true => "{percent:>3} %  {wide_msg}",
        false => "{bar:16} {percent:>3} %  {wide_msg}",
    };
    let drawn = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(drawn.progress_chars(if style.unicode { "█░" } else { "#-" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_goes_by_what_was_done() {
        let second = Duration::from_secs(1);
        assert_eq!(time_left(second, 0.25, 0.75), Some(3 * second));
        assert_eq!(time_left(second, 0.0, 1.0), None, "nothing was done yet");
        assert_eq!(time_left(Duration::from_millis(1), 0.5, 0.5), None, "too early");
        assert_eq!(time_left(second, 1e-300, 1.0), None, "longer than can be said");
        assert_eq!(words(Duration::from_secs(45)), "45 seconds left");
    }
}
