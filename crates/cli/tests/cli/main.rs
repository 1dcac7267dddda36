//! The whole binary, run as a user runs it: its output, its stored results, and its exit codes.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "these tests start the binary and the tools around it by themselves, and say why they skip"
)]

mod accessibility;
mod bad_input;
mod bad_store;
mod bounds;
mod build;
mod calibrate;
mod ci;
mod commits;
mod common;
mod compare;
mod completions;
mod condition;
mod contend;
mod control;
mod counters;
mod defaults;
mod doctor;
mod duet;
mod ending;
mod events;
mod evidence;
mod explain;
mod fleet;
mod from_others;
mod hangup;
mod history;
mod index;
mod inherits;
mod init;
mod interrupt;
mod lab;
mod lab_records;
mod latency;
mod limit;
mod load;
mod made_up;
mod manual;
mod misbehaviour;
mod mistakes;
mod options;
mod people;
mod placement;
mod profile;
mod profile_runs;
mod pty;
mod rates;
mod refusals;
mod regions;
#[path = "../../src/registry.rs"]
#[expect(dead_code, reason = "the program alone starts the verbs that the list has")]
mod registry;
mod reports;
mod restore;
mod run;
mod shown;
mod simulated;
mod spared;
mod store;
mod suite;
mod suite_failures;
mod surroundings;
mod sweep;
mod table;
mod temporary;
mod terminal;
mod tools;
mod topo;
mod tune;
mod tune_refusals;
mod usage;
mod why;
mod words;
