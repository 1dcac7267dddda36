//! The interface between a verb (a subcommand of fauxplat) that has its own crate and the program that offers it.

use clap::{ArgMatches, Command};
use fauxplat_experiment::{Beginning, Failure, Finished, Machine};
use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Definition, Evidence};
pub use fauxplat_options::Group;
use fauxplat_options::{EndArgs, OutputArgs};
use fauxplat_report::{Format, OwnReport};
use fauxplat_store::Store;

pub trait Verb: Sync {
    /// The group under which the overview of all verbs lists the verb.
    fn group(&self) -> Group;

    /// The name, the question that the verb answers, its options, examples and exit codes.
    fn command(&self) -> Command;

    /// Whether the verb measures programs. If so, Ctrl-C ends the measurement in order and keeps the runs so far.
    fn measures(&self) -> bool;

    /// Whether the verb takes command lines to run and options for them. Only such verbs accept options as other
    /// benchmark tools spell them.
    fn takes_commands(&self) -> bool {
        false
    }

    /// Options of other tools that the verb does not have, and what to type instead: lines of the form `VERB | OPTIONS |
    /// ADVICE`, of which the first one that fits is told.
    fn foreign(&self) -> &'static str {
        ""
    }

    /// The options given for the end of an experiment; `None` if the verb has no such options.
    fn end(&self, given: &ArgMatches) -> Option<EndArgs>;

    /// Does the work of the verb.
    ///
    /// # Errors
    /// Returns the failure that decides the exit code.
    fn run(&self, given: &ArgMatches, host: &dyn Host, invocation: &[String]) -> Result<(), Failure>;

    /// The reports of the documents that the verb writes.
    fn reports(&self) -> Vec<&'static dyn OwnReport>;
}

pub trait Host {
    /// Prepares the store, the progress line and the other parts with which an experiment of this kind begins. The
    /// report formats are checked and the report files tried beforehand, so that nothing is measured whose report
    /// cannot be written.
    ///
    /// # Errors
    /// Fails if the store cannot be opened or a report could not be written.
    fn beginning<'a>(
        &self,
        kind: &'static str,
        what: (Definition, Machine),
        options: (&OutputArgs, &EndArgs),
        invocation: &'a [String],
    ) -> Result<Beginning<'a>, Failure>;

    /// Stores and reports a finished experiment. `answer` is the result of its gates, which decides the exit code also
    /// where the report or the store cannot be written.
    ///
    /// # Errors
    /// Returns the error that ended the experiment early or the one of the answer, or fails if the report or the store
    /// cannot be written.
    fn conclude(
        &self,
        finished: Finished,
        output: &OutputArgs,
        answer: Result<(), Failure>,
    ) -> Result<(), Failure>;

    /// Reports findings for which no command ran, such as an analysis of stored results.
    ///
    /// # Errors
    /// Fails if the report cannot be written.
    fn show(&self, findings: &Findings, output: &OutputArgs, invocation: &[String]) -> Result<(), Failure>;

    /// Opens the store that the options name, to read earlier results. No store is created.
    ///
    /// # Errors
    /// Fails if there is no such store or it cannot be opened.
    fn history(&self, output: &OutputArgs) -> Result<Store, Failure>;

    /// Opens the store that the options name, to add experiments, and creates it if it does not exist.
    ///
    /// # Errors
    /// Fails if the options switch the store off or it cannot be opened.
    fn store(&self, output: &OutputArgs) -> Result<Store, Failure>;

    /// Tries the files of all reports, before work whose report could not be written.
    ///
    /// # Errors
    /// Fails for the first file that cannot be opened, or that two reports would share.
    fn try_files(&self, output: &OutputArgs) -> Result<(), Failure>;

    /// Reports an earlier experiment. `evidence` returns the evidence that a format can show.
    ///
    /// # Errors
    /// Fails if the report cannot be written.
    fn report(
        &self,
        record: &Record<'_>,
        evidence: &dyn Fn(Format) -> Vec<Evidence>,
        output: &OutputArgs,
    ) -> Result<(), Failure>;

    /// Writes lines unchanged to the place that the options name for the report.
    ///
    /// # Errors
    /// Fails if the lines cannot be written.
    fn lines(&self, text: &str, output: &OutputArgs) -> Result<(), Failure>;

    /// Writes a list, one line per row, to the place that the options name for the report.
    ///
    /// # Errors
    /// Fails if the list cannot be written.
    fn list(&self, headings: &[&str], rows: &[Vec<String>], output: &OutputArgs) -> Result<(), Failure>;

    /// Carries out another command line of fauxplat; its first word is the name of the program.
    ///
    /// # Errors
    /// Fails with the error of the verb, or with a usage error for a line that cannot be parsed.
    fn perform(&self, words: &[String]) -> Result<(), Failure>;

    /// Prints a message for the user to standard error.
    fn complain(&self, line: &str);
}
