//! Earlier results with which a command is compared: from the store, or from files of fauxplat or another tool.

use std::path::Path;

use fauxplat_analyze::summarize_values;
use fauxplat_experiment::measure::baseline::{self, Earlier, check_number, pick};
use fauxplat_experiment::{Failure, open_store};
use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{Command, Comparison, FailIf, GateQuestion, Rule, RunFindings};
use fauxplat_report::{BASELINE_BYTES_MAX, read_baseline};
use fauxplat_store::Store;
use fauxplat_sys::clock;
use fauxplat_sys::text::read_text;

use crate::{inspection, output};
use fauxplat_options::CompareArgs;
use fauxplat_options::define;

/// Reads an experiment of the store by its id, or a file, and returns the readings of the named command in the metrics
/// of a rule.
///
/// # Errors
/// Fails where the results cannot be read, or where none of several commands has the name.
pub(crate) fn earlier(
    store: Option<&Store>,
    results: &str,
    name: &str,
    rule: &Rule,
) -> Result<Earlier, Failure> {
    match is_id(results) {
        true => baseline::from_store(store, results, name, rule),
        false => from_file(results, name, rule),
    }
}

/// Whether the results are named by the number of an experiment in the store (or by `last`), and not by a file.
pub(super) fn is_id(results: &str) -> bool {
    let by_id = results == "last" || results.bytes().all(|byte| byte.is_ascii_digit());
    by_id && !Path::new(results).exists()
}

/// Compares two stored results without running anything. Nothing is measured, so nothing is stored.
///
/// # Errors
/// Fails where the results cannot be compared. The second result is that of writing the report.
pub(crate) fn compare_stored(
    args: &CompareArgs,
    [old, new]: [&str; 2],
    invocation: &[String],
) -> Result<(Vec<Comparison>, Result<(), Failure>), Failure> {
    let store = open_store(args.output.store.as_ref())?;
    let mut rule = Rule::default();
    define::apply_rule(&mut rule, &args.rule)?;
    let open = args.undecided_code.map(|_| GateQuestion::Different);
    rule.gate = FailIf::question(&args.fail_if).or(open);
    rule.fail_if = args.fail_if.clone();
    baseline::check_rule(&rule)?;
    // Without a second name, the first name chooses the command of the new results as well.
    let names = &args.commands.names;
    let name = |at: usize| names.get(at).or(names.first()).map_or("", String::as_str);
    let old = earlier(store.as_ref(), old, name(0), &rule)?;
    let new = earlier(store.as_ref(), new, name(1), &rule)?;
    // Reading the store has registered its metrics with their units and directions, which the rule did not know before.
    rule.renew();
    // The findings apply to the machine of the new results, as far as these name one.
    let mut header = match &new.machine {
        Some(machine) => inspection::header_of(machine.clone(), invocation),
        None => inspection::header(Path::new("/"), invocation),
    };
    header.seed = args.commands.seed.unwrap_or_else(clock::fresh_seed);
    let judged = baseline::stored(store.as_ref(), &rule, [&old, &new], args.other_machine, header.seed)?;
    header.warnings.extend(judged.warnings);
    header.definition.rule = rule;
    let comparisons = judged.findings.comparisons.clone();
    let (commands, findings) = ([command_of(&new)], Findings::Compare(judged.findings));
    let record = Record { header: &header, commands: &commands, samples: &[], findings: &findings };
    Ok((comparisons, output::write(&record, &args.output)))
}

/// The command of earlier results; of results from a file only its name is known.
fn command_of(earlier: &Earlier) -> Command {
    let nameless = || Command { command: earlier.name.clone(), ..Command::default() };
    Command { name: earlier.name.clone(), ..earlier.command.clone().unwrap_or_else(nameless) }
}

/// Reads the readings of the named command from a file.
///
/// # Errors
/// Fails where the file cannot be read, or where none of several commands has the name.
fn from_file(path: &str, name: &str, rule: &Rule) -> Result<Earlier, Failure> {
    let text = read_text(define::or_stdin(Path::new(path)), BASELINE_BYTES_MAX)
        .map_err(|error| Failure::input(format!("--baseline {path}: {error}")))?;
    let series = read_baseline(&text).map_err(|error| Failure::usage(format!("{path}: {error}")))?;
    let names: Vec<String> = series.iter().map(|one| one.name.clone()).collect();
    let chosen = &series[pick(&names, name, path)?];
    let readings = chosen.values.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    check_number(readings, path)?;
    let summaries =
        chosen.values.iter().filter_map(|(metric, values)| summarize_values(values, *metric)).collect();
    let findings = RunFindings { summaries, ..RunFindings::default() };
    let of = |(metric, _)| (metric, chosen.get(metric).unwrap_or_default().to_vec());
    let values = rule.decided().into_iter().map(of).collect();
    let name = format!("{} ({path})", chosen.name);
    Ok(Earlier { name, values, findings, command: None, machine: chosen.machine.clone() })
}
