//! Reads CPUs and machine facts from a root path.
