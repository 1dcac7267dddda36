//! The executor on simulated machines: its requests, the samples that it passes on, and how it ends.

mod any_machine;
mod endings;
mod runs;
mod script;
