//! Chores of the workspace that are neither build nor test.

fn main() {}
