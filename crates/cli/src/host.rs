//! The functions that this program provides to verbs in crates of their own: store, reports and messages.

use std::path::Path;

use fauxplat_experiment::{Beginning, Failure, Finished, Machine};
use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Definition, Evidence};
use fauxplat_options::{EndArgs, OutputArgs};
use fauxplat_report::Format;
use fauxplat_store::Store;
use fauxplat_verb::Host;

use crate::{begin, inspection, output};

pub(crate) struct Terminal;

impl Host for Terminal {
    fn beginning<'a>(
        &self,
        kind: &'static str,
        (definition, machine): (Definition, Machine),
        options: (&OutputArgs, &EndArgs),
        invocation: &'a [String],
    ) -> Result<Beginning<'a>, Failure> {
        begin::beginning(kind, definition, machine, options, invocation)
    }

    fn conclude(
        &self,
        finished: Finished,
        output: &OutputArgs,
        answer: Result<(), Failure>,
    ) -> Result<(), Failure> {
        begin::conclude(finished, output, answer)
    }

    fn show(&self, findings: &Findings, output: &OutputArgs, invocation: &[String]) -> Result<(), Failure> {
        inspection::report(&inspection::header(Path::new("/"), invocation), findings, output)
    }

    fn history(&self, output: &OutputArgs) -> Result<Store, Failure> {
        begin::history(output)
    }

    fn store(&self, output: &OutputArgs) -> Result<Store, Failure> {
        begin::store(output)
    }

    fn try_files(&self, output: &OutputArgs) -> Result<(), Failure> {
        output::try_files(output)
    }

    fn report(
        &self,
        record: &Record<'_>,
        evidence: &dyn Fn(Format) -> Vec<Evidence>,
        output: &OutputArgs,
    ) -> Result<(), Failure> {
        output::try_files(output)?;
        output::report(record, evidence, &|_| true, output)
    }

    fn lines(&self, text: &str, output: &OutputArgs) -> Result<(), Failure> {
        output::lines(text, output)
    }

    fn list(&self, headings: &[&str], rows: &[Vec<String>], output: &OutputArgs) -> Result<(), Failure> {
        output::list(headings, rows, output)
    }

    fn perform(&self, words: &[String]) -> Result<(), Failure> {
        crate::further(words)
    }

    fn complain(&self, line: &str) {
        output::complain(line);
    }
}
