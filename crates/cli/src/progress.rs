//! The progress line on standard error, for a terminal only.

use std::io::IsTerminal;
use std::time::Duration;

use fauxplat_experiment::{Event, Listener, Standing};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress line with the time left.
pub(crate) struct Progress {
    bar: ProgressBar,
}

/// The bar counts in thousandths.
const FULL: u64 = 1000;

impl Progress {
    /// Nothing where nobody would see it.
    pub(crate) fn new(quiet: bool) -> Option<Self> {
        let seen = !quiet && std::io::stderr().is_terminal();
        seen.then(|| Progress { bar: bar() })
    }

    fn show(&self, standing: &Standing) {
        self.bar.set_position((standing.share.clamp(0.0, 1.0) * FULL as f64) as u64);
        // Before that the time left is a guess.
        if self.bar.elapsed() > Duration::from_millis(100) {
            self.bar.set_message(standing.words.clone());
        }
    }
}

impl Listener for Progress {
    fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Progress(standing) => self.show(standing),
            Event::Finished { .. } => self.bar.finish_and_clear(),
            _ => {}
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
