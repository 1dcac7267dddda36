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
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Width of a bin that neither combs nor flattens the narrowest of the series.
    bin: f64,
}

/// An axis laid over characters.
#[derive(Clone, Copy)]
pub(crate) struct Raster {
    axis: Axis,
    bins: usize,
    /// Characters per bin.
    stretch: usize,
}

impl Axis {
    /// An axis for several commands, if there is anything to see on it.
    ///
    /// It ends three interquartile ranges beyond the quartiles (Tukey's outer fences): one straggler would otherwise
    /// squeeze the rest into a single column. What lies beyond is counted, not hidden. The bins have half the width
    /// of Freedman and Diaconis (1981), one interquartile range over the cube root of the number of readings, since
    /// the eye smooths by itself.
    pub(crate) fn of(series: &[&Sorted]) -> Option<Axis> {
        let own = series.iter().filter(|it| it.is_drawable()).map(|it| {
            let (q1, q3) = (it.quantile(0.25), it.quantile(0.75));
            let reach = 3.0 * (q3 - q1);
            let bin = (q3 - q1) / (it.0.len() as f64).cbrt();
            Axis { low: it.quantile(0.0).max(q1 - reach), high: it.quantile(1.0).min(q3 + reach), bin }
        });
        let axis = own.reduce(|a, b| Axis {
            low: a.low.min(b.low),
            high: a.high.max(b.high),
            bin: a.bin.min(b.bin),
        })?;
        (axis.high > axis.low && (axis.high - axis.low).is_finite()).then_some(axis)
    }

    /// The axis over at most so many characters.
    pub(crate) fn raster(self, room: usize) -> Raster {
        let room = room.clamp(8, COLUMNS_MAX);
        let wanted = ((self.high - self.low) / self.bin).ceil();
        let bins = if wanted.is_finite() { (wanted as usize).clamp(8, room) } else { room };
        let stretch = room.div_ceil(bins);
        Raster { axis: self, bins: room / stretch, stretch }
    }
}

impl Raster {
    fn bin(self, value: f64) -> Option<usize> {
        let Axis { low, high, .. } = self.axis;
        let share = (value - low) / (high - low);
        (low..=high).contains(&value).then(|| ((share * self.bins as f64) as usize).min(self.bins - 1))
    }

    /// The character under which a value lies.
    fn character(self, value: f64) -> Option<usize> {
        let characters = Raster { bins: self.bins * self.stretch, stretch: 1, ..self };
        characters.bin(value)
    }
}

/// A drawing of one series.
pub(crate) struct Drawing {
    /// The bins.
    pub(crate) bars: String,
    /// Blanks, and the mark under the median.
    pub(crate) mark: String,
    /// Readings that lie off the axis.
    pub(crate) beyond: usize,
}

/// Draws a series; every bin that holds a reading shows at least the lowest bar.
pub(crate) fn draw(series: &Sorted, raster: Raster, unicode: bool) -> Drawing {
    let mut bins = vec![0usize; raster.bins];
    let mut beyond = 0;
    for &value in &series.0 {
        match raster.bin(value) {
            Some(bin) => bins[bin] += 1,
            None => beyond += 1,
        }
    }
    let fullest = bins.iter().copied().max().unwrap_or(0).max(1);
    let heights = if unicode { BLOCKS } else { ASCII };
    let height = |&count: &usize| heights[(count * 8).div_ceil(fullest)];
    let bars = bins.iter().flat_map(|count| std::iter::repeat_n(height(count), raster.stretch)).collect();
    let median = series.is_drawable().then(|| raster.character(series.median())).flatten();
    let mark = median.map_or_else(String::new, |column| format!("{}{}", " ".repeat(column), mark(unicode)));
    Drawing { bars, mark, beyond }
}

/// A column for each count, as high as the logarithm of its share of the fullest: a tail of single readings beside
/// thousands stays in sight, and every bin that holds one shows at least the lowest bar.
pub(crate) fn tails(counts: &[u64], unicode: bool) -> String {
    let fullest = counts.iter().copied().max().unwrap_or(0);
    let heights = if unicode { BLOCKS } else { ASCII };
    let whole = (fullest as f64).ln_1p();
    let height =
        |&count: &u64| heights[((count as f64).ln_1p() / whole * 8.0).ceil().clamp(0.0, 8.0) as usize];
    counts.iter().map(height).collect()
}

/// The mark under a median.
pub(crate) fn mark(unicode: bool) -> char {
    if unicode { '▲' } else { '^' }
}

/// The ends of the axis under the bars: the low one at the left, the high one at the right.
pub(crate) fn ends(raster: Raster, scale: Scale) -> String {
    let (low, high) = (scale.with_unit(raster.axis.low), scale.with_unit(raster.axis.high));
    let gap = (raster.bins * raster.stretch).saturating_sub(low.width() + high.width()).max(1);
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
        let drawing = draw(&series, axis.raster(20), true);
        assert_eq!(drawing.beyond, 1);
        assert!(drawing.bars.starts_with('█'), "{}", drawing.bars);
        assert_eq!(drawing.bars.chars().filter(|&bar| bar == ' ').count(), 11, "{}", drawing.bars);
    }

    #[test]
    fn the_mark_stands_under_the_median() {
        let series = sorted(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
        let drawing = draw(&series, Axis::of(&[&series]).unwrap().raster(33), false);
        assert_eq!(drawing.bars.len(), 30);
        assert_eq!(drawing.mark, format!("{}^", " ".repeat(15)));
    }

    #[test]
    fn a_single_reading_beside_a_million_is_seen() {
        assert_eq!(tails(&[1_000_000, 1000, 1, 0], true), "█▅▁ ");
        assert_eq!(tails(&[0, 0], false), "  ");
    }

    #[test]
    fn nothing_is_drawn_of_a_few_or_equal_readings() {
        assert_eq!(Axis::of(&[&sorted(&[1.0, 2.0])]), None);
        assert_eq!(Axis::of(&[&sorted(&[3.0; 20])]), None);
        assert_eq!(Axis::of(&[]), None);
    }
}
