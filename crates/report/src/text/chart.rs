//! Small drawings of distributions: one column per bin, one line per command, all on one axis.

use unicode_width::UnicodeWidthStr;

use crate::words::Scale;

/// Fewer readings than this are better read in the table.
const READINGS_MIN: usize = 5;

/// More columns than this add noise, not shape.
const COLUMNS_MAX: usize = 60;

/// Heights of a bar, lowest first; the first is an empty bin.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 9] = [' ', '.', ':', '-', '=', '+', '*', '#', '@'];

/// Readings of one command, in rising order.
pub(crate) struct Sorted(Vec<f64>);

impl Sorted {
    pub(crate) fn new(mut values: Vec<f64>) -> Self {
        values.retain(|value| value.is_finite());
        values.sort_by(f64::total_cmp);
        Sorted(values)
    }

    pub(crate) fn is_drawable(&self) -> bool {
        self.0.len() >= READINGS_MIN
    }

    fn quantile(&self, share: f64) -> f64 {
        self.0[((self.0.len() - 1) as f64 * share).round() as usize]
    }

    fn median(&self) -> f64 {
        let upper = self.0.len() / 2;
        let lower = (self.0.len() - 1) / 2;
        self.0[lower] / 2.0 + self.0[upper] / 2.0
    }
}

/// The stretch of the number line that is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// An axis for several commands, if there is anything to see on it.
    ///
    /// It ends three interquartile ranges beyond the quartiles (Tukey's outer fences): one straggler would otherwise
    /// squeeze the rest into a single column. What lies beyond is counted, not hidden.
    pub(crate) fn of(series: &[&Sorted]) -> Option<Axis> {
        let ends = series.iter().filter(|it| it.is_drawable()).map(|it| {
            let (q1, q3) = (it.quantile(0.25), it.quantile(0.75));
            let reach = 3.0 * (q3 - q1);
            (it.quantile(0.0).max(q1 - reach), it.quantile(1.0).min(q3 + reach))
        });
        let (low, high) = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        (high > low && (high - low).is_finite()).then_some(Axis { low, high })
    }

    /// Its left end, in the unit of the metric.
    pub(crate) fn low(self) -> f64 {
        self.low
    }

    /// Its right end.
    pub(crate) fn high(self) -> f64 {
        self.high
    }

    fn column(self, value: f64, columns: usize) -> Option<usize> {
        let within = (self.low..=self.high).contains(&value);
        let share = (value - self.low) / (self.high - self.low);
        within.then(|| ((share * columns as f64) as usize).min(columns - 1))
    }
}

/// A drawing of one series.
pub(crate) struct Drawing {
    /// One character per bin.
    pub(crate) bars: String,
    /// Blanks, and the mark under the bin of the median.
    pub(crate) mark: String,
    /// Readings that lie off the axis.
    pub(crate) beyond: usize,
}

/// Draws a series; every bin that holds a reading shows at least the lowest bar.
pub(crate) fn draw(series: &Sorted, axis: Axis, columns: usize, unicode: bool) -> Drawing {
    let mut bins = vec![0usize; columns];
    let mut beyond = 0;
    for &value in &series.0 {
        match axis.column(value, columns) {
            Some(column) => bins[column] += 1,
            None => beyond += 1,
        }
    }
    let fullest = bins.iter().copied().max().unwrap_or(0).max(1);
    let heights = if unicode { BLOCKS } else { ASCII };
    let bars = bins.iter().map(|&count| heights[(count * 8).div_ceil(fullest)]).collect();
    let mark = match series.is_drawable().then(|| axis.column(series.median(), columns)).flatten() {
        Some(column) => format!("{}{}", " ".repeat(column), if unicode { '▲' } else { '^' }),
        None => String::new(),
    };
    Drawing { bars, mark, beyond }
}

/// How many bins fit beside `taken` columns of text.
pub(crate) fn columns(width: usize, taken: usize) -> usize {
    width.saturating_sub(taken).clamp(8, COLUMNS_MAX)
}

/// The ends of the axis under the bars: the low one at the left, the high one at the right.
pub(crate) fn ends(axis: Axis, scale: Scale, columns: usize) -> String {
    let (low, high) = (scale.with_unit(axis.low), scale.with_unit(axis.high));
    let gap = columns.saturating_sub(low.width() + high.width()).max(1);
    format!("{low}{}{high}", " ".repeat(gap))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(values: &[f64]) -> Sorted {
        Sorted::new(values.to_vec())
    }

    #[test]
    fn a_straggler_is_counted_instead_of_squeezing_the_rest() {
        let mut values: Vec<f64> = (0..100).map(f64::from).collect();
        values.push(1e6);
        let series = sorted(&values);
        let axis = Axis::of(&[&series]).unwrap();
        let drawing = draw(&series, axis, 10, true);
        assert_eq!(drawing.beyond, 1);
        assert_eq!(drawing.bars.chars().count(), 10);
        assert!(drawing.bars.starts_with('█'), "{}", drawing.bars);
    }

    #[test]
    fn the_mark_stands_under_the_median() {
        let series = sorted(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
        let drawing = draw(&series, Axis::of(&[&series]).unwrap(), 11, false);
        assert_eq!(drawing.bars, "@".repeat(11));
        assert_eq!(drawing.mark, "     ^");
    }

    #[test]
    fn nothing_is_drawn_of_a_few_or_equal_readings() {
        assert_eq!(Axis::of(&[&sorted(&[1.0, 2.0])]), None);
        assert_eq!(Axis::of(&[&sorted(&[3.0; 20])]), None);
        assert_eq!(Axis::of(&[]), None);
    }
}
