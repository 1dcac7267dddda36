//! Drawings of a lab: published and measured figures on one axis.

use fauxplat_model::{
    Claim, ClaimResult, Direction, LabDrawing, LabLine, LabMeasured, LabOutcome, LabResult, LabRule,
    is_no_bound,
};

use crate::parts::{Across, Effect, Effects, Line, Medium, Part, Piece, Point, Rule, Series, Tone, Values};

use crate::words::visible;

/// Minimum height that intervals may have above and below the points, in the unit of the points.
const ROOM_MIN: f64 = 0.05;
/// Maximum number of points of a line; more would not be distinguishable.
const POINTS_MAX: usize = 2000;

/// Drawings of every claim with figures: the published figure, and the measured one below it. Ratios are drawn
/// unchanged, figures in other units as a ratio to the published figure.
pub(super) fn claims(lab: &LabResult) -> Vec<Piece> {
    let of = |is_ratio: bool, title: &str| {
        let claims = lab.claims.iter().filter(|one| one.claim.unit.starts_with("times") == is_ratio);
        let rows: Vec<Effect> = claims.flat_map(|one| rows(one, is_ratio)).collect();
        let description = format!(
            "{title}: for each claim the published figure, or the middle and both ends of a range, and that of this \
             machine"
        );
        (!rows.is_empty())
            .then(|| Piece::effects(Effects { title: title.to_owned(), description, margin: 0.0, rows }))
    };
    let all = [
        of(true, "published and measured here, as changes"),
        of(false, "published and measured here, as ratios to the published figure"),
    ];
    all.into_iter().flatten().collect()
}

/// The rows of a drawing for one claim; empty without a measured figure.
fn rows(one: &ClaimResult, is_ratio: bool) -> Vec<Effect> {
    let (claim, figures) = (&one.claim, published(&one.claim));
    let bound = bound(claim, is_ratio).filter(|_| figures.is_none());
    let scale = if is_ratio { Some(1.0) } else { centre(claim).or(bound.map(|_| claim.than)) };
    let (Some(here), Some(scale)) = (one.measured, scale) else { return Vec::new() };
    let end = |end: f64| (!is_no_bound(end)).then_some(end / scale);
    let row = |what: &str, tone: Tone, value: f64, [low, high]: [Option<f64>; 2]| {
        let ratio = value / scale;
        let is_drawable = ratio.is_finite() && ratio > 0.0;
        is_drawable.then(|| Effect {
            name: format!("{}, {what}", visible(&one.name)),
            tone,
            ratio,
            low,
            high,
        })
    };
    let figures = figures
        .and_then(|it| row("published", Tone::Plain, it.value, [it.low, it.high].map(|it| Some(it / scale))));
    let bound = bound
        .and_then(|it| row("published bound", Tone::Plain, claim.than, it.map(|it| it.map(|it| it / scale))));
    let tone = if one.outcome == Some(LabOutcome::Reproduced) { Tone::Good } else { Tone::Bad };
    let here = row("here", tone, here.value, [here.low, here.high].map(end));
    figures.into_iter().chain(bound).chain(here).collect()
}

/// The interval of a claim that figures lie above or below a number; `None` for other claims, and if the number is a
/// ratio of one, which the axis already shows.
fn bound(claim: &Claim, is_ratio: bool) -> Option<[Option<f64>; 2]> {
    let is_there = claim.than.is_finite() && claim.than > 0.0 && !(is_ratio && claim.than == 1.0);
    match claim.direction.filter(|_| is_there)? {
        Direction::Above => Some([Some(claim.than), None]),
        Direction::Below => Some([None, Some(claim.than)]),
        Direction::At => None,
    }
}

/// The published range with its centre; `None` without a published figure.
fn published(claim: &Claim) -> Option<LabMeasured> {
    let value = centre(claim)?;
    Some(LabMeasured { value, low: claim.low.unwrap_or(value), high: claim.high.unwrap_or(value) })
}

/// The geometric centre of a claim's published range, or the only published figure; `None` if there is none above zero.
fn centre(claim: &Claim) -> Option<f64> {
    let centre = match (claim.low, claim.high) {
        (Some(low), Some(high)) => (low * high).sqrt(),
        (one, other) => one.or(other)?,
    };
    (centre.is_finite() && centre > 0.0).then_some(centre)
}

/// The drawing that a program of the lab printed; empty without points.
pub(super) fn given(drawing: &LabDrawing) -> Vec<Piece> {
    let mut lines: Vec<Line> = drawing.lines.iter().map(line).collect();
    if lines.iter().all(|line| line.points.is_empty()) {
        return Vec::new();
    }
    cut(&mut lines, drawing);
    let rule = |of: &LabRule| Rule {
        value: of.value,
        low: of.value,
        high: of.high.unwrap_or(of.value),
        name: visible(&of.name),
        is_reference: true,
    };
    let title = visible(&drawing.title);
    let series = Series {
        title: "change".to_owned(),
        description: title.clone(),
        caption: title.clone(),
        values: Values::Change,
        across: Across {
            label: visible(&drawing.across),
            names: (!drawing.names.is_empty()).then(|| drawing.names.iter().map(|it| visible(it)).collect()),
        },
        lines,
        rules: drawing.rules.iter().map(rule).collect(),
        is_zoom: false,
    };
    let pieces = [Piece::heading(title), Piece::new(Part::Series(series))];
    pieces.into_iter().map(|piece| piece.only(&[Medium::Page])).collect()
}

/// Shortens intervals that would leave no room for the points.
fn cut(lines: &mut [Line], drawing: &LabDrawing) {
    let points = lines.iter().flat_map(|line| line.points.iter().map(|point| point.median));
    let rules = drawing.rules.iter().flat_map(|rule| [Some(rule.value), rule.high].into_iter().flatten());
    let (low, high) = points
        .chain(rules)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let room = (high - low).max(ROOM_MIN);
    for point in lines.iter_mut().flat_map(|line| &mut line.points) {
        point.low = point.low.max(low - room);
        point.high = point.high.min(high + room);
    }
}

/// A line of a drawing with its points. Two points are not connected, since nothing is known between them.
fn line(of: &LabLine) -> Line {
    let points: Vec<Point> = of.points.iter().take(POINTS_MAX).filter_map(|it| point(it, &of.name)).collect();
    Line { name: visible(&of.name), is_drawn_through: points.len() > 2, points }
}

/// A point of a drawing with its interval, from numbers in the order x, value, low, high; `None` without a value.
fn point(numbers: &[f64], name: &str) -> Option<Point> {
    let (&x, &median) = (numbers.first()?, numbers.get(1)?);
    let end = |at: usize| numbers.get(at).copied().unwrap_or(median);
    let hint = format!("{}: {x}, {median:.3} times", visible(name));
    Some(Point { x, median, low: end(2), high: end(3), hint, weight: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(unit: &str, figures: [Option<f64>; 2], measured: Option<f64>) -> ClaimResult {
        let [low, high] = figures;
        ClaimResult {
            name: "c".into(),
            outcome: Some(LabOutcome::Reproduced),
            claim: Claim { unit: unit.into(), low, high, ..Claim::default() },
            measured: measured.map(|value| LabMeasured { value, low: value, high: value }),
            reason: None,
        }
    }

    fn ratios(one: &ClaimResult) -> Vec<f64> {
        rows(one, one.claim.unit.starts_with("times")).iter().map(|row| row.ratio).collect()
    }

    #[test]
    fn ratios_are_drawn_as_they_are_and_other_figures_over_the_published_one() {
        assert_eq!(ratios(&claim("times the other", [Some(1.0), Some(4.0)], Some(3.0))), [2.0, 3.0]);
        assert_eq!(ratios(&claim("seconds", [Some(10.0), Some(40.0)], Some(5.0))), [1.0, 0.25]);
        assert_eq!(ratios(&claim("times", [None, None], Some(3.0))), [3.0], "a direction has no figure");
        assert_eq!(ratios(&claim("seconds", [None, Some(8.0)], Some(4.0))), [1.0, 0.5]);
        for without in [
            claim("times", [Some(1.0), None], None),
            claim("seconds", [None, None], Some(1.0)),
            claim("seconds", [Some(0.0), Some(0.0)], Some(1.0)),
        ] {
            assert_eq!(ratios(&without), [0.0; 0]);
        }
        assert_eq!(
            ratios(&claim("times", [Some(2.0), None], Some(-1.0))),
            [2.0],
            "a negative ratio has no place"
        );
    }

    #[test]
    fn a_bound_is_drawn_where_no_figure_was_published() {
        let with = |unit: &str, direction, than, measured: LabMeasured| {
            let mut one = claim(unit, [None, None], None);
            (one.claim.direction, one.claim.than, one.measured) = (Some(direction), than, Some(measured));
            rows(&one, unit.starts_with("times"))
                .iter()
                .map(|row| (row.ratio, row.low, row.high))
                .collect::<Vec<_>>()
        };
        let open = LabMeasured { value: 0.01, low: (-13.8_f64).exp(), high: 13.8_f64.exp() };
        assert_eq!(
            with("times the time", Direction::Below, 0.5, open),
            [(0.5, None, Some(0.5)), (0.01, None, None)]
        );
        let share = LabMeasured { value: 95.0, low: 90.0, high: 100.0 };
        assert_eq!(
            with("% of it", Direction::Above, 50.0, share),
            [(1.0, Some(1.0), None), (1.9, Some(1.8), Some(2.0))]
        );
        let alike = LabMeasured { value: 2.0, low: 1.5, high: 2.5 };
        assert_eq!(with("times", Direction::Above, 1.0, alike), [(2.0, Some(1.5), Some(2.5))]);
    }

    #[test]
    fn a_drawing_without_points_is_none() {
        let of = |points: Vec<Vec<f64>>| LabDrawing {
            title: "t".into(),
            across: "a".into(),
            names: Vec::new(),
            lines: vec![LabLine { name: "here".into(), points }],
            rules: Vec::new(),
        };
        assert!(given(&of(Vec::new())).is_empty() && given(&of(vec![vec![1.0]])).is_empty());
        let drawing = of(vec![vec![1.0, 2.0], vec![2.0, 3.0, 2.5, 1e6]]);
        assert_eq!(given(&drawing).len(), 2);
        let mut lines: Vec<Line> = drawing.lines.iter().map(line).collect();
        cut(&mut lines, &drawing);
        assert_eq!((lines[0].points[1].low, lines[0].points[1].high), (2.5, 4.0), "the interval is cut off");
    }
}
