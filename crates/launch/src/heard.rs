//! What of the user's wishes to stop somebody has heard.

/// How often the user had asked to stop, as far as whoever waits for a launcher has heard of it; how often that is by now,
/// [`Launcher::stops`](crate::Launcher::stops) says. Whoever keeps one acts upon each wish once: it aborts what is
/// under way, and not what is begun after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard(u32);

impl Heard {
    /// Nothing: whatever was wished already is still to be acted upon.
    pub fn nothing() -> Self {
        Heard(0)
    }

    /// Everything until now. What is begun now takes place although the user asked to stop, and ends when that is asked
    /// once more.
    pub fn so_far(stops: u32) -> Self {
        Heard(stops)
    }

    /// Whether there is a wish that was not heard of.
    pub fn is_behind(self, stops: u32) -> bool {
        stops > self.0
    }

    /// The same, and it is heard now.
    pub fn anew(&mut self, stops: u32) -> bool {
        let is_behind = self.is_behind(stops);
        *self = Heard::so_far(stops);
        is_behind
    }
}
