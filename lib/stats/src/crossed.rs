//! Two crossed factors: main effects and interaction.

use std::collections::BTreeMap;

use crate::noncentral::{Noncentrality, squares_of_effects};

/// A cell of the table of two factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Level of the first factor.
    pub row: u16,
    /// Level of the second factor.
    pub column: u16,
    /// Effect of the cell.
    pub effect: f64,
    /// Standard error of `effect`.
    pub error: f64,
}

/// Mean squared effects over the table, with intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossed {
    /// Effect of the first factor, with the second held constant.
    pub rows: Noncentrality,
    /// Effect of the second factor, with the first held constant.
    pub columns: Noncentrality,
    /// Effect of the interaction: the joint effect beyond the sum of both main effects.
    pub interaction: Noncentrality,
}

/// Decomposes a table of effects by an analysis of variance of unweighted means (Yates 1934; Searle, "Linear Models for
/// Unbalanced Data", section 4.4), whose error is the mean of the cells' squared errors with `df` degrees of freedom.
/// Intervals are at `level`. `None` unless the table is complete and has at least two rows and two columns.
pub fn crossed(cells: &[Cell], df: f64, level: f64) -> Option<Crossed> {
    let means = |key: fn(&Cell) -> u16| {
        let mut groups: BTreeMap<u16, Vec<f64>> = BTreeMap::new();
        cells.iter().for_each(|cell| groups.entry(key(cell)).or_default().push(cell.effect));
        groups.into_iter().map(|(key, of)| (key, of.iter().sum::<f64>() / of.len() as f64)).collect()
    };
    let (rows, columns): (BTreeMap<u16, f64>, BTreeMap<u16, f64>) =
        (means(|cell| cell.row), means(|cell| cell.column));
    let (a, b) = (rows.len(), columns.len());
    if a < 2 || b < 2 || cells.len() != a * b || df < 1.0 {
        return None;
    }
    let n = cells.len() as f64;
    let grand = cells.iter().map(|cell| cell.effect).sum::<f64>() / n;
    let noise = cells.iter().map(|cell| cell.error.powi(2)).sum::<f64>() / n;
    let main = |means: &BTreeMap<u16, f64>, each: usize| {
        each as f64 * means.values().map(|mean| (mean - grand).powi(2)).sum::<f64>()
    };
    let left = |cell: &Cell| (cell.effect - rows[&cell.row] - columns[&cell.column] + grand).powi(2);
    let part = |squares: f64, df1: usize| mean_square(squares, df1 as f64, noise, df, level, n);
    Some(Crossed {
        rows: part(main(&rows, b), a - 1),
        columns: part(main(&columns, a), b - 1),
        interaction: part(cells.iter().map(left).sum(), (a - 1) * (b - 1)),
    })
}

/// The mean squared effect for a sum of squares over `n` cells.
fn mean_square(squares: f64, df1: f64, noise: f64, df2: f64, level: f64, n: f64) -> Noncentrality {
    if noise <= 0.0 {
        return Noncentrality { low: squares / n, estimate: squares / n, high: squares / n };
    }
    let all = squares_of_effects(squares, df1, noise, df2, level);
    Noncentrality { low: all.low / n, estimate: all.estimate / n, high: all.high / n }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(effect: impl Fn(f64, f64) -> f64, error: f64) -> Vec<Cell> {
        let cell = |i: u16| {
            let (row, column) = (i / 4, i % 4);
            Cell { row, column, effect: effect(row.into(), column.into()), error }
        };
        (0..12).map(cell).collect()
    }

    #[test]
    fn parts_of_a_table() {
        let additive = crossed(&table(|a, b| 3.0 * a + b, 0.1), 60.0, 0.05).unwrap();
        // Rows 0, 3, 6 have variance 6, columns 0 to 3 have 1.25.
        assert!((additive.rows.estimate - 6.0).abs() < 0.3, "{additive:?}");
        assert!((additive.columns.estimate - 1.25).abs() < 0.1, "{additive:?}");
        assert_eq!((additive.interaction.low, additive.interaction.estimate), (0.0, 0.0));
        let product = crossed(&table(|a, b| (a - 1.0) * (b - 1.5), 0.1), 60.0, 0.05).unwrap();
        assert!(product.rows.estimate < 0.01 && product.interaction.low > 0.5, "{product:?}");
    }

    #[test]
    fn holes_are_refused() {
        let mut cells = table(|a, b| a + b, 0.1);
        cells.pop();
        assert_eq!(crossed(&cells, 60.0, 0.05), None);
        assert_eq!(crossed(&cells[..4], 60.0, 0.05), None);
    }
}
