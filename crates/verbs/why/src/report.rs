//! The report of an explanation: the answer, the account of the difference, the causes, and what was excluded.

use fauxplat_model::Metric;
use fauxplat_model::document::Record;
use fauxplat_report::parts::{Grid, Medium, Note, Notes, Piece, Tone};
use fauxplat_report::{Case, CaseOutcome, OwnReport, Rows, say};
use serde::Deserialize;
use serde_json::{Error, Value};

use crate::amount::Amount;
use crate::findings::{Account, Answer, Cause, ChangedLines, Experiment, Grade, SCHEMA, WhyFindings};
use crate::measure::{INTERRUPTED, NO_CAUSE};

mod tables;
mod words;

use tables::tables;
use words::{about, at, line, place, short, shown_in, wide};

/// The report of `fauxplat why`.
#[derive(Debug)]
pub(crate) struct WhyReport;

/// Maximum number of causes that the answer names among those that are parts of the first cause; all other causes are
/// named, as their shares sum to the explained time.
const PARTS: usize = 3;

impl OwnReport for WhyReport {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn earlier(&self) -> &'static [&'static str] {
        &["fauxplat.why/1"]
    }

    fn pieces(&self, _: &Record, document: &Value) -> Result<Vec<Piece>, Error> {
        Ok(pieces(&WhyFindings::deserialize(document)?))
    }

    fn rows(&self, document: &Value) -> Result<Rows, Error> {
        let found = WhyFindings::deserialize(document)?;
        let headings = ["kind", "account", "explains_ns", "share", "grade", "what", "place", "next"];
        Ok(Rows {
            headings: headings.map(str::to_owned).to_vec(),
            rows: found.causes.iter().map(fields).collect(),
        })
    }

    fn cases(&self, document: &Value) -> Result<Vec<Case>, Error> {
        let found = WhyFindings::deserialize(document)?;
        let sentence = found.summary.clone();
        let outcome = match found.answer {
            Answer::Cause | Answer::Equivalent => CaseOutcome::Passed(sentence),
            _ => CaseOutcome::Skipped(sentence),
        };
        Ok(vec![Case { name: "why".to_owned(), time_s: Some(found.elapsed_s), outcome }])
    }
}

fn fields(cause: &Cause) -> Vec<String> {
    vec![
        word(&cause.kind),
        word(&cause.account),
        format!("{:.0}", cause.explains_ns),
        format!("{:.4}", cause.share),
        word(&cause.grade),
        cause.what.clone(),
        cause.place.clone().unwrap_or_default(),
        cause.next.clone(),
    ]
}

/// Name of an enum's value in documents.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default()
}

fn time(ns: f64) -> String {
    let size = say::quantity(Metric::WALL, ns.abs());
    if ns < 0.0 { format!("−{size}") } else { size }
}

fn with_interval(amount: Amount) -> String {
    match amount.low.is_finite() && amount.high.is_finite() {
        true => format!("{} ({} to {})", time(amount.value), time(amount.low), time(amount.high)),
        false => time(amount.value),
    }
}

fn account_words(account: Account) -> &'static str {
    match account {
        Account::User => "user time",
        Account::System => "system time",
        Account::RunQueue => "waiting for a CPU",
        Account::Blocked => "waiting for something else",
        Account::Start => "loading and linking",
        Account::Whole => "all of it",
    }
}

/// Names of both programs, shortened unless that would make them equal.
fn shorts(found: &WhyFindings) -> [String; 2] {
    let [a, b] = found.programs.each_ref().map(|name| short(name));
    if a == b { found.programs.each_ref().map(|name| say::visible(name)) } else { [a, b] }
}

/// Names of the faster and of the slower program.
fn sides(found: &WhyFindings) -> (String, String) {
    let [a, b] = shorts(found);
    if found.slower == Some(0) { (b, a) } else { (a, b) }
}

/// Summary of an explanation for lists of experiments.
pub(crate) fn summary(found: &WhyFindings) -> String {
    let slower = found.slower.unwrap_or(1).min(1);
    match (found.answer, found.causes.first()) {
        (Answer::Cause, Some(first)) => format!("{} {}", found.programs[slower], first.what),
        (Answer::Equivalent, _) => "no difference, and no cause".to_owned(),
        (Answer::Vanished, _) => "the difference has gone".to_owned(),
        (Answer::Unexplained, _) if found.is_interrupted => {
            format!("{} is slower, interrupted before its cause was found", found.programs[slower])
        }
        (Answer::Unexplained, _) => format!("{} is slower, unexplained", found.programs[slower]),
        _ if found.failed.is_some() => "a failure ended it before a difference was shown".to_owned(),
        _ if found.is_interrupted => "interrupted before a difference was shown".to_owned(),
        _ => "no difference was shown".to_owned(),
    }
}

fn pieces(found: &WhyFindings) -> Vec<Piece> {
    let mut pieces = vec![answer(found)];
    if found.are_same == Some(true) {
        pieces.push(Piece::said(
            Tone::Doubt,
            "The files of both programs have the same content, and the arguments are the same.",
        ));
    }
    pieces.extend(again(found));
    if found.slower.is_some() && found.answer == Answer::Vanished {
        let sentence = "Pairs of runs after the verdict, slower program minus faster one:";
        pieces.push(Piece::plain(sentence));
        pieces.extend(account(found));
    } else if found.slower.is_some() {
        pieces.extend(hidden(found).map(|sentence| Piece::said(Tone::Doubt, sentence)));
        pieces.extend(account(found));
        pieces.extend(causes(found));
        pieces.extend(open(found));
        pieces.extend(changed(found).map(Piece::plain));
        pieces.extend(excluded(found));
        pieces.extend(tables(found));
    } else if found.failed.is_some() && !found.parts.is_empty() {
        let [a, b] = shorts(found);
        pieces.push(Piece::plain(format!("Pairs of runs until then, {b} minus {a}:")));
        pieces.extend(account(found));
    }
    pieces.extend(experiments(found));
    pieces
}

fn answer(found: &WhyFindings) -> Piece {
    let (tone, sentence) = sentence(found);
    Piece::answer(tone, sentence)
}

/// The answer in words.
fn sentence(found: &WhyFindings) -> (Tone, String) {
    let [a, b] = shorts(found);
    let (fast, slow) = sides(found);
    let more = found.more_ns.map_or_else(String::new, with_interval);
    let margin = found.compared.as_ref().map_or_else(String::new, |it| say::percent(it.margin));
    let ratio = found.compared.as_ref().map_or_else(String::new, |it| say::change(it.ratio));
    let is_hidden = found.more_ns.is_some_and(|it| it.value > 0.0 && !it.is_more());
    let of = if found.hidden_ns.is_some() { format!("more {}", shown_in(found)) } else { "more".to_owned() };
    match (found.answer, found.causes.first()) {
        (Answer::Equivalent, _) => (
            Tone::Good,
            format!("{a} and {b} do not differ by more than {margin}: there is nothing to explain."),
        ),
        (Answer::Undecided, _) if found.failed.is_some() => (
            Tone::Doubt,
            format!(
                "A failure ended the comparison before {a} and {b} were shown to differ: no cause was looked for."
            ),
        ),
        (Answer::Undecided, _) if found.is_interrupted => (
            Tone::Doubt,
            format!("Interrupted before {a} and {b} were shown to differ: no cause was looked for."),
        ),
        (Answer::Undecided, _) => (
            Tone::Doubt,
            format!("{a} and {b} were not shown to differ: no cause is looked for.{}", effect(found)),
        ),
        (Answer::Vanished, _) if is_hidden => (
            Tone::Doubt,
            format!(
                "{slow} was slower than {fast} in the comparison ({ratio}), but no difference is shown now ({more} per \
                 run): no cause is named."
            ),
        ),
        (Answer::Vanished, _) => (
            Tone::Doubt,
            format!(
                "{slow} was slower than {fast} in the comparison ({ratio}), but is not any more: no cause is named."
            ),
        ),
        (_, Some(first)) => {
            (Tone::Bad, format!("{slow} takes {more} {of} than {fast} per run: {slow} {}.", cause(first)))
        }
        _ => {
            // An explanation that was interrupted at once has a verdict but no account.
            let than = match found.more_ns {
                Some(it) if it.is_more() => format!("{slow} takes {more} {of} than {fast} per run"),
                _ => format!("{slow} is slower than {fast} ({ratio})"),
            };
            (Tone::Doubt, format!("{than}{}.", why_not(found)))
        }
    }
}

/// Sentences about the change that an undecided comparison estimates, and how long a decision would take.
fn effect(found: &WhyFindings) -> String {
    let known = found.compared.as_ref().map_or_else(String::new, |it| {
        let ratio = say::change(it.ratio);
        let interval = say::interval_of_changes(it.low_ratio, it.high_ratio, " to ");
        let pairs = say::counted(it.pairs, "pair", "pairs");
        format!(" The change is {ratio} ({interval}) in {pairs} of runs.")
    });
    let takes = match (found.pairs_needed, found.needs_s) {
        (Some(needed), Some(needs_s)) => {
            let takes = about(needs_s);
            format!(
                " A decision would take about {needed} pairs, and {takes} in all: give it more --max-time."
            )
        }
        _ if found.is_of_sessions => String::new(),
        _ => " More --max-time may decide.".to_owned(),
    };
    format!("{known}{takes}")
}

/// Share of the difference from which on the wait for a CPU is what has to be told of it.
const MOST: f64 = 0.5;

/// Why there is no cause, as the end of a sentence.
fn why_not(found: &WhyFindings) -> String {
    let waits = found.parts.iter().find(|part| part.account == Account::RunQueue && part.more_ns.is_more());
    let share = waits.and_then(|part| part.share).filter(|&share| share >= MOST);
    let beside = share.map_or_else(String::new, |share| {
        format!(
            "; {} of it is waiting for a CPU that others have: ask again when they have ended",
            say::percent(share)
        )
    });
    format!("{}{beside}", why_not_found(found))
}

fn why_not_found(found: &WhyFindings) -> &'static str {
    let looks = |it: &&Experiment| !NO_CAUSE.contains(&it.question.as_str());
    let has_looked = found.experiments.iter().filter(looks).any(|it| it.took_s.is_some());
    match (found.is_interrupted, has_looked) {
        (true, false) => "; the search was interrupted before any experiment looked for the cause",
        (true, true) => {
            "; the search was interrupted, and the experiments until then do not explain the difference"
        }
        (false, _) if found.more_ns.is_some_and(|it| !it.is_more()) => {
            "; its pairs of runs are too few to show in which account of time: give it more --max-time"
        }
        (false, false) => "; the experiments that look for the cause were not made, for the reasons below",
        (false, true) => ", and no experiment explains the difference",
    }
}

fn cause(first: &Cause) -> String {
    let place = first.place.as_ref().map_or_else(String::new, |place| format!(" in {}", at(place)));
    let place = if first.grade == Grade::Condition { String::new() } else { place };
    format!("{}{place}", first.what)
}

/// Sentence about the measurement of the difference at the end.
fn again(found: &WhyFindings) -> Option<Piece> {
    let (again, after_s) = (found.again_ns?, found.again_after_s?);
    let after = fauxplat_units::Nanos::from_secs_f64(after_s.clamp(0.0, 1e9));
    let sentence = format!("At the end, after {after}, the difference was {}.", with_interval(again));
    Some(match found.answer {
        Answer::Vanished => Piece::said(Tone::Doubt, sentence),
        _ => Piece::plain(sentence).in_full(),
    })
}

/// Sentence about a difference of wall time that the pairs after the verdict do not show; `None` where they do.
fn hidden(found: &WhyFindings) -> Option<String> {
    let wall = with_interval(found.hidden_ns?);
    Some(format!(
        "The pairs after the verdict scatter too much to show the difference of wall time ({wall}): what follows explains \
         that of {}.",
        shown_in(found)
    ))
}

/// Parts of the whole difference, as a sentence and as a table.
fn account(found: &WhyFindings) -> Vec<Piece> {
    let mut grid = Grid::new(&["account", "more per run", "from", "to", "share"], &[3, 2]);
    for part in &found.parts {
        let tone = if part.more_ns.low > 0.0 { Tone::Bad } else { Tone::Plain };
        let cells = vec![
            account_words(part.account).to_owned(),
            time(part.more_ns.value),
            time(part.more_ns.low),
            time(part.more_ns.high),
            part.share.map_or_else(String::new, say::percent),
        ];
        grid.push(tone, cells);
    }
    if let Some(whole) = found.more_ns {
        grid.push(
            Tone::Title,
            vec![
                "together".to_owned(),
                time(whole.value),
                time(whole.low),
                time(whole.high),
                if whole.is_sure() { "100 %".to_owned() } else { String::new() },
            ],
        );
    }
    vec![Piece::table(grid)]
}

/// Media of reports that cannot show a tree.
const NO_PAGE: [Medium; 2] = [Medium::Terminal, Medium::Comment];

/// A cause with its evidence, as a numbered note of the report.
fn notes(number: usize, it: &Cause, folded: bool) -> Piece {
    let part = if it.is_part { ", a part of the first cause" } else { "" };
    let account = account_words(it.account);
    let title = format!("{number}. {}: {} ({account}{part})", it.what, say::percent(it.share.min(1.0)));
    let place = it.place.as_ref().map(|it| Note::fact("where", vec![say::named(&place(it))]));
    let how = match it.grade {
        Grade::Measured => "measured",
        Grade::Reckoned => "calculated from counts",
        Grade::Condition => "a condition that differs",
    };
    let how = Note::fact("how known", vec![how.to_owned()]).in_full();
    let lines = it.because.iter().map(|sentence| plain_note(line(sentence)));
    let next = Note { unbroken: true, ..Note::fact("next", vec![say::code(&it.next)]) };
    let lines = place.into_iter().chain(lines).chain([how, next]).collect();
    Piece::notes(Notes { title, folded, lines })
}

/// Tree from the whole difference over its accounts to the causes of each, with their evidence folded away.
fn tree(found: &WhyFindings) -> Vec<Piece> {
    let causes: Vec<(usize, &Cause)> = found.causes.iter().enumerate().collect();
    if causes.is_empty() {
        return Vec::new();
    }
    let of = |account: Account| causes.iter().filter(move |(_, cause)| cause.account == account);
    let mut pieces = vec![Piece::heading("from the whole to its causes")];
    let accounts = found.parts.iter().map(|part| (part.account, Some(part)));
    for (account, part) in accounts.chain([(Account::Start, None), (Account::Whole, None)]) {
        if part.is_none() && of(account).next().is_none() {
            continue;
        }
        let words = account_words(account);
        let said = match part {
            Some(part) => {
                let share = part.share.map_or_else(String::new, |share| format!(", {}", say::percent(share)));
                format!("{words}: {}{share}", with_interval(part.more_ns))
            }
            None => words.to_owned(),
        };
        let tone = if of(account).next().is_some() { Tone::Bad } else { Tone::Plain };
        pieces.push(Piece::said(tone, said).at(1));
        pieces.extend(of(account).map(|(number, cause)| notes(number + 1, cause, true).at(2)));
    }
    pieces.into_iter().map(|piece| piece.only(&[Medium::Page])).collect()
}

fn causes(found: &WhyFindings) -> Vec<Piece> {
    let apart = found.causes.iter().filter(|it| !it.is_part).count();
    let few = found.causes.iter().take(apart + PARTS).enumerate();
    let mut pieces: Vec<Piece> =
        few.map(|(number, it)| notes(number + 1, it, false).only(&NO_PAGE)).collect();
    pieces.extend(tree(found));
    let unexplained = format!("{} of the difference is left unexplained.", say::percent(found.unexplained));
    if !found.causes.is_empty() && found.unexplained > 0.05 {
        pieces.push(Piece::plain(unexplained));
    }
    pieces.extend(rivals(found).map(|sentence| Piece::said(Tone::Doubt, sentence)));
    pieces
}

/// Sentence about two causes of which each could be the first; `None` where the first one is clear.
fn rivals(found: &WhyFindings) -> Option<String> {
    let command = say::code(found.would_tell.as_ref()?);
    Some(format!(
        "Each of the first two causes could explain the difference; a closer look at the second: {command}"
    ))
}

/// Whether the user interrupted an experiment, or the explanation before it.
fn is_interrupted(it: &Experiment) -> bool {
    it.note.as_deref() == Some(INTERRUPTED)
}

/// Words before the questions that an interruption left open. A terminal shows the first sentence of a piece only, so
/// each question is a piece of its own.
const OPEN: &str =
    "The explanation was interrupted, and causes that depend on the answers to these questions are left out:";

/// The questions whose experiments the user interrupted; empty where there are none.
fn open(found: &WhyFindings) -> Vec<Piece> {
    let questions = open_questions(found);
    let title = (!questions.is_empty()).then(|| Piece::said(Tone::Doubt, OPEN));
    title.into_iter().chain(questions.into_iter().map(Piece::plain)).collect()
}

fn open_questions(found: &WhyFindings) -> Vec<String> {
    found.experiments.iter().filter(|it| is_interrupted(it)).map(|it| it.question.clone()).collect()
}

fn plain_note(text: String) -> Note {
    Note::fact("", vec![text])
}

fn excluded(found: &WhyFindings) -> Option<Piece> {
    let names: Vec<String> =
        found.excluded.iter().map(|it| format!("{} ({})", it.what, line(&it.because))).collect();
    (!names.is_empty()).then(|| Piece::plain(format!("Not: {}.", names.join(", "))))
}

/// Maximum number of changed callers that a sentence names.
const CALLERS: usize = 3;

/// Sentence about functions that take more time and are changed by the second of two revisions; `None` without
/// revisions.
fn changed(found: &WhyFindings) -> Option<String> {
    let ChangedLines { files, places } = found.changes?;
    let of_diff = format!(
        "the diff ({}, {})",
        say::counted(files, "file", "files"),
        say::counted(places, "changed place", "changed places")
    );
    let more = found.functions.iter().filter(|it| it.is_changed && it.more_ns.is_more());
    let names: Vec<String> = more.map(|it| say::named(&wide(&it.name))).collect();
    let called = found.functions.iter().filter(|it| !it.is_changed && it.more_ns.is_more());
    let callers = called.filter_map(|it| {
        let caller = it.changed_caller.as_ref()?;
        Some(format!("{}, which calls {}", say::named(&wide(caller)), say::named(&wide(&it.name))))
    });
    let callers: Vec<String> = callers.take(CALLERS).collect();
    let sentence = match (names.is_empty(), found.functions.is_empty()) {
        (_, true) => return None,
        (true, false) if !callers.is_empty() => {
            format!(
                "Of the functions that take more time, {of_diff} changes none itself, but {}.",
                callers.join(", ")
            )
        }
        (true, false) => {
            format!("Of the functions that take more time and their callers, {of_diff} changes none.")
        }
        (false, false) => {
            format!("Of the functions that take more time, {of_diff} changes {}.", names.join(", "))
        }
    };
    Some(sentence)
}

fn experiments(found: &WhyFindings) -> Option<Piece> {
    if found.experiments.is_empty() {
        return None;
    }
    let line = |it: &Experiment| {
        let took =
            it.took_s.map(|took_s| fauxplat_units::Nanos::from_secs_f64(took_s.clamp(0.0, 1e9)).to_string());
        let text = match (took, &it.note) {
            (Some(took), Some(note)) => format!("{} {took}; {}", it.question, say::visible(note)),
            (Some(took), None) => format!("{} {took}", it.question),
            (None, Some(why)) => format!("{} not made: {}", it.question, say::visible(why)),
            (None, None) => it.question.clone(),
        };
        plain_note(text)
    };
    let is_missing = found.experiments.iter().any(|it| it.took_s.is_none());
    let lines: Vec<Note> = found
        .experiments
        .iter()
        .map(|it| if it.took_s.is_some() || is_interrupted(it) { line(it).in_full() } else { line(it) })
        .collect();
    let title = if is_missing { "experiments that were not made, or all" } else { "experiments" };
    Some(Piece::notes(Notes { title: title.to_owned(), folded: true, lines }))
}

#[cfg(test)]
mod tests;
