//! The functions of one profile: the answer, and a table of the functions with the most samples.

use fauxplat_model::{FunctionShare, Profile, ProfileFindings, Whole};

use super::words::{ROWS, cell, file, named, share, share_within, short, whole};
use crate::parts::{Grid, Piece, Tone};
use crate::words::counted;

/// The answer, such as "41.2 % (39.8–42.6 %) of the CPU time of `prog` is in `parse_line`."
pub(super) fn answer(profile: &Profile) -> Piece {
    let (name, quality) = (named(&profile.name), &profile.quality);
    let said = match profile.functions.first() {
        _ if quality.samples == 0 => format!("No sample of {name} was taken."),
        None => format!("No function of {name} is known, of {} samples.", quality.samples),
        Some(top) => {
            let is = if quality.whole() == Whole::Events { "are" } else { "is" };
            format!(
                "{} of the {} of {name} {is} in {}.",
                share_within(top.self_share, top.self_low, top.self_high),
                whole(quality),
                named(&top.name)
            )
        }
    };
    let is_sure = quality.samples >= super::quality::SAMPLES_MIN && !profile.functions.is_empty();
    Piece::answer(if is_sure { Tone::Title } else { Tone::Doubt }, said)
}

/// Table of the functions, which is longer in a full report, and a sentence about functions that it leaves out.
pub(super) fn pieces(found: &ProfileFindings, profile: &Profile) -> Vec<Piece> {
    if profile.functions.is_empty() {
        return Vec::new();
    }
    let [brief, full] = ROWS;
    let mut pieces = vec![Piece::table(table(found, profile, full)).in_full()];
    pieces.extend(rest(profile, full).map(|it| Piece::plain(it).at(1).joined().in_full()));
    pieces.push(Piece::table(table(found, profile, brief)).in_brief());
    pieces.extend(rest(profile, brief).map(|it| Piece::plain(it).at(1).joined().in_brief()));
    pieces
}

fn table(found: &ProfileFindings, profile: &Profile, rows: usize) -> Grid {
    let header = ["function", "self (95 %)", "with callees (95 %)", "file"];
    let mut grid = Grid::named(&header, &[3]);
    for function in profile.functions.iter().take(rows) {
        grid.push(Tone::Plain, row(found, function));
    }
    grid
}

fn row(found: &ProfileFindings, of: &FunctionShare) -> Vec<String> {
    let object = of.object.and_then(|place| found.objects.get(place as usize));
    vec![
        format!("{}{}", short(&of.name), remark(of)),
        cell(of.self_share, of.self_low, of.self_high),
        cell(of.total_share, of.total_low, of.total_high),
        object.map_or_else(String::new, |object| file(&object.path)),
    ]
}

/// Remark that the function is inlined into all of its callers, or into some of them; empty if into none.
fn remark(of: &FunctionShare) -> &'static str {
    match of.inlined_samples {
        0 => "",
        inlined if inlined >= of.total_samples => " (inlined)",
        _ => " (partly inlined)",
    }
}

/// Sentence with the number of functions that the table leaves out, and their share; `None` if it has all.
fn rest(profile: &Profile, rows: usize) -> Option<String> {
    let left = profile.functions.get(rows..).filter(|left| !left.is_empty())?;
    let held = share(left.iter().map(|function| function.self_share).sum());
    let many = counted(left.len(), "more function holds", "more functions hold");
    Some(format!("{many} {held} by themselves."))
}
