//! Counts the user's requests to stop that have been acted upon.

/// Number of requests to stop that a waiting caller has acted upon; [`Launcher::stops`](crate::Launcher::stops) has the
/// number of all requests so far. A caller that keeps this number acts upon each request once: a request aborts the run
/// under way, and none that begins later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard(u32);

impl Heard {
    /// Starts with no request acted upon, so that requests made before now are acted upon too.
    pub fn nothing() -> Self {
        Heard(0)
    }

    /// Counts all `stops` requests so far as acted upon. A run that begins now takes place although the user asked to
    /// stop before, and only a further request ends it.
    pub fn so_far(stops: u32) -> Self {
        Heard(stops)
    }

    /// Whether any of the `stops` requests to stop has not been acted upon.
    pub fn is_behind(self, stops: u32) -> bool {
        stops > self.0
    }

    /// Returns whether any of the `stops` requests to stop has not been acted upon, and marks all of them as acted
    /// upon.
    pub fn anew(&mut self, stops: u32) -> bool {
        let is_behind = self.is_behind(stops);
        *self = Heard::so_far(stops);
        is_behind
    }
}
