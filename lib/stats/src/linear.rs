//! Basic linear algebra: orthonormal columns, and the inverse of a small symmetric matrix.

/// Scalar product of two vectors; the shorter length counts.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Orthonormal columns, built one by one (modified Gram-Schmidt).
#[derive(Clone, Debug, Default)]
pub struct Basis {
    columns: Vec<Vec<f64>>,
}

/// Minimum share of a column's length that must be linearly independent; a smaller part consists of rounding errors.
const NEW_SHARE_MIN: f64 = 1e-6;

impl Basis {
    /// Adds the part of a column that is linearly independent of the basis; returns whether there was any.
    pub fn push(&mut self, mut column: Vec<f64>) -> bool {
        let before = dot(&column, &column).sqrt();
        self.remove_from(&mut column);
        // Twice is enough: the second pass removes the rounding errors of the first (Kahan and Parlett).
        self.remove_from(&mut column);
        let length = dot(&column, &column).sqrt();
        let is_new = length > NEW_SHARE_MIN * before && before > 0.0;
        if is_new {
            column.iter_mut().for_each(|value| *value /= length);
            self.columns.push(column);
        }
        is_new
    }

    /// Adds the linearly independent parts of several columns.
    pub fn extend(&mut self, columns: impl IntoIterator<Item = Vec<f64>>) {
        for column in columns {
            self.push(column);
        }
    }

    /// Removes the projection of a vector on the space of the columns from the vector.
    pub fn remove_from(&self, vector: &mut [f64]) {
        for column in &self.columns {
            let along = dot(column, vector);
            vector.iter_mut().zip(column).for_each(|(value, column)| *value -= along * column);
        }
    }

    /// Sum of squares of the part of a vector that lies in the space of the columns.
    pub fn explains(&self, vector: &[f64]) -> f64 {
        self.columns.iter().map(|column| dot(column, vector).powi(2)).sum()
    }

    /// Length of the columns; zero if the basis is empty.
    pub fn length(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Number of columns.
    pub fn rank(&self) -> usize {
        self.columns.len()
    }
}

/// Inverse of a symmetric positive definite matrix, by elimination; `None` if it is singular.
pub fn inverse(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    let mut left = matrix.to_vec();
    let mut right: Vec<Vec<f64>> =
        (0..n).map(|row| (0..n).map(|column| f64::from(u8::from(row == column))).collect()).collect();
    let largest = (0..n).map(|at| matrix[at][at]).fold(0.0, f64::max);
    for pivot in 0..n {
        let scale = left[pivot][pivot];
        if scale <= 1e-12 * largest {
            return None;
        }
        for column in 0..n {
            left[pivot][column] /= scale;
            right[pivot][column] /= scale;
        }
        for row in (0..n).filter(|&row| row != pivot) {
            let factor = left[row][pivot];
            for column in 0..n {
                left[row][column] -= factor * left[pivot][column];
                right[row][column] -= factor * right[pivot][column];
            }
        }
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_basis_takes_what_is_new() {
        let mut basis = Basis::default();
        assert!(basis.push(vec![1.0, 1.0, 0.0]) && basis.push(vec![1.0, 0.0, 0.0]));
        assert!(!basis.push(vec![3.0, -2.0, 0.0]) && !basis.push(vec![0.0; 3]));
        assert_eq!(basis.rank(), 2);
        let mut vector = vec![4.0, 5.0, 6.0];
        assert!((basis.explains(&vector) - 41.0).abs() < 1e-9);
        basis.remove_from(&mut vector);
        assert!(vector[0].abs() < 1e-9 && vector[1].abs() < 1e-9 && vector[2] == 6.0);
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let matrix = vec![vec![4.0, 1.0, 0.5], vec![1.0, 3.0, 0.2], vec![0.5, 0.2, 2.0]];
        let inverse = inverse(&matrix).unwrap();
        for (row, line) in matrix.iter().enumerate() {
            // The inverse is symmetric, so its rows are its columns.
            for (column, other) in inverse.iter().enumerate() {
                assert!((dot(line, other) - f64::from(u8::from(row == column))).abs() < 1e-12);
            }
        }
        assert_eq!(super::inverse(&[vec![1.0, 1.0], vec![1.0, 1.0]]), None);
    }
}
