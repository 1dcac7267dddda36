//! A child process under a stated condition.
