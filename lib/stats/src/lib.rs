//! Paired, sequential and resampling statistics on slices of numbers.
