//! Shortfalls of loads (background work beside a measurement): whether they reached their intensity, and the reasons if
//! not.

use fauxplat_model::{LoadAccount, LoadKind};

/// Percentage points by which a load may miss the requested intensity.
const TOLERANCE_PERCENT: f64 = 1.0;

/// Minimum share of the load's wall time from which waiting or stolen time is mentioned as a reason.
const MENTION_SHARE: f64 = 0.005;

/// Sentences about loads that ended early or did not reach their intensity, with the reasons.
pub fn load_shortfalls(accounts: &[LoadAccount]) -> Vec<String> {
    accounts.iter().filter_map(shortfall).collect()
}

fn shortfall(account: &LoadAccount) -> Option<String> {
    let LoadAccount { kind, cpu, asked_percent, achieved_percent, .. } = account;
    let place = cpu.map_or(String::new(), |cpu| format!(" on CPU {cpu}"));
    let ended = account.ended.as_ref();
    let Some(achieved) = *achieved_percent else {
        let why = ended.map_or("the load never came to work", String::as_str);
        return Some(format!("load {kind}{place} did nothing: {why}"));
    };
    if let Some(why) = ended {
        return Some(format!("load {kind}{place} ended early, at {achieved:.1} % of the time: {why}"));
    }
    let asked = f64::from(*asked_percent);
    let reasons = reasons(account);
    (achieved < asked - TOLERANCE_PERCENT || account.away_ns > 0 || account.watchdog_frees > 0).then(|| {
        let reasons = if reasons.is_empty() { "no reason is known".to_owned() } else { reasons.join("; ") };
        format!(
            "load {kind}{place} reached {achieved:.1} % of the time, and {asked} % was asked for: {reasons}"
        )
    })
}

/// Reasons why a load worked less than requested, from what it did in the remaining time.
fn reasons(account: &LoadAccount) -> Vec<String> {
    let share = |ns: u64| ns as f64 / account.wall_ns.max(1) as f64;
    let percent = |ns: u64| format!("{:.1} %", share(ns) * 100.0);
    let mut reasons = Vec::new();
    if account.away_ns > 0 {
        let away = percent(account.away_ns);
        reasons.push(format!("its CPU was offline or not allowed for {away} of the time"));
    }
    let waited_ns = account.run_delay_ns.unwrap_or(0);
    if share(waited_ns) > MENTION_SHARE {
        let waited = percent(waited_ns);
        reasons.push(format!("it waited {waited} of the time for its CPU, which others used too"));
    }
    if account.watchdog_frees > 0 {
        let times = account.watchdog_frees;
        reasons.push(format!("its watchdog freed the CPU {times} times, since fauxplat stood still"));
    }
    if account.kind == LoadKind::RealTime && account.asked_percent > 94 {
        let why = "the kernel leaves a part of each second to ordinary tasks (sched_rt_runtime_us)";
        reasons.push(why.to_owned());
    }
    let rest_ns = account.wall_ns.saturating_sub(account.busy_ns + waited_ns + account.away_ns);
    if account.asked_percent == 100 && share(rest_ns) > MENTION_SHARE && account.kind != LoadKind::RealTime {
        reasons.push(format!(
            "{} of the time is neither work nor waiting: steal, on a virtual machine",
            percent(rest_ns)
        ));
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_units::{Bytes, Cpu};

    fn account(kind: LoadKind, asked_percent: u8, achieved_percent: Option<f64>) -> LoadAccount {
        LoadAccount {
            kind,
            cpu: Some(Cpu(3)),
            asked_percent,
            achieved_percent,
            busy_ns: (achieved_percent.unwrap_or(0.0) * 1e7) as u64,
            wall_ns: 1_000_000_000,
            run_delay_ns: Some(0),
            away_ns: 0,
            operations: 1,
            operation: kind.operation().to_owned(),
            footprint_bytes: Bytes(0),
            watchdog_frees: 0,
            ended: None,
        }
    }

    #[test]
    fn a_load_that_holds_its_share_is_no_news() {
        let good = [
            account(LoadKind::Integer, 30, Some(29.4)),
            account(LoadKind::Llc, 100, Some(99.3)),
            account(LoadKind::Files, 50, Some(58.0)),
        ];
        assert_eq!(load_shortfalls(&good), Vec::<String>::new());
    }

    #[test]
    fn what_is_missing_has_a_reason() {
        let contended =
            LoadAccount { run_delay_ns: Some(490_000_000), ..account(LoadKind::Integer, 80, Some(50.2)) };
        let away = LoadAccount { away_ns: 250_000_000, ..account(LoadKind::L2, 100, Some(75.0)) };
        let freed = LoadAccount { watchdog_frees: 2, ..account(LoadKind::RealTime, 100, Some(94.0)) };
        let full = LoadAccount {
            ended: Some("load files on CPU 3: No space left on device".to_owned()),
            ..account(LoadKind::Files, 100, None)
        };
        let said = |account: LoadAccount| load_shortfalls(&[account]).join("");
        assert_eq!(
            said(contended),
            "load integer on CPU 3 reached 50.2 % of the time, and 80 % was asked for: it waited 49.0 % of the time \
             for its CPU, which others used too"
        );
        assert!(said(away).ends_with("its CPU was offline or not allowed for 25.0 % of the time"));
        assert!(said(freed).contains("its watchdog freed the CPU 2 times"));
        assert_eq!(
            said(full),
            "load files on CPU 3 did nothing: load files on CPU 3: No space left on device"
        );
    }
}
