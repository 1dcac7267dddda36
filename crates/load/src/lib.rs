//! Disturbances.
