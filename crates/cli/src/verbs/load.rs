//! `fauxplat load`: disturbs chosen CPUs by a known amount.

use std::time::Duration;

use fauxplat_load::Loads;
use fauxplat_model::document::Findings;
use fauxplat_model::{Condition, EnvPad, LoadAccount, LoadFindings, Placement};
use fauxplat_sys::signal;
use fauxplat_units::CpuSet;

use crate::args::LoadArgs;
use crate::failure::Failure;
use crate::workshop::Workshop;

/// Time between two looks at the clock, the flag and the generators.
const LOOK: Duration = Duration::from_millis(50);

/// Holds the loads, and reports what they did.
pub(crate) fn load(args: &LoadArgs, invocation: &[String]) -> Result<(), Failure> {
    let condition = Condition {
        cpu: Placement::Free,
        env_pad: EnvPad::None,
        load: args.loads.clone(),
        ..Condition::default()
    };
    let mut workshop = Workshop::begin("load", condition, None, &args.output, invocation)?;
    hold(&mut workshop, args)?;
    let elapsed_s = workshop.elapsed_s();
    workshop.end_loads();
    let generators = std::mem::take(&mut workshop.header.condition.loaded);
    let places: CpuSet = generators.iter().filter_map(|account| account.cpu).collect();
    workshop.header.condition.cpu = Placement::Set(places);
    let failed = all_ended(&generators);
    workshop.finish(&Findings::Load(LoadFindings { generators, elapsed_s }))?;
    failed.map_or(Ok(()), |why| Err(Failure::machine(why)))
}

/// Waits until the time is over, somebody asks for the end, or nothing is left to hold.
fn hold(workshop: &mut Workshop<'_>, args: &LoadArgs) -> Result<(), Failure> {
    let limit_s = args.time.map(|time| time.as_secs_f64());
    while !signal::stop_requested() {
        let (elapsed_s, accounts) = (workshop.elapsed_s(), workshop.load.as_ref().map(Loads::accounts));
        let accounts = accounts.unwrap_or_default();
        if limit_s.is_some_and(|limit_s| elapsed_s >= limit_s) || all_ended(&accounts).is_some() {
            return Ok(());
        }
        let share = limit_s.map_or(0.0, |limit_s| elapsed_s / limit_s);
        workshop.progress.show(share, || accounts.iter().map(words).collect::<Vec<_>>().join(", "));
        let left_s = limit_s.map_or(f64::INFINITY, |limit_s| limit_s - elapsed_s);
        std::thread::sleep(LOOK.min(Duration::try_from_secs_f64(left_s).unwrap_or(LOOK)));
    }
    // Without a limit, this is how everybody ends it.
    workshop.interrupted = args.time.is_some();
    Ok(())
}

fn words(account: &LoadAccount) -> String {
    let place = account.cpu.map_or(String::new(), |cpu| format!("@{cpu}"));
    let achieved = account.achieved_percent.unwrap_or(0.0);
    format!("{}{place} {achieved:.1} %", account.kind)
}

/// Why, when none of them works any more. One whose CPU is away comes back with it.
fn all_ended(accounts: &[LoadAccount]) -> Option<String> {
    let ended = |account: &LoadAccount| account.ended.clone().filter(|_| account.away_ns == 0);
    let reasons: Vec<String> = accounts.iter().map_while(ended).collect();
    (reasons.len() == accounts.len()).then(|| reasons.into_iter().next()).flatten()
}
