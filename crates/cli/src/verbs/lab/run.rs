//! `fauxplat lab run`: runs labs, judges their claims, and writes their record and pages.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use fauxplat_experiment::{Driver, Failure, Finished, Machine};
use fauxplat_lab::{Bench, Lab, Share, catalog, record};
use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_model::{Definition, LabFindings, LabOutcome, LabResult};
use fauxplat_plan::LabSettings;
use fauxplat_report::Format;
use fauxplat_store::Url;
use fauxplat_sys::signal;
use fauxplat_units::Nanos;

use super::meant;
use crate::begin::{beginning, conclude};
use crate::output;
use fauxplat_options::{Export, HyperfineExports, LabRunArgs, OutputArgs, takes};

pub(crate) fn run(args: &LabRunArgs, invocation: &[String]) -> Result<(), Failure> {
    let labs = labs(args)?;
    try_places(args)?;
    let args = &LabRunArgs { output: absolute(&args.output)?.into(), ..args.clone() };
    let options = passed_on(&args.output);
    let perform = |line: &[String]| crate::perform(&fitting(line, &options));
    let is_quiet = args.output.is_quiet();
    let tell = |line: &str| {
        if !is_quiet {
            output::complain(line)
        }
    };
    let bench = Bench::new(args.keep.as_deref(), options.clone(), &perform, &tell)?;
    let definition = Definition { seed: args.seed, ..Definition::default() };
    let beginning = beginning("lab", definition, Machine::here(), (&args.output, &args.end), invocation)?;
    let driver = Driver::of_workers(beginning)?;
    let mut results = known_already(args, &labs, &driver)?;
    let failed = each(&labs, &bench, (args, &driver), &mut results).err();
    // Results are sorted in the order in which the labs were requested; further labs of an earlier record follow.
    results.sort_by_key(|result| labs.iter().position(|lab| lab.name == result.name).unwrap_or(labs.len()));
    let verdict = verdict(&labs, &results, args.strict);
    let elapsed_s = driver.elapsed_s();
    let finished = driver.finish(Findings::Lab(LabFindings { labs: results, elapsed_s }), failed);
    let kept = kept(&finished, args);
    let answer = Failure::answer_first(kept, verdict.map_or(Ok(()), Err));
    conclude(finished, &args.output, answer)
}

/// Checks that the record and the pages of the labs can be written before hours are spent on measuring.
fn try_places(args: &LabRunArgs) -> Result<(), Failure> {
    if let Some(record) = &args.record {
        output::try_place(record)?;
    }
    let Some(folder) = &args.pages else { return Ok(()) };
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::usage(format!("--pages {}: {error}", folder.display())))?;
    output::try_place(&folder.join("index.html"))
}

/// The requested labs. All of them are read before the first is run, so that a mistake in the last name costs no time.
fn labs(args: &LabRunArgs) -> Result<Vec<Lab>, Failure> {
    let names = if args.all { catalog::names() } else { meant(&args.names) };
    let settings = settings(&args.set)?;
    let labs: Vec<Lab> = names.iter().map(|name| catalog::find(name, &settings)).collect::<Result<_, _>>()?;
    known(&labs, &settings)?;
    Ok(labs)
}

/// Results in the file of `--record` that are still valid: of this machine and version, and of requested labs that have
/// not changed. A device or a pipe has none: reading it could fail or never end.
fn known_already(args: &LabRunArgs, labs: &[Lab], driver: &Driver) -> Result<Vec<LabResult>, Failure> {
    let Some(path) = args.record.as_deref().filter(|path| path.is_file()) else { return Ok(Vec::new()) };
    let header = &driver.header;
    let asked = labs.iter().map(|lab| Ok((lab.name.clone(), lab.digest()?)));
    let asked = asked.collect::<Result<_, Failure>>()?;
    let done = record::read(path)?.done(&header.machine, &header.fauxplat_version, &asked);
    done.map_err(|why| Failure::usage(format!("--record {}: {why}", path.display())))
}

/// Runs the labs that have no result yet. Where time is limited, short labs go first, so that the time that they do not
/// use is left to longer ones.
fn each(
    labs: &[Lab],
    bench: &Bench<'_>,
    (args, driver): (&LabRunArgs, &Driver),
    results: &mut Vec<LabResult>,
) -> Result<(), Failure> {
    let mut open: Vec<&Lab> =
        labs.iter().filter(|lab| !results.iter().any(|known| known.name == lab.name)).collect();
    if args.max_time.is_some() {
        open.sort_by(|a, b| a.definition.seconds.total_cmp(&b.definition.seconds));
    }
    for (at, lab) in open.iter().enumerate() {
        let share = share(args.max_time, driver.elapsed_s(), &open[at..]);
        results.push(bench.run(lab, driver.header.seed, share)?);
        if let Some(path) = &args.record {
            let findings = LabFindings { labs: results.clone(), elapsed_s: driver.elapsed_s() };
            let findings = Findings::Lab(findings);
            let record = Record { header: &driver.header, commands: &[], samples: &[], findings: &findings };
            output::keep(&record, Format::Json, path, &args.output)?;
        }
        if signal::stop_requested() {
            return Err(Failure::machine(format!("lab {}: interrupted", lab.name)));
        }
    }
    Ok(())
}

/// Time for the first of these labs: its share of the remaining time, in proportion to the usual durations of all of
/// them.
fn share(max_time: Option<Nanos>, elapsed_s: f64, open: &[&Lab]) -> Share {
    let Some(all) = max_time else { return Share::unlimited() };
    let left = (all.as_secs_f64() - elapsed_s).max(0.0);
    let usual: Vec<f64> = open.iter().map(|lab| lab.definition.seconds.max(1.0)).collect();
    Share::of(Duration::from_secs_f64(left * usual[0] / usual.iter().sum::<f64>()))
}

/// Writes the record of all results (`--record`) and the pages of the labs (`--pages`), where options ask for them.
fn kept(finished: &Finished, args: &LabRunArgs) -> Result<(), Failure> {
    let whole = finished.record();
    if let Some(path) = &args.record {
        output::keep(&whole, Format::Json, path, &args.output)?;
    }
    let (Some(folder), Findings::Lab(found)) = (&args.pages, whole.findings) else { return Ok(()) };
    let fail = |error| Failure::machine(format!("--pages {}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(fail)?;
    let page = |name: &str, findings: &Findings| {
        let record = Record { findings, ..whole.clone() };
        output::keep(&record, Format::Html, &folder.join(name), &args.output)
    };
    for lab in &found.labs {
        page(&page_of(lab), &Findings::Lab(LabFindings { labs: vec![lab.clone()], ..found.clone() }))?;
    }
    let earlier = earlier(folder, whole.header, found);
    let labs = found.labs.iter().map(brief).chain(earlier).collect();
    let index = Findings::Lab(LabFindings { labs, ..found.clone() });
    page("index.html", &index)?;
    let record = Record { findings: &index, ..whole.clone() };
    output::keep(&record, Format::Json, &folder.join(INDEX), &args.output)
}

/// File in a folder of pages that holds their results as a record, from which a later run reads the labs of earlier
/// runs.
const INDEX: &str = "index.json";

/// Labs of earlier runs whose pages are in the folder, and that were not run again. Where the index of the folder is
/// about another machine or version, its labs are left out with a message.
fn earlier(folder: &Path, header: &Header, found: &LabFindings) -> Vec<LabResult> {
    let index = folder.join(INDEX);
    if !index.exists() {
        return Vec::new();
    }
    let tell = |why: &dyn std::fmt::Display| {
        output::complain(&format!("{}: earlier labs are left out of the index: {why}", index.display()));
        Vec::new()
    };
    let record = match record::read(&index) {
        Ok(record) => record,
        Err(failure) => return tell(&failure),
    };
    let known = record.done(&header.machine, &header.fauxplat_version, &BTreeMap::new());
    let is_there = |lab: &LabResult| {
        found.labs.iter().all(|run| run.name != lab.name) && folder.join(page_of(lab)).exists()
    };
    known.map_or_else(|why| tell(&why), |labs| labs.iter().filter(|lab| is_there(lab)).map(brief).collect())
}

/// The result of a lab for a report of several labs: without the detailed account, which is on the lab's own page.
fn brief(lab: &LabResult) -> LabResult {
    LabResult { story: Vec::new(), page: Some(format!("./{}", page_of(lab))), ..lab.clone() }
}

/// File name of a lab's page. Characters that would end the path of a link to it are replaced.
fn page_of(lab: &LabResult) -> String {
    let name: String = lab.name.chars().map(|c| if "%?#".contains(c) { '_' } else { c }).collect();
    format!("{name}.html")
}

/// The error with which the verb ends: the first requested lab that is faulty, or, with `--strict`, the first whose
/// claim was not reproduced; `None` otherwise.
fn verdict(labs: &[Lab], results: &[LabResult], is_strict: bool) -> Option<Failure> {
    let asked = || results.iter().filter(|result| labs.iter().any(|lab| lab.name == result.name));
    let wrong = asked().find_map(wrong).map(Failure::command);
    wrong.or_else(|| asked().find_map(missed).filter(|_| is_strict).map(Failure::gate))
}

/// The message about a lab one of whose claims ended in an error; `None` if there is none.
fn wrong(lab: &LabResult) -> Option<String> {
    let claim = lab.claims.iter().find(|claim| claim.outcome == Some(LabOutcome::Error))?;
    let reason = claim.reason.as_deref().unwrap_or_default();
    Some(format!("lab {}, claim {}: {reason}", lab.name, claim.name))
}

/// The output options with absolute paths, since the command lines of a lab run in another folder.
fn absolute(output: &OutputArgs) -> Result<OutputArgs, Failure> {
    let absolute = |path: &Path| {
        // Standard output is the same in every folder.
        if path == Path::new("-") {
            return Ok(path.to_owned());
        }
        std::path::absolute(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
    };
    let mut output = output.clone();
    output.output = output.output.as_deref().map(absolute).transpose()?;
    let exports = output.exports().into_iter();
    output.export = exports
        .map(|export| Ok(Export { file: absolute(&export.file)?, ..export }))
        .collect::<Result<_, Failure>>()?;
    output.hyperfine = HyperfineExports::default();
    let is_path = |store: &Path| store.as_os_str() != "none" && !store.to_str().is_some_and(Url::is_one);
    if output.store.as_deref().is_some_and(is_path) {
        output.store = output.store.as_deref().map(absolute).transpose()?;
    }
    Ok(output)
}

/// The output options that are added to every command line of a lab.
fn passed_on(output: &OutputArgs) -> Vec<String> {
    let store = output.store.iter().flat_map(|store| ["--store".to_owned(), store.display().to_string()]);
    store.chain(output.quiet.then(|| "--quiet".to_owned())).collect()
}

/// A command line of a lab without those of the added options that the line's verb does not take.
fn fitting(line: &[String], options: &[String]) -> Vec<String> {
    let Some(at) = line.windows(options.len().max(1)).position(|words| words == options) else {
        return line.to_vec();
    };
    let takes = |name: &str| takes(line, name.trim_start_matches('-'));
    let mut fit: Vec<String> = Vec::new();
    let mut words = options.iter().peekable();
    while let Some(option) = words.next() {
        let value = words.next_if(|next| !next.starts_with("--"));
        if takes(option) {
            fit.push(option.clone());
            fit.extend(value.cloned());
        }
    }
    [&line[..at], &fit, &line[at + options.len()..]].concat()
}

/// The message of `--strict` about a lab with a claim that was not reproduced; `None` if all were.
fn missed(lab: &LabResult) -> Option<String> {
    let claim = lab.claims.iter().find(|claim| claim.outcome != Some(LabOutcome::Reproduced))?;
    let words = claim.outcome.map_or("not run", LabOutcome::words);
    Some(format!("--strict: {}: {}: {words}", lab.name, claim.name))
}

/// Parses the words of `--set`, each of the form `NAME=VALUE,VALUE…`.
fn settings(given: &[String]) -> Result<LabSettings, Failure> {
    let one = |text: &String| {
        let (name, values) = text.split_once('=').unwrap_or((text, ""));
        let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
        match name.is_empty() || values.iter().any(String::is_empty) {
            true => Err(Failure::usage(format!("--set {text}: it takes NAME=VALUE, or NAME=VALUE,VALUE…"))),
            false => Ok((name.to_owned(), values)),
        }
    };
    given.iter().map(one).collect()
}

/// Refuses a setting of `--set` that no requested lab has as an option.
fn known(labs: &[Lab], settings: &LabSettings) -> Result<(), Failure> {
    let options = || labs.iter().flat_map(|lab| lab.definition.options.keys());
    let Some(name) = settings.keys().find(|name| !options().any(|known| known == *name)) else {
        return Ok(());
    };
    let known: Vec<&str> = options().map(String::as_str).collect();
    let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
    Err(Failure::usage(format!("--set {name}: what may be set here is {known}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gets_what_its_verb_takes() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let options = words("--store s --quiet");
        let fit = |line: &str| fitting(&words(line), &options).join(" ");
        let whole = "fauxplat run true --format json --store s --quiet";
        assert_eq!(fit(whole), whole);
        assert_eq!(fit("fauxplat topo --format json --store s --quiet"), "fauxplat topo --format json");
        assert_eq!(fit("fauxplat topo pick all --store s --quiet"), "fauxplat topo pick all --quiet");
        assert_eq!(fit("fauxplat tune x --store s --quiet --for y"), "fauxplat tune x --for y");
        assert_eq!(fit("fauxplat topo"), "fauxplat topo");
    }
}
