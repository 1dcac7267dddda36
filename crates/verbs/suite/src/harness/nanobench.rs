//! nanobench: <https://nanobench.ankerl.com>.

use super::unit::number;
use super::{Harness, Output, Reading, Told, Unit, numbered};
use crate::error::SuiteError;

/// The harness nanobench, whose programs always run all benchmarks and print tables.
#[derive(Debug)]
pub(super) struct Nanobench;

/// End of the heading of the column with the time per operation, such as `ns/op`.
const TIME: &str = "/op";

impl Harness for Nanobench {
    fn name(&self) -> String {
        "nanobench".to_owned()
    }

    fn listed(&self, output: &Output) -> Result<Vec<String>, SuiteError> {
        Ok(self.told(output)?.readings.into_iter().map(|it| it.name).collect())
    }

    fn told(&self, output: &Output) -> Result<Told, SuiteError> {
        // Index and heading of the column with times, and the number of columns of the table.
        let mut column: Option<(usize, String, usize)> = None;
        let mut found: Vec<(String, f64, Unit)> = Vec::new();
        for cells in output.stdout.lines().filter_map(cells) {
            // Each table has its own heading and unit. Columns of counters have headings such as `ins/op`.
            if let Some(at) = cells
                .iter()
                .map(|cell| cell.trim())
                .position(|cell| Unit::reading(1.0, cell).1 == Unit::Ns && cell.ends_with(TIME))
            {
                column = Some((at, cells[at].trim().to_owned(), cells.len()));
                continue;
            }
            let Some((at, unit, columns)) = &column else { continue };
            let value = cells.get(*at).and_then(|cell| number(cell));
            // The name is in the last column, and may itself contain bars.
            let name = cells.get(columns - 1..).map(|cells| cells.join("|"));
            if let (Some(value), Some(name)) = (value, name) {
                let name = name.trim().trim_start_matches(":wavy_dash:").trim();
                let name =
                    name.split_once(" (Unstable with").map_or(name, |(name, _)| name).trim_matches('`');
                let (value, unit) = Unit::reading(value, unit);
                found.push((name.to_owned(), value, unit));
            }
        }
        if found.is_empty() {
            return Err(SuiteError::output("nanobench", "no table with a column of times such as `ns/op`"));
        }
        let names = numbered(found.iter().map(|(name, ..)| name.clone()).collect());
        let reading = |(name, (_, value, unit)): (String, (String, f64, Unit))| Reading { name, value, unit };
        Ok(Told { readings: names.into_iter().zip(found).map(reading).collect(), missing: Vec::new() })
    }

    fn can_choose(&self) -> bool {
        false
    }
}

/// The cells of a row of a Markdown table; the closing bar is optional.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?;
    Some(inner.strip_suffix('|').unwrap_or(inner).split('|').collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_captured_table_is_read() {
        let told = Nanobench.told(&Output::printed(include_str!("../../fixtures/nanobench.txt"))).unwrap();
        let names: Vec<&str> = told.readings.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["sum", "sum of (a, b)", "slow sum", "sum #2"]);
        assert!(told.readings.iter().all(|it| it.value > 0.0 && it.unit == Unit::Ns));
        let times: Vec<f64> = told.readings.iter().map(|it| it.value).collect();
        assert!(times[2] > 1000.0 * times[0], "each table has its own unit: {times:?}");
    }

    #[test]
    fn a_name_may_have_bars() {
        let table = "| ns/op | op/s | err% | benchmark\n|---:|---:|---:|:---\n| 5.00 | 2.0 | 0.1% | `a | b`\n| 6.00 | 2.0 | 0.1% | `c`\n";
        let told = Nanobench.told(&Output::printed(table)).unwrap();
        let read: Vec<(&str, f64)> = told.readings.iter().map(|it| (it.name.as_str(), it.value)).collect();
        assert_eq!(read, [("a | b", 5.0), ("c", 6.0)]);
    }

    #[test]
    fn what_has_no_table_is_refused() {
        for text in ["", "| a | b |\n|---|---|\n| 1 | 2 |\n", "no table"] {
            assert!(Nanobench.told(&Output::printed(text)).is_err(), "{text}");
        }
    }
}
