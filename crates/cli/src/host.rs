//! The program around verbs that are crates of their own.

use std::path::Path;

use fauxplat_experiment::{Beginning, Failure, Finished, Machine};
use fauxplat_model::Definition;
use fauxplat_model::document::Findings;
use fauxplat_options::{EndArgs, OutputArgs};
use fauxplat_verb::Host;

use crate::{begin, inspection, output};

/// The program at its terminal.
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

    fn conclude(&self, finished: Finished, output: &OutputArgs) -> Result<(), Failure> {
        begin::conclude(finished, output)
    }

    fn show(&self, findings: &Findings, output: &OutputArgs, invocation: &[String]) -> Result<(), Failure> {
        inspection::report(&inspection::header(Path::new("/"), invocation), findings, output)
    }

    fn complain(&self, line: &str) {
        output::complain(line);
    }
}
