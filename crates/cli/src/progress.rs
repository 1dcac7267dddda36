//! The progress line on standard error, for a terminal only.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress line with the time left, or nothing where nobody would see it.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
}

/// The bar counts in thousandths.
const FULL: u64 = 1000;

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        let seen = !quiet && std::io::stderr().is_terminal();
        Progress { bar: seen.then(bar) }
    }

    /// Shows how far the work has come: a share of one, and a few words.
    pub(crate) fn show(&self, share: f64, words: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_position((share.clamp(0.0, 1.0) * FULL as f64) as u64);
            // Words cost an allocation, so they are made only when the line is drawn anew.
            if bar.elapsed() > Duration::from_millis(100) {
                bar.set_message(words());
            }
        }
    }

    /// Takes the line away.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    // Ten redraws a second are plenty, and each takes CPU time beside the measured command.
    let target = ProgressDrawTarget::stderr_with_hz(10);
    let bar = ProgressBar::with_draw_target(Some(FULL), target);
    let style = ProgressStyle::with_template("{wide_bar:.cyan} {percent:>3} %  {msg}  {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
