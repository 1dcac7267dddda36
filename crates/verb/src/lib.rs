//! The seam between a verb that is a crate of its own and the program that lists it.
//!
//! A verb brings its name, its options, what it does, and the reports of its documents. The program brings what verbs
//! share: the beginning of an experiment with its store and its progress line, the end with its reports, and the terminal.

use clap::{ArgMatches, Command};
use fauxplat_experiment::{Beginning, Failure, Finished, Machine};
use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Definition, Evidence};
pub use fauxplat_options::Group;
use fauxplat_options::{EndArgs, OutputArgs};
use fauxplat_report::{Format, OwnReport};
use fauxplat_store::Store;

/// A verb in a crate of its own.
pub trait Verb: Sync {
    /// The question of the overview to which the verb belongs.
    fn group(&self) -> Group;

    /// The name, the question that the verb answers, its options, examples and exit codes.
    fn command(&self) -> Command;

    /// Whether the verb measures. Ctrl-C then ends it in order, with what it has.
    fn measures(&self) -> bool;

    /// Whether the verb takes commands and the options about them, which other tools spell differently.
    fn takes_commands(&self) -> bool {
        false
    }

    /// The options for the end of an experiment; `None` where the verb has none.
    fn end(&self, given: &ArgMatches) -> Option<EndArgs>;

    /// Does what the verb is for.
    ///
    /// # Errors
    /// Whatever decides the exit code: see [`Failure`].
    fn run(&self, given: &ArgMatches, host: &dyn Host, invocation: &[String]) -> Result<(), Failure>;

    /// The reports of the documents that belong to the verb.
    fn reports(&self) -> Vec<&'static dyn OwnReport>;
}

/// The program around a verb.
pub trait Host {
    /// The parts with which an experiment begins. The formats of its reports are checked and their files tried, so that
    /// nothing is measured whose report cannot be written.
    ///
    /// # Errors
    /// The store cannot be opened, or a report could not be written.
    fn beginning<'a>(
        &self,
        kind: &'static str,
        what: (Definition, Machine),
        options: (&OutputArgs, &EndArgs),
        invocation: &'a [String],
    ) -> Result<Beginning<'a>, Failure>;

    /// Reports a finished experiment.
    ///
    /// # Errors
    /// The error that ended the experiment before its time; the report or the store could not be written.
    fn conclude(&self, finished: Finished, output: &OutputArgs) -> Result<(), Failure>;

    /// Reports findings of something that was only read: no command ran.
    ///
    /// # Errors
    /// The report could not be written.
    fn show(&self, findings: &Findings, output: &OutputArgs, invocation: &[String]) -> Result<(), Failure>;

    /// Opens the store of the options to read earlier results; nothing is created.
    ///
    /// # Errors
    /// There is no such store, or it cannot be opened.
    fn history(&self, output: &OutputArgs) -> Result<Store, Failure>;

    /// Opens the store of the options to add experiments, and creates it if need be.
    ///
    /// # Errors
    /// There is to be none, or it cannot be opened.
    fn store(&self, output: &OutputArgs) -> Result<Store, Failure>;

    /// Reports an earlier experiment, each format with the evidence that it has room for.
    ///
    /// # Errors
    /// The report could not be written.
    fn report(
        &self,
        record: &Record<'_>,
        evidence: &dyn Fn(Format) -> Vec<Evidence>,
        output: &OutputArgs,
    ) -> Result<(), Failure>;

    /// Writes lines as they are to where the options have the report.
    ///
    /// # Errors
    /// They could not be written.
    fn lines(&self, text: &str, output: &OutputArgs) -> Result<(), Failure>;

    /// Writes a list with one line for each row to where the options have the report.
    ///
    /// # Errors
    /// The list could not be written.
    fn list(&self, headings: &[&str], rows: &[Vec<String>], output: &OutputArgs) -> Result<(), Failure>;

    /// Carries out another command line of the program, whose first word is the program.
    ///
    /// # Errors
    /// The error of the verb, or a usage error for a line that cannot be parsed.
    fn perform(&self, words: &[String]) -> Result<(), Failure>;

    /// A message to the user on standard error.
    fn complain(&self, line: &str);
}
