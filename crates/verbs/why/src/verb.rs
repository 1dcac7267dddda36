//! The verb `why`, as the program lists it.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use fauxplat_experiment::{Driver, Failure, Machine};
use fauxplat_model::document::{Findings, OwnFindings};
use fauxplat_model::{Comparison, Verdict};
use fauxplat_options::{EndArgs, Group, after};
use fauxplat_report::OwnReport;
use fauxplat_verb::{Host, Verb};

use crate::analysis::{Chain, explain};
use crate::args::{EXAMPLES, WhyArgs};
use crate::definition::definition;
use crate::findings::{Answer, Compared, SCHEMA, WhyFindings};
use crate::measure::{Measured, measure};
use crate::report::{WhyReport, summary};

/// The verb.
#[derive(Debug)]
pub struct Why;

/// Name of the verb.
const NAME: &str = "why";

impl Verb for Why {
    fn group(&self) -> Group {
        Group::Moved
    }

    fn command(&self) -> Command {
        let command = Command::new(NAME).about("What made it slower, where, and what did not?");
        WhyArgs::augment_args(command).after_help(after(EXAMPLES))
    }

    fn measures(&self) -> bool {
        true
    }

    fn takes_commands(&self) -> bool {
        true
    }

    fn end(&self, given: &ArgMatches) -> Option<EndArgs> {
        EndArgs::from_arg_matches(given).ok()
    }

    fn run(&self, given: &ArgMatches, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
        let args = WhyArgs::from_arg_matches(given).map_err(Failure::usage)?;
        let machine = Machine::here();
        let definition = definition(&args, &machine)?;
        let what = (definition, machine);
        let mut driver =
            Driver::of_commands(host.beginning(NAME, what, (&args.output, &args.end), invocation)?)?;
        let measured = match measure(&mut driver, &args) {
            Ok(measured) => measured,
            Err(failure) => return host.conclude(driver.give_up(failure), &args.output),
        };
        let found = findings(measured, &driver);
        let findings = Findings::Own(OwnFindings::new(SCHEMA, &found).map_err(Failure::machine)?);
        host.conclude(driver.finish(findings, None), &args.output)
    }

    fn reports(&self) -> Vec<&'static dyn OwnReport> {
        vec![&WhyReport]
    }
}

/// The findings of what was measured.
fn findings(measured: Measured, driver: &Driver) -> WhyFindings {
    let Measured { found, evidence, slower, experiments, again } = measured;
    let comparison = found.comparisons.first();
    let chain = evidence.as_ref().map(explain).unwrap_or_default();
    let [a, b] = &driver.commands[..] else { return WhyFindings::default() };
    let are_same = a.program_sha256.as_ref().zip(b.program_sha256.as_ref());
    // Where it was interrupted at once there is no ratio.
    let is_told = |it: &&Comparison| {
        [it.effect_ratio, it.ci_low_ratio, it.ci_high_ratio].iter().all(|ratio| ratio.is_finite())
    };
    let compared = comparison.filter(is_told).map(|it| Compared {
        verdict: it.verdict,
        ratio: it.effect_ratio,
        low_ratio: it.ci_low_ratio,
        high_ratio: it.ci_high_ratio,
        pairs: it.pairs,
        level: it.level,
        margin: it.margin,
        is_in_some_runs: it.is_told_by_its_tail(),
    });
    let (again_ns, again_after_s) = again.unzip();
    let answer = answer(comparison.map(|it| it.verdict), &chain, again_ns);
    let Chain { difference, causes, unexplained, would_tell, excluded, conditions, counts, functions } =
        chain;
    // A difference that has gone has no cause.
    let causes = if answer == Answer::Vanished { Vec::new() } else { causes };
    let mut found = WhyFindings {
        summary: String::new(),
        answer,
        programs: [a.name.clone(), b.name.clone()],
        slower,
        are_same: are_same.map(|(first, second)| first == second && a.argv.get(1..) == b.argv.get(1..)),
        compared,
        more_ns: difference.as_ref().map(|it| it.whole),
        parts: difference.map_or(Vec::new(), |it| it.parts),
        unexplained,
        causes,
        would_tell,
        excluded,
        conditions,
        counts,
        functions,
        experiments,
        again_ns,
        again_after_s,
        is_interrupted: driver.is_interrupted(),
        elapsed_s: driver.elapsed_s(),
    };
    found.summary = summary(&found);
    found
}

/// Share of the difference below which, at the end, it has gone.
const GONE: f64 = 0.3;

fn answer(verdict: Option<Verdict>, chain: &Chain, again: Option<crate::amount::Amount>) -> Answer {
    let whole_ns = chain.difference.as_ref().map_or(0.0, |it| it.whole.value);
    // Pairs after the verdict that show none of it are as good as none at the end.
    let is_gone = chain.difference.is_some() && whole_ns <= 0.0
        || again.is_some_and(|again| again.high < GONE * whole_ns);
    match verdict {
        Some(Verdict::Different) if is_gone => Answer::Vanished,
        Some(Verdict::Different) if !chain.causes.is_empty() => Answer::Cause,
        Some(Verdict::Different) => Answer::Unexplained,
        Some(Verdict::Equivalent) => Answer::Equivalent,
        _ => Answer::Undecided,
    }
}
