//! Functions in which one command takes more time than another.

use fauxplat_model::{FunctionDifference, Profile, ProfileDifference, ProfileFindings, ProfiledSide};

use super::words::{ROWS, magnitude, named, short, signed, signed_cell, whole};
use crate::parts::{Grid, Piece, Rank, Tone};
use crate::words::{TIE, counted, listed, round_percent, shorten};

/// Number of functions that the answer names: of those that became slower, and of those that became faster.
const NAMED_MAX: usize = 3;
/// Maximum number of guesses about renamed functions that are listed.
const GUESSES_MAX: usize = 5;
/// Maximum width of a caller's name in a table, in columns.
const CALLER_MAX: usize = 24;

/// The two profiles that a difference compares; `None` if an index is invalid.
pub(super) fn pair<'f>(
    found: &'f ProfileFindings,
    of: &ProfileDifference,
) -> Option<(&'f Profile, &'f Profile)> {
    Some((found.profiles.get(usize::from(of.a))?, found.profiles.get(usize::from(of.b))?))
}

/// Whether the difference in the time of a function itself is significant.
fn is_told(of: &ProfileDifference, function: &FunctionDifference) -> bool {
    function.p_adjusted <= of.error
}

/// Whether the difference in the time of a function with its callees is significant.
fn is_told_below(of: &ProfileDifference, function: &FunctionDifference) -> bool {
    function.total_p_adjusted <= of.error
}

/// The answer of `profile`, such as "`b` takes 7.1 % (6.2–8.0 %) more CPU time than `a`; of it 5.1 points ± 0.8 are in
/// `parse_line`, called by `read`."
pub(super) fn answer(found: &ProfileFindings, of: &ProfileDifference) -> Piece {
    let Some((a, b)) = pair(found, of) else { return Piece::answer(Tone::Doubt, "Nothing was compared.") };
    let whole = whole(&a.quality);
    let begin = if direction(of).is_some() { "of it " } else { "" };
    let said = Whereabouts { of, begin, takes_more: direction(of), all_s: of.cpu_s }.said();
    let said = format!("{}; {said}.", overall(of, &whole, &named(&a.name), &named(&b.name)));
    Piece::answer(tone(direction(of)), said)
}

fn tone(takes_more: Option<bool>) -> Tone {
    match takes_more {
        Some(true) => Tone::Bad,
        Some(false) => Tone::Good,
        None => Tone::Neutral,
    }
}

/// Whether the second program takes more time; `None` if the interval of the difference includes zero.
fn direction(of: &ProfileDifference) -> Option<bool> {
    match (of.low_s > 0.0, of.high_s < 0.0) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

fn overall(of: &ProfileDifference, whole: &str, a: &str, b: &str) -> String {
    let share = |seconds: f64| seconds / of.a_cpu_s;
    let (value, low, high) = (share(of.cpu_s), share(of.low_s), share(of.high_s));
    let sure = round_percent(1.0 - of.error);
    match direction(of) {
        Some(true) => {
            let within = format!("{}–{}", magnitude(low), magnitude(high));
            format!("{b} takes {}{TIE}% ({within}{TIE}%) more {whole} than {a}", magnitude(value))
        }
        Some(false) => {
            let within = format!("{}–{}", magnitude(high), magnitude(low));
            format!("{b} takes {}{TIE}% ({within}{TIE}%) less {whole} than {a}", magnitude(value))
        }
        None => format!(
            "whether {b} takes more {whole} than {a} is not shown: {}{TIE}% ({} to {}{TIE}%, {sure} sure)",
            signed(value),
            signed(low),
            signed(high)
        ),
    }
}

/// The answer of `compare --profile`, such as "Of 6.9 % more CPU time, 5.1 points ± 0.8 are in `parse_line`, called by
/// `read`; …". `timed` is the change in CPU time of runs that were timed and not sampled, as a share; `None` if these
/// runs do not differ in CPU time.
pub(super) fn located(found: &ProfileFindings, of: &ProfileDifference, timed: Option<f64>) -> Option<Piece> {
    let (a, b) = pair(found, of)?;
    let Some(change) = timed else { return Some(elsewhere(found, of)) };
    let takes_more = change > 0.0;
    let word = if takes_more { "more" } else { "less" };
    let all_s = change * of.a_cpu_s;
    let said = Whereabouts { of, begin: "", takes_more: Some(takes_more), all_s }.said();
    let runs = counted((a.quality.runs + b.quality.runs) as usize, "further run", "further runs");
    let said = format!(
        "Of {}{TIE}% {word} CPU time, {said} ({runs} were sampled, and not timed).",
        magnitude(change)
    );
    Some(Piece::answer(tone(Some(takes_more)), said))
}

/// The answer if the timed runs do not differ in CPU time, so that there is no total to divide among functions.
fn elsewhere(found: &ProfileFindings, of: &ProfileDifference) -> Piece {
    let whole = pair(found, of).map_or_else(String::new, |(a, _)| whole(&a.quality));
    let said = match of.functions.iter().any(|it| is_told(of, it) || is_told_below(of, it)) {
        true => Whereabouts { of, begin: "", takes_more: None, all_s: of.cpu_s }.said(),
        false => "no function differs beyond noise: `fauxplat profile -e off-cpu` locates waits".to_owned(),
    };
    Piece::answer(Tone::Neutral, format!("The runs that were timed do not differ surely in {whole}; {said}."))
}

/// Inputs of a sentence about the functions that contain a significant difference.
struct Whereabouts<'d> {
    of: &'d ProfileDifference,
    /// The text of the sentence before its first number.
    begin: &'d str,
    /// Whether the second program takes more time; `None` if that is uncertain.
    takes_more: Option<bool>,
    /// The whole difference between the two programs, in seconds.
    all_s: f64,
}

impl Whereabouts<'_> {
    fn said(&self) -> String {
        let of = self.of;
        let mut told: Vec<&FunctionDifference> = of.functions.iter().filter(|it| is_told(of, it)).collect();
        told.sort_by(|a, b| b.self_s.abs().total_cmp(&a.self_s.abs()));
        if told.is_empty() {
            return below(of);
        }
        let takes_more = self.takes_more.unwrap_or(told[0].self_s > 0.0);
        let (with, against): (Vec<&FunctionDifference>, Vec<&FunctionDifference>) =
            told.iter().partition(|it| (it.self_s > 0.0) == takes_more);
        let words = if takes_more { ["more", "less"] } else { ["less", "more"] };
        let mut said = Vec::new();
        if !with.is_empty() {
            said.push(format!("{}{}", self.begin, self.functions(&with, words[0])));
        }
        if !against.is_empty() {
            said.push(format!("against it {}", self.functions(&against, words[1])));
        }
        let rest = self.all_s - told.iter().map(|it| it.self_s).sum::<f64>();
        let rest = points(signed_or_plain(rest / of.a_cpu_s, takes_more));
        said.push(format!("{rest} indistinguishable from noise"));
        said.join("; ")
    }

    /// Functions with their parts of the difference, such as "5.1 points ± 0.8 are in `parse_line`, called by `read`,
    /// 2.0 ± 0.3 in `hash`".
    fn functions(&self, those: &[&FunctionDifference], word: &str) -> String {
        let of = self.of;
        let one = |(place, it): (usize, &&FunctionDifference)| {
            let number = magnitude(it.self_s / of.a_cpu_s);
            let half = magnitude((it.self_high_s - it.self_low_s) / 2.0 / of.a_cpu_s);
            let caller =
                it.caller.as_deref().map_or_else(String::new, |name| format!(", called by {}", named(name)));
            let (number, are) = match place {
                0 => (points(number), if self.takes_more.is_some() { "are in" } else { word_are(word) }),
                _ => (number, "in"),
            };
            format!("{number} ±{TIE}{half} {are} {}{caller}", identity(it))
        };
        let mut said: Vec<String> = those.iter().take(NAMED_MAX).enumerate().map(one).collect();
        if those.len() > NAMED_MAX {
            let rest: f64 = those[NAMED_MAX..].iter().map(|it| it.self_s).sum();
            let many = counted(those.len() - NAMED_MAX, "further function", "further functions");
            said.push(format!("{} in {many}", magnitude(rest / of.a_cpu_s)));
        }
        listed(&said)
    }
}

/// A function's name in a sentence, with both names if it has another in the second program.
fn identity(it: &FunctionDifference) -> String {
    match (&it.renamed, it.is_guess, it.only_in) {
        (Some(renamed), true, _) => format!("{} (probably {} now)", named(&it.name), named(renamed)),
        (Some(renamed), false, _) => format!("{} ({} now)", named(&it.name), named(renamed)),
        (None, _, Some(ProfiledSide::First)) => format!("{}, which is gone", named(&it.name)),
        (None, _, Some(ProfiledSide::Second)) => format!("{}, which is new", named(&it.name)),
        (None, _, None) => named(&it.name),
    }
}

/// The difference outside of the named functions, in percentage points; without a sign if it has the direction of the
/// whole difference.
fn signed_or_plain(share: f64, takes_more: bool) -> String {
    let along = if takes_more { share } else { -share };
    match magnitude(along) {
        none if none == "0.0" => none,
        shown if along < 0.0 => format!("−{shown}"),
        shown => shown,
    }
}

fn points(number: String) -> String {
    let word = if number == "1.0" { "point" } else { "points" };
    format!("{number}{TIE}{word}")
}

fn word_are(word: &str) -> &'static str {
    if word == "more" { "more are in" } else { "less are in" }
}

/// Clause about the function whose time differs most together with its callees, for differences in which no function is
/// significant by itself.
fn below(of: &ProfileDifference) -> String {
    let told = of.functions.iter().filter(|it| is_told_below(of, it));
    let Some(most) = told.max_by(|a, b| a.total_s.abs().total_cmp(&b.total_s.abs())) else {
        return "no function differs beyond noise".to_owned();
    };
    let number = points(signed(most.total_s / of.a_cpu_s));
    format!(
        "no function by itself differs beyond noise, but {} with what it calls does: {number}",
        named(&most.name)
    )
}

pub(super) fn pieces(found: &ProfileFindings, of: &ProfileDifference) -> Vec<Piece> {
    let Some((a, b)) = pair(found, of) else { return Vec::new() };
    let heading = Piece::heading(format!("{} against {}", named(&b.name), named(&a.name)));
    let mut pieces = vec![heading];
    if of.functions.is_empty() {
        return pieces;
    }
    for (rows, is_full) in [(ROWS[1], true), (ROWS[0], false)] {
        let shown = |piece: Piece| if is_full { piece.in_full() } else { piece.in_brief() };
        pieces.push(shown(Piece::table(table(of, rows)).joined()));
        let left = of.functions.len().saturating_sub(rows);
        if left > 0 {
            let told = of.functions[rows..].iter().filter(|it| is_told(of, it)).count();
            let many = counted(left, "more function", "more functions");
            let said = format!("{many}, of which {told} differ beyond noise.");
            pieces.push(shown(Piece::plain(said).at(1).joined()));
        }
    }
    pieces.extend(too_few(of).map(|it| Piece::sentence(Rank::Warning, Tone::Doubt, it)));
    pieces.extend(guesses(of).into_iter().map(Piece::plain));
    pieces.push(Piece::plain(basis(of, &whole(&a.quality))));
    pieces
}

fn table(of: &ProfileDifference, rows: usize) -> Grid {
    let header = ["function", "self, points", "with callees, points", "verdict", "called by"];
    let mut grid = Grid::named(&header, &[4]);
    let share = |seconds: f64| seconds / of.a_cpu_s;
    for it in of.functions.iter().take(rows) {
        let (tone, verdict) = verdict(of, it);
        let name = match &it.renamed {
            Some(renamed) if it.is_guess => format!("{}, probably now {}", short(&it.name), short(renamed)),
            Some(renamed) => format!("{}, now {}", short(&it.name), short(renamed)),
            None => short(&it.name),
        };
        grid.push(
            tone,
            vec![
                name,
                signed_cell(share(it.self_s), share(it.self_low_s), share(it.self_high_s)),
                signed_cell(share(it.total_s), share(it.total_low_s), share(it.total_high_s)),
                verdict,
                it.caller.as_deref().map_or_else(String::new, caller),
            ],
        );
    }
    grid
}

/// Name of a caller, shortened so that the functions have room beside it.
fn caller(name: &str) -> String {
    shorten(&short(name), CALLER_MAX, "…")
}

/// Tone and word for the difference in a function's time, or for its presence in only one program: "slower", "faster
/// below", "gone", "new".
fn verdict(of: &ProfileDifference, it: &FunctionDifference) -> (Tone, String) {
    let (tone, told) = told(of, it);
    let presence = match it.only_in {
        Some(ProfiledSide::First) => "gone",
        Some(ProfiledSide::Second) => "new",
        None => "",
    };
    // A function that is gone takes less time and a new one takes more, so the verdict adds nothing.
    let words = if presence.is_empty() { told } else { presence };
    (tone, words.to_owned())
}

fn told(of: &ProfileDifference, it: &FunctionDifference) -> (Tone, &'static str) {
    match (is_told(of, it), it.self_s > 0.0) {
        (true, true) => (Tone::Bad, "slower"),
        (true, false) => (Tone::Good, "faster"),
        (false, _) if is_told_below(of, it) && it.total_s > 0.0 => (Tone::Bad, "slower below"),
        (false, _) if is_told_below(of, it) => (Tone::Good, "faster below"),
        _ => (Tone::Faint, ""),
    }
}

/// Sentence if there are so few pairs of runs that even differences in the same direction throughout would not be
/// significant: there are 2^(n−1) ways to flip the signs of n pairs. Otherwise `None`.
fn too_few(of: &ProfileDifference) -> Option<String> {
    let least = (1.0 / of.error.max(f64::MIN_POSITIVE)).log2().ceil() as u32 + 1;
    let pairs = counted(of.pairs as usize, "pair of runs tells", "pairs of runs tell");
    (of.pairs < least).then(|| {
        format!("{pairs} nothing at this level: at least {least} are needed (raise --runs, or leave it out).")
    })
}

/// Sentences about functions that only one program has, with a guess about their counterparts, on which no verdict
/// depends.
fn guesses(of: &ProfileDifference) -> Vec<String> {
    let one = |it: &FunctionDifference| {
        let name = named(&it.name);
        if let (Some(renamed), true) = (&it.renamed, it.is_guess) {
            let place = it
                .caller
                .as_deref()
                .map_or_else(String::new, |caller| format!(", also called from {}", named(caller)));
            return Some(format!(
                "{name} is gone, {} is new{place}: they are probably the same function, and compared as one.",
                named(renamed)
            ));
        }
        let caller = named(it.absorbed_by.as_deref()?);
        Some(match it.only_in? {
            ProfiledSide::First => format!(
                "{name} is gone, and {caller}, which called it, takes about so much more itself: probably inlined there."
            ),
            ProfiledSide::Second => format!(
                "{name} is new, and {caller}, which calls it, takes about so much less itself: probably no longer inlined there."
            ),
        })
    };
    of.functions.iter().filter_map(one).take(GUESSES_MAX).collect()
}

fn basis(of: &ProfileDifference, whole: &str) -> String {
    let pairs = counted(of.pairs as usize, "pair of runs", "pairs of runs");
    let sure = round_percent(1.0 - of.error);
    format!(
        "Points are per cent of the {whole} of a run of the first program, from {pairs}. All intervals hold together \
         with {sure}; in at most {} of such comparisons an unchanged function is called slower or faster.",
        round_percent(of.error)
    )
}
