//! From options to the definition of the comparison.

use fauxplat_experiment::{Failure, Machine};
use fauxplat_model::{Definition, Estimand};
use fauxplat_options::define;

use crate::args::WhyArgs;

/// Part of the time that the comparison may take; the rest is for the experiments after it.
const FOR_THE_VERDICT: f64 = 0.35;

/// Seconds after which an undecided comparison may end.
const PATIENCE_S: f64 = 30.0;

/// The definition of two commands, whose wall time decides.
///
/// # Errors
/// Options that contradict each other, or are about something else than two programs that are timed.
pub(crate) fn definition(args: &WhyArgs, machine: &Machine) -> Result<Definition, Failure> {
    let mut definition = define::definition(&args.commands, &args.condition, machine)?;
    let rule = &mut definition.rule;
    rule.level = args.level.unwrap_or(rule.level);
    rule.margin = args.margin.unwrap_or(rule.margin);
    let longest_s = args.max_time.as_secs_f64() * FOR_THE_VERDICT;
    rule.max_time_s = Some(longest_s);
    // An undecided comparison goes on as long as that of `compare` does.
    rule.at_least_s = Some(longest_s.min(PATIENCE_S));
    let (condition, rule) = (&definition.condition, &definition.rule);
    let unfit = |what: &str| Err(Failure::usage(format!("why {what}")));
    match () {
        () if definition.commands.len() != 2 || !definition.parameters.is_empty() => {
            unfit("explains the difference of two commands: give two, without parameter lists")
        }
        () if condition.simulate.is_some() => {
            unfit("times real runs, and simulates where that tells more: leave --simulated out")
        }
        () if !definition.tables.is_empty()
            || !definition.printed.is_empty()
            || !definition.regions.is_empty()
            || definition.control.is_some() =>
        {
            unfit("explains wall time: leave --table, --metric-from, --region and --control out")
        }
        () if rule.duet || rule.sessions.is_some() || rule.estimand == Estimand::Mean || rule.anytime => {
            unfit("judges typical runs, side by side: leave other rules of the definition out")
        }
        () => Ok(definition),
    }
}
