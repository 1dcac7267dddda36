//! The fauxplat command.

fn main() {}
