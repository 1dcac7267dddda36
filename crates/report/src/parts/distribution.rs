//! Distributions of readings, with the axis and the bins that all drawings share.

use fauxplat_model::Metric;

/// Minimum number of readings for a drawn distribution; with fewer, the table is easier to read.
const READINGS_MIN: usize = 5;

/// Maximum number of bins of a drawing; more would show noise, not shape.
const COLUMNS_MAX: usize = 60;

/// Distributions of readings that are drawn on one axis.
pub(crate) struct Distribution {
    /// Names of the distributions; empty if a single distribution is named by the surrounding pieces.
    pub(crate) names: Vec<String>,
    pub(crate) shape: Shape,
}

/// The data from which distributions are drawn.
pub(crate) enum Shape {
    /// All readings. Each drawing divides them into as many bins as suit its width.
    Readings { metric: Metric, axis: Axis, values: Vec<Sorted> },
    /// Counts of each distribution in bins that are given.
    Counts {
        /// Title of the drawing: the meaning of the axis and of the height of the columns.
        title: String,
        counts: Vec<Vec<u64>>,
        /// Labels of the two ends of the axis.
        ends: [String; 2],
    },
}

/// Distributions of which only counts are known, in bins of one axis.
pub struct Histograms {
    /// Title of the drawing: the meaning of the axis and of the height of the columns.
    pub title: String,
    pub names: Vec<String>,
    /// Counts of each distribution, one for each bin.
    pub counts: Vec<Vec<u64>>,
    /// Labels of the two ends of the axis.
    pub ends: [String; 2],
}

impl From<Histograms> for Distribution {
    fn from(Histograms { title, names, counts, ends }: Histograms) -> Self {
        Distribution { names, shape: Shape::Counts { title, counts, ends } }
    }
}

impl Distribution {
    /// Distributions of readings on a common axis; `None` if there is nothing to draw.
    pub(crate) fn of(metric: Metric, names: Vec<String>, values: Vec<Sorted>) -> Option<Self> {
        let axis = Axis::of(&values.iter().collect::<Vec<_>>())?;
        Some(Distribution { names, shape: Shape::Readings { metric, axis, values } })
    }
}

/// The finite readings of one command, in rising order.
pub(crate) struct Sorted(Vec<f64>);

impl Sorted {
    pub(crate) fn new(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        Sorted(values)
    }

    pub(crate) fn is_drawable(&self) -> bool {
        self.0.len() >= READINGS_MIN
    }

    fn quantile(&self, share: f64) -> f64 {
        self.0[((self.0.len() - 1) as f64 * share).round() as usize]
    }

    /// The median of the readings; `None` without readings.
    pub(crate) fn median(&self) -> Option<f64> {
        let (upper, lower) = (self.0.len() / 2, self.0.len().saturating_sub(1) / 2);
        Some(self.0.get(lower)? / 2.0 + self.0.get(upper)? / 2.0)
    }
}

/// The range of values that is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Width of a bin at which the narrowest of the distributions shows its shape, without gaps from too few readings
    /// per bin.
    bin: f64,
}

/// An axis divided into bins.
#[derive(Clone, Copy)]
pub(crate) struct Raster {
    pub(crate) axis: Axis,
    pub(crate) bins: usize,
    /// Number of characters that a bin takes in a drawing with characters.
    pub(crate) stretch: usize,
}

impl Axis {
    /// An axis for the readings of several commands; `None` if there is nothing to draw.
    ///
    /// The axis ends three interquartile ranges beyond the quartiles (Tukey's outer fences): otherwise one outlier
    /// would squeeze all other readings into a single column. Readings beyond the axis are counted, not hidden. The
    /// bins have half the width of Freedman and Diaconis (1981), one interquartile range over the cube root of the
    /// number of readings, since the eye itself smooths.
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

    /// Index of the character of the drawn line in which a value lies; `None` if the value is beyond the axis.
    pub(crate) fn character(self, value: f64) -> Option<usize> {
        let characters = Raster { bins: self.bins * self.stretch, stretch: 1, ..self };
        characters.bin(value)
    }

    pub(crate) fn count(self, series: &Sorted) -> (Vec<usize>, usize) {
        let mut bins = vec![0; self.bins];
        let mut beyond = 0;
        for &value in &series.0 {
            match self.bin(value) {
                Some(bin) => bins[bin] += 1,
                None => beyond += 1,
            }
        }
        (bins, beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(values: &[f64]) -> Sorted {
        Sorted::new(values.iter().copied())
    }

    #[test]
    fn nothing_is_drawn_of_a_few_or_equal_readings() {
        assert_eq!(Axis::of(&[&sorted(&[1.0, 2.0])]), None);
        assert_eq!(Axis::of(&[&sorted(&[3.0; 20])]), None);
        assert_eq!(Axis::of(&[]), None);
    }

    #[test]
    fn the_middle_of_nothing_is_nothing() {
        assert_eq!(sorted(&[]).median(), None);
        assert_eq!(sorted(&[1.0]).median(), Some(1.0));
        assert_eq!(sorted(&[4.0, 1.0, 2.0, f64::NAN, 9.0]).median(), Some(3.0));
    }

    #[test]
    fn a_straggler_does_not_squeeze_the_rest_and_is_counted() {
        let mut values: Vec<f64> = (0..40).map(|index| 100.0 + f64::from(index % 10)).collect();
        values.push(10_000.0);
        let series = sorted(&values);
        let axis = Axis::of(&[&series]).unwrap();
        assert!(axis.low == 100.0 && axis.high < 200.0, "{axis:?}");
        let (bins, beyond) = axis.raster(40).count(&series);
        assert_eq!((bins.iter().sum::<usize>(), beyond), (40, 1));
    }

    #[test]
    fn series_of_several_commands_share_an_axis_that_holds_both() {
        let [a, b] = [[10.0, 11.0, 12.0, 13.0, 14.0], [30.0, 31.0, 32.0, 33.0, 34.0]].map(|it| sorted(&it));
        let axis = Axis::of(&[&a, &b]).unwrap();
        assert_eq!((axis.low, axis.high), (10.0, 34.0));
        // Readings that are too few to be drawn do not influence the axis.
        let few = sorted(&[1e9]);
        assert_eq!(Axis::of(&[&a, &b, &few]), Some(axis));
        assert_eq!(axis.raster(30).count(&few), (vec![0; axis.raster(30).bins], 1));
    }

    proptest! {
        /// Every reading is in one bin or beyond all bins; a raster is never wider than its room.
        #[test]
        fn no_reading_is_lost(values in proptest::collection::vec(0.0f64..1e9, 5..60), room in 0usize..200) {
            let series = sorted(&values);
            let Some(axis) = Axis::of(&[&series]) else { return Ok(()) };
            let raster = axis.raster(room);
            let (bins, beyond) = raster.count(&series);
            prop_assert_eq!(bins.iter().sum::<usize>() + beyond, values.len());
            prop_assert!(raster.bins * raster.stretch <= room.clamp(8, COLUMNS_MAX), "{} {}", raster.bins, raster.stretch);
            let median = series.median().unwrap();
            let place = raster.character(median);
            prop_assert!(place.is_some_and(|place| place < raster.bins * raster.stretch), "{:?}", place);
        }

        #[test]
        fn the_middle_has_as_many_below_as_above(values in proptest::collection::vec(-1e9f64..1e9, 1..40)) {
            let median = sorted(&values).median().unwrap();
            let below = values.iter().filter(|value| **value < median).count();
            let above = values.iter().filter(|value| **value > median).count();
            prop_assert!(below <= values.len() / 2 && above <= values.len() / 2, "{} {}", below, above);
        }
    }
}
