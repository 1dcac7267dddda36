//! Definitions become seeded, ordered plans.
