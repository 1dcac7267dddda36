//! The report of `load`: the share of the time in which each load worked, beside the requested one.

use fauxplat_model::document::Header;
use fauxplat_model::{LoadAccount, LoadFindings};

use crate::parts::{Grid, Piece, Tone};
use crate::words::counted;

pub(crate) fn parts(header: &Header, found: &LoadFindings) -> Vec<Piece> {
    let mut parts = vec![Piece::answer(Tone::Title, answer(header, found))];
    if !found.generators.is_empty() {
        parts.push(Piece::table(table(found)));
    }
    let meaning = "Asked and achieved are shares of the time by CPU time (files: by wall time), held from period to period of 10 ms.";
    parts.push(Piece::plain(meaning).in_full());
    parts
}

fn answer(header: &Header, found: &LoadFindings) -> String {
    let held = format!(
        "{} for {:.1} s",
        counted(found.generators.len(), "generator", "generators"),
        found.elapsed_s
    );
    if found.generators.is_empty() {
        return "Interrupted before any load had begun".to_owned();
    }
    let short = header.warnings.iter().filter(|warning| is_short(warning)).count();
    match short {
        0 => format!("{held}: all did what was asked"),
        some => format!("{held}: {some} did less than was asked"),
    }
}

/// Whether a warning says that a load achieved less than requested. Other warnings are about the machine's load
/// average.
fn is_short(warning: &str) -> bool {
    let tells = [" reached ", " ended early", " did nothing"];
    warning.starts_with("load ") && tells.iter().any(|words| warning.contains(words))
}

fn table(found: &LoadFindings) -> Grid {
    let header = ["load", "CPU", "asked", "achieved", "waited", "away", "per second", "operations", "memory"];
    let mut grid = Grid::new(&header, &[8, 5, 4]);
    for account in &found.generators {
        let tone = if account.ended.is_some() { Tone::Doubt } else { Tone::Plain };
        grid.push(tone, row(account));
    }
    grid
}

fn row(account: &LoadAccount) -> Vec<String> {
    let share = |ns: u64| format!("{:.1} %", ns as f64 / account.wall_ns.max(1) as f64 * 100.0);
    let per_s = account.operations as f64 / (account.wall_ns.max(1) as f64 / 1e9);
    vec![
        account.kind.to_string(),
        account.cpu.map_or_else(|| "any".to_owned(), |cpu| cpu.to_string()),
        format!("{} %", account.asked_percent),
        achieved(account),
        account.run_delay_ns.map_or_else(|| "?".to_owned(), share),
        share(account.away_ns),
        rounded(per_s),
        account.operation.clone(),
        if account.footprint_bytes.0 > 0 { account.footprint_bytes.to_string() } else { "-".to_owned() },
    ]
}

/// The achieved share of the time in which a load worked, as text for tables and for the end of other reports.
pub(crate) fn achieved(account: &LoadAccount) -> String {
    account.achieved_percent.map_or_else(|| "nothing".to_owned(), |percent| format!("{percent:.1} %"))
}

/// A rate per second as text, with about three significant digits from a million on.
fn rounded(per_s: f64) -> String {
    match per_s {
        rate if rate >= 1e9 => format!("{:.2}e9", rate / 1e9),
        rate if rate >= 1e6 => format!("{:.2}e6", rate / 1e6),
        rate => format!("{rate:.0}"),
    }
}
