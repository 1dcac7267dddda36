//! The list of verbs in crates of their own, from which help, completions, manual pages, reports and exit codes are
//! made.

use fauxplat_options::JoinedVerb;
use fauxplat_verb::Verb;

/// The verbs, in the order in which the overview shows them within their group.
const VERBS: &[&dyn Verb] = &[
    &fauxplat_suite::Suite,
    &fauxplat_commits::Bisect,
    &fauxplat_why::Why,
    &fauxplat_doctor::Doctor,
    &fauxplat_latency::Latency,
    &fauxplat_topo::Topo,
    &fauxplat_init::Init,
    &fauxplat_history::History,
];

/// Registers these verbs and their reports, before a command line is parsed or a report is shown.
pub(crate) fn join() {
    fauxplat_options::join(VERBS.iter().map(|verb| joined(*verb)).collect());
    fauxplat_report::know_reports(VERBS.iter().flat_map(|verb| verb.reports()).collect());
}

fn joined(verb: &'static dyn Verb) -> JoinedVerb {
    JoinedVerb {
        group: verb.group(),
        takes_commands: verb.takes_commands(),
        foreign: verb.foreign(),
        command: Box::new(|| verb.command()),
    }
}

pub(crate) fn verb(name: &str) -> Option<&'static dyn Verb> {
    VERBS.iter().copied().find(|verb| verb.command().get_name() == name)
}

#[cfg(test)]
mod tests {
    use fauxplat_report::{Format, ReportError};

    use super::*;

    #[test]
    fn every_format_has_a_verb() {
        join();
        for format in Format::ALL {
            // A format that this verb lacks, which does not exist, names the verbs that have it.
            if let Err(ReportError::NoForm { verbs, .. }) = format.suits("nothing") {
                assert!(!verbs.is_empty(), "no verb writes {format}");
            }
        }
    }
}
