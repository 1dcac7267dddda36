//! Findings that accompany a verdict, a sentence for each: carry-over, capped readings, medians that contradict the
//! estimate, differences that are no shift, and an imbalance of dropped pairs.

use fauxplat_model::{
    CarryOver, Comparison, DroppedLean, ModeShares, QuantileShift, RatioInterval, RiseSource, Side, Verdict,
};

use super::different::factor;
use super::{end, equivalent, is_beyond, is_of_means, is_speed, is_within};
use crate::parts::Tone;
use crate::parts::spans::emphasis;
use crate::relation::is_time;
use crate::words::{change, counted, listed, percent, quantity, round_number, round_percent};

pub(crate) struct Beside {
    pub(crate) tone: Tone,
    pub(crate) sentence: String,
    /// Whether the finding is for full reports only.
    pub(crate) is_detail: bool,
}

/// Names and medians of the two commands of a comparison.
pub(crate) struct Sides<'n> {
    pub(crate) names: [&'n str; 2],
    /// Medians of all runs of A and of B, in the metric of the comparison; `None` if one is not known.
    pub(crate) medians: Option<[f64; 2]>,
    /// Whether the experiment has no other commands than these two.
    pub(crate) are_all: bool,
}

/// The findings that accompany the verdict of a comparison. Most of them have to be in every report.
pub(crate) fn findings(comparison: &Comparison, sides: &Sides) -> Vec<Beside> {
    let names @ [a, b] = sides.names;
    let is_said = comparison.verdict == Verdict::Equivalent;
    let spread = comparison.spread.filter(|it| it.verdict == Verdict::Different && !is_said);
    let said = [
        (Tone::Plain, spread.map(|it| equivalent::spread(&it, a, b))),
        (Tone::Doubt, carried(comparison, sides)),
        (Tone::Doubt, unlike_in_a_row(comparison)),
        (Tone::Doubt, sides.medians.and_then(|medians| opposed(comparison, medians))),
        (Tone::Doubt, mixture(comparison)),
        (Tone::Doubt, comparison.dropped_lean.filter(|it| it.leans).map(|it| leaning(comparison, it, names))),
    ];
    let said = said.into_iter().filter_map(|(tone, it)| it.map(|sentence| (tone, sentence, false)));
    let modes =
        comparison.modes.map(|it| (Tone::Plain, modes(comparison, &it, names), is_aside(comparison, &it)));
    let said = said.chain(modes);
    let capped = capped(comparison, names).map(|sentence| (Tone::Plain, sentence, !is_moved(comparison)));
    said.chain(capped).map(|(tone, sentence, is_detail)| Beside { tone, sentence, is_detail }).collect()
}

/// Sentence about the effect of a command on the run after it (carry-over), if it is shown and larger than the margin.
fn carried(comparison: &Comparison, sides: &Sides) -> Option<String> {
    let is_large = |it: &RatioInterval| is_beyond(it.low_ratio, it.high_ratio, comparison.margin);
    let found = comparison.carry_over.filter(|it| it.is_shown && is_large(&it.carried))?;
    let (own, another) = (found.after_itself.ratio, found.after_another.ratio);
    let decides = match found.decides {
        true => {
            "that of runs that follow a run of the same command, which include effects of a command on its own next run"
        }
        false => "that of all runs together",
    };
    Some(format!(
        "{}: after a run of the same command {} is {}, after a run of the other {}; the verdict is {decides}.",
        left(comparison, sides, another > own),
        sides.names[1],
        as_much(comparison, own),
        as_much(comparison, another)
    ))
}

/// Sentence about a difference between first and second runs in a row that is not, or not clearly, carry-over from
/// another command.
fn unlike_in_a_row(comparison: &Comparison) -> Option<String> {
    let is_large = |it: &RatioInterval| is_beyond(it.low_ratio, it.high_ratio, comparison.margin);
    let found = comparison.carry_over.filter(|it| is_large(&it.carried))?;
    let parts = format!(
        "Of two runs in a row, B against A is {} in the first, {} in the second",
        change(found.after_another.ratio),
        change(found.after_itself.ratio)
    );
    match found.source? {
        RiseSource::AnotherCommand => None,
        RiseSource::Itself => Some(format!(
            "{parts}. A command that follows itself does the same: runs alternate by themselves, in step with the order of \
             runs, so that an answer has to hold for first runs and for second ones. `--order ab` is out of step with them."
        )),
        RiseSource::Unclear => Some(format!(
            "{parts}. Whether the other command causes this or the program itself is not clear yet: an answer has to \
             hold for first runs and for second ones. More pairs may decide it."
        )),
    }
}

/// Clause about carry-over, with the command that causes more of it. With two commands, each first run follows the
/// other command, so a cost that A causes raises B and not A. With more commands the cause cannot be named.
fn left(comparison: &Comparison, sides: &Sides, is_a: bool) -> String {
    let [a, b] = sides.names;
    let (costly, other) = if is_a { (a, b) } else { (b, a) };
    let reads = if is_time(comparison.metric) { "takes longer" } else { "reads higher" };
    match sides.are_all {
        true => {
            format!("A command affects the run after it, which {reads} after {costly} than after {other}")
        }
        false => "A command affects the run after it".to_owned(),
    }
}

/// An effect (a ratio of B over A) in words, such as `2.80 times as slow` or `slower by 3.10 %`.
fn as_much(comparison: &Comparison, ratio: f64) -> String {
    let metric = comparison.metric;
    let is_more = ratio > 1.0;
    if is_time(metric)
        && let Some(words) = factor(metric, ratio)
    {
        return if is_more { format!("{ratio:.2} times as slow") } else { words };
    }
    let word = match (is_speed(metric), is_more != metric.more_is_better()) {
        (true, true) => "slower",
        (true, false) => "faster",
        (false, _) if is_more => "higher",
        (false, _) => "lower",
    };
    format!("{word} by {}", percent((ratio - 1.0).abs()))
}

/// Whether the cap on single readings moves the mean ratio by more than the margin.
fn is_moved(comparison: &Comparison) -> bool {
    let moved = comparison.mean.and_then(|mean| Some(mean.plain_ratio? / mean.ratio));
    moved.is_some_and(|ratio| !is_within(ratio, ratio, comparison.margin))
}

/// Sentence about readings that count as the cap in the mean ratio; `None` if there are none.
fn capped(comparison: &Comparison, [a, b]: [&str; 2]) -> Option<String> {
    let mean = comparison.mean?;
    let ([of_a, of_b], cap, plain) = (mean.capped, mean.cap?, mean.plain_ratio?);
    let runs = |count: usize, name: &str| format!("{} of {name}", counted(count, "run", "runs"));
    let who = match (of_b, of_a) {
        (0, 0) => return None,
        (0, _) => runs(of_a, a),
        (_, 0) => runs(of_b, b),
        _ => format!("{} (and {of_a} of {a})", runs(of_b, b)),
    };
    let (took, usual) = match is_time(comparison.metric) {
        true => ("took", "time".to_owned()),
        false => ("had", comparison.metric.title().to_owned()),
    };
    let count = if of_a + of_b == 1 { "counts" } else { "count" };
    let its = if of_a + of_b == 1 { "its" } else { "their" };
    let most = round_number(cap);
    Some(format!(
        "{who} {took} over {most} times {its} usual {usual} and {count} as {most} times; without this cap the mean \
         ratio is {}.",
        change(plain)
    ))
}

/// Sentence about medians whose ratio lies on the other side of one than the estimated ratio, and differs from it by
/// more than the margin.
fn opposed(comparison: &Comparison, [a, b]: [f64; 2]) -> Option<String> {
    let (ratio, effect) = (b / a, comparison.effect_ratio);
    let is_opposed = (ratio - 1.0) * (effect - 1.0) < 0.0;
    let is_far = is_beyond(ratio / effect, ratio / effect, comparison.margin);
    let is_paired = comparison.exact.is_none() && !super::is_baseline(comparison) && !is_of_means(comparison);
    let reason = match (comparison.carry_over.is_some_and(|it| it.decides), comparison.is_mixture) {
        (true, _) => {
            "the estimate counts only runs that follow their own command, the medians count all runs"
        }
        (_, true) => {
            "some pairs differ much more than others, and then the median of the differences is not the difference of the \
             medians"
        }
        _ if comparison.dropped_pairs * 10 > comparison.pairs => {
            "the medians include runs of dropped pairs, and the estimate does not"
        }
        _ if comparison.modes.is_some() => {
            "there are two kinds of runs, and a median of all runs is that of the one kind or of the other"
        }
        _ => "runs side by side share the drift of the machine, which cancels in pairs and not in medians",
    };
    (is_opposed && is_far && is_paired && ratio.is_finite()).then(|| {
        format!(
            "Medians of all runs differ by {}, the estimate of pairs by {}: {reason}.",
            change(ratio),
            change(effect)
        )
    })
}

/// Sentence about differences between pairs that no single shift explains, described quantile by quantile.
fn mixture(comparison: &Comparison) -> Option<String> {
    let ratio = |it: &QuantileShift| format!("{} at {}", change(it.ratio), percent(it.quantile));
    let shifts = &comparison.quantiles;
    let least = shifts.iter().min_by(|one, other| one.ratio.total_cmp(&other.ratio));
    let most = shifts.iter().max_by(|one, other| one.ratio.total_cmp(&other.ratio));
    let ends = match least.zip(most) {
        Some((least, most)) => format!("; quantile by quantile from {} to {}", ratio(least), ratio(most)),
        None => String::new(),
    };
    let sentence = format!(
        "The difference is not the same for fast and for slow runs, so that the typical pair is the median of the pairs{ends}."
    );
    comparison.is_mixture.then_some(sentence)
}

/// Whether a brief report can omit the modes of the readings: both commands have them in equal shares, and a shift
/// describes the difference.
fn is_aside(comparison: &Comparison, modes: &ModeShares) -> bool {
    modes.side.is_none() && !comparison.is_mixture
}

/// Sentence about two modes of the readings (two values around which most lie), which it calls two kinds of runs: their
/// readings, the share of the upper one in the runs of each command, and which command is in it more often.
fn modes(comparison: &Comparison, modes: &ModeShares, [a, b]: [&str; 2]) -> String {
    let upper = match (is_speed(comparison.metric), comparison.metric.more_is_better()) {
        (true, false) => "slow",
        (true, true) => "fast",
        (false, _) => "high",
    };
    let level = round_percent(1.0 - comparison.level);
    let share = |name: &str, share: f64, [low, high]: [f64; 2]| {
        let interval = format!("{level} interval {} to {}", percent(low), percent(high));
        format!("{} of the runs of {name} ({interval})", percent(share))
    };
    let more = match modes.side {
        Some(Side::B) => format!(": {b} is {upper} more often"),
        Some(Side::A) => format!(": {a} is {upper} more often"),
        None => "; a difference between these shares is not shown".to_owned(),
    };
    let have = if is_time(comparison.metric) { "take" } else { "have" };
    let [low, high] = [modes.low, modes.high].map(|centre| quantity(comparison.metric, centre));
    format!(
        "There are two kinds of runs: some {have} about {low}, others about {high}. Of the {upper} kind are {} and {}{more}.",
        share(a, modes.share_a, modes.share_a_interval),
        share(b, modes.share_b, modes.share_b_interval)
    )
}

/// Sentence about the command that waited in more of the dropped pairs than chance allows.
fn leaning(comparison: &Comparison, lean: DroppedLean, [a, b]: [&str; 2]) -> String {
    let (name, more) = if lean.b > lean.a { (b, lean.b) } else { (a, lean.a) };
    let withheld = match comparison.verdict {
        Verdict::Different => String::new(),
        _ => format!(", so {} is withheld", emphasis("equivalent")),
    };
    // `lean` has only pairs that were dropped because a command waited, not those dropped for other reasons.
    let pairs = lean.a + lean.b;
    format!(
        "Of {pairs} pairs that were dropped because a command waited for a CPU, {name} waited in {more}{withheld}."
    )
}

/// Sentence, for full reports, about how often each command waited in dropped pairs, if chance allows the difference.
pub(crate) fn waited(comparison: &Comparison, [a, b]: [&str; 2]) -> Option<String> {
    let lean = comparison.dropped_lean.filter(|it| !it.leans)?;
    let each = [(a, lean.a), (b, lean.b)].map(|(name, pairs)| format!("{name} waited in {pairs}"));
    let (each, pairs) = (listed(&each), lean.a + lean.b);
    Some(format!(
        "Of {pairs} pairs that were dropped because a command waited for a CPU, {each}: chance allows this difference."
    ))
}

/// Sentence, for full reports, about the difference in runs that follow their own command and in runs that follow
/// another one.
pub(crate) fn carry_over(comparison: &Comparison) -> Option<String> {
    let CarryOver { after_itself, after_another, carried, is_shown, decides, source } =
        comparison.carry_over?;
    let figure = |it: &RatioInterval| {
        format!("{} ({} to {})", change(it.ratio), end(it.low_ratio), end(it.high_ratio))
    };
    let said = match (is_shown, decides) {
        _ if source == Some(RiseSource::Itself) => {
            "; the programs alternate by themselves, and a verdict has to hold for both kinds of runs"
        }
        _ if source == Some(RiseSource::Unclear) => {
            "; whether the other command or the program itself causes this is not clear, and a verdict has to hold for \
             both kinds of runs"
        }
        (_, true) => "; runs after the same command decide",
        (true, false) => "; all runs together decide",
        (false, false) => ", which may be zero",
    };
    Some(format!(
        "B against A in runs after the same command: {}; after another command: {}; carried over: {}{said}.",
        figure(&after_itself),
        figure(&after_another),
        figure(&carried)
    ))
}
