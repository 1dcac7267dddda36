//! Executes a plan and hands over each sample as it lands.
