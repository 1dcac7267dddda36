//! Plan and samples become findings.
