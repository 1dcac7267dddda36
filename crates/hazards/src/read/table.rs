//! Counts by row and CPU, and their increase between two readings.

use std::collections::HashMap;

use fauxplat_procfs::per_cpu;
use fauxplat_units::Cpu;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableLine {
    /// Text before the colon: a number, or a word such as `LOC`.
    pub(crate) name: String,
    /// Text after the counts.
    pub(crate) label: String,
    /// Counts in the order of the table's columns.
    pub(crate) counts: Vec<u64>,
}

/// A table of the kernel with a count for each row and CPU, such as `/proc/interrupts`. CPUs that are offline have no
/// column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) cpus: Vec<Cpu>,
    pub(crate) rows: Vec<TableLine>,
}

impl Table {
    /// Parses a table such as `/proc/interrupts`; `None` if the text has no line of CPUs.
    pub(crate) fn parse(text: &str) -> Option<Table> {
        let table = per_cpu::Table::parse(text)?;
        Some(Table { cpus: table.cpus().map(Cpu).collect(), rows: table.rows().filter_map(row).collect() })
    }

    /// Returns counts since an earlier table, for CPUs that both tables contain.
    pub(crate) fn since(&self, before: &Table) -> Table {
        let column: HashMap<Cpu, usize> =
            before.cpus.iter().enumerate().map(|(at, cpu)| (*cpu, at)).collect();
        let earlier: HashMap<&str, &TableLine> =
            before.rows.iter().map(|row| (row.name.as_str(), row)).collect();
        let kept: Vec<(usize, usize)> =
            self.cpus.iter().enumerate().filter_map(|(at, cpu)| Some((at, *column.get(cpu)?))).collect();
        let difference = |row: &TableLine| {
            let old = earlier.get(row.name.as_str());
            let count = |&(now, then): &(usize, usize)| {
                let before = old.and_then(|old| old.counts.get(then)).copied().unwrap_or(0);
                row.counts.get(now).copied().unwrap_or(0).saturating_sub(before)
            };
            TableLine {
                name: row.name.clone(),
                label: row.label.clone(),
                counts: kept.iter().map(count).collect(),
            }
        };
        let cpus = kept.iter().map(|(now, _)| self.cpus[*now]).collect();
        Table { cpus, rows: self.rows.iter().map(difference).collect() }
    }

    /// Returns for each CPU the sum of the counts in the rows that `wanted` selects.
    pub(crate) fn sums(&self, wanted: impl Fn(&TableLine) -> bool) -> Vec<(Cpu, u64)> {
        let mut sums = vec![0_u64; self.cpus.len()];
        for row in self.rows.iter().filter(|row| wanted(row)) {
            for (sum, count) in sums.iter_mut().zip(&row.counts) {
                *sum = sum.saturating_add(*count);
            }
        }
        self.cpus.iter().copied().zip(sums).collect()
    }

    /// Returns the row with the highest count on a CPU, among the rows that `wanted` selects; `None` if none of them
    /// has a count above 0.
    pub(crate) fn busiest(&self, cpu: Cpu, wanted: impl Fn(&TableLine) -> bool) -> Option<&TableLine> {
        let at = self.cpus.iter().position(|column| *column == cpu)?;
        let count = |row: &&TableLine| row.counts.get(at).copied().unwrap_or(0);
        self.rows.iter().filter(|row| wanted(row)).max_by_key(count).filter(|row| count(row) > 0)
    }
}

/// Converts a row; `None` for a row with a count that exceeds 64 bits, since differences of such counts are not known.
fn row(row: per_cpu::EventRow<'_>) -> Option<TableLine> {
    let counts = row.counts().collect::<Option<Vec<u64>>>()?;
    Some(TableLine { name: row.name.to_owned(), label: row.label.to_owned(), counts })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "           CPU0       CPU2\n 24:  1  7  IO-APIC   5-edge  acpi\nLOC:  100  200   Local timer interrupts\nERR:  3\n bad\n";

    #[test]
    fn rows_have_a_count_per_cpu_that_is_online() {
        let table = Table::parse(TEXT).unwrap();
        assert_eq!(table.cpus, [Cpu(0), Cpu(2)]);
        let names: Vec<&str> = table.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["24", "LOC", "ERR"]);
        assert_eq!(table.rows[0].label, "IO-APIC   5-edge  acpi");
        assert_eq!(table.rows[2].counts, [3]);
        assert_eq!(table.busiest(Cpu(2), |_| true).unwrap().name, "LOC");
        assert!(Table::parse("").is_none() && Table::parse("a b\n").is_none());
    }

    #[test]
    fn a_cpu_that_went_has_no_difference() {
        let late = Table::parse("CPU2 CPU3\n24: 9 5 x\n25: 4 4 new\n").unwrap();
        let since = late.since(&Table::parse(TEXT).unwrap());
        assert_eq!(since.cpus, [Cpu(2)]);
        assert_eq!(since.sums(|_| true), [(Cpu(2), 2 + 4)]);
        assert_eq!(since.busiest(Cpu(3), |_| true), None);
    }

    fn made(cpus: &[u32], rows: &[Vec<u64>]) -> Table {
        let row = |(at, counts): (usize, &Vec<u64>)| TableLine {
            name: at.to_string(),
            label: String::new(),
            counts: counts[..cpus.len()].to_vec(),
        };
        Table {
            cpus: cpus.iter().copied().map(Cpu).collect(),
            rows: rows.iter().enumerate().map(row).collect(),
        }
    }

    #[test]
    fn a_row_that_is_shorter_than_the_table_counts_for_the_cpus_that_it_has() {
        let table = Table::parse("CPU0 CPU1\nERR: 3\nLOC: 1 2 Local\n").unwrap();
        assert_eq!(table.sums(|_| true), [(Cpu(0), 4), (Cpu(1), 2)]);
        assert_eq!(table.sums(|row| row.name == "none"), [(Cpu(0), 0), (Cpu(1), 0)]);
        assert_eq!(table.busiest(Cpu(1), |_| true).unwrap().name, "LOC");
        assert_eq!(table.busiest(Cpu(9), |_| true), None);
        assert_eq!(
            table.busiest(Cpu(1), |row| row.name == "ERR"),
            None,
            "what never happened is not the busiest"
        );
    }

    #[test]
    fn a_count_that_does_not_fit_leaves_its_row_out() {
        let table = Table::parse("CPU0\n1: 99999999999999999999 x\n2: 5 y\n").unwrap();
        assert_eq!(table.rows.len(), 1);
        let full = Table::parse("CPU0\n1: 18446744073709551615 x\n2: 18446744073709551615 y\n").unwrap();
        assert_eq!(full.sums(|_| true), [(Cpu(0), u64::MAX)], "a sum ends where numbers end");
    }

    proptest! {
        #[test]
        fn what_passed_and_what_was_before_are_what_is_now(
            before in proptest::collection::vec(proptest::collection::vec(0u64..1 << 40, 4), 1..6),
            more in proptest::collection::vec(proptest::collection::vec(0u64..1 << 40, 4), 6),
        ) {
            let add = |(old, new): (&Vec<u64>, &Vec<u64>)| old.iter().zip(new).map(|(a, b)| a + b).collect();
            let after: Vec<Vec<u64>> = before.iter().zip(&more).map(add).collect();
            let cpus = [0, 1, 5, 7];
            let (early, late) = (made(&cpus, &before), made(&cpus, &after));
            let passed = late.since(&early);
            for ((cpu, now), ((_, then), (_, between))) in
                late.sums(|_| true).into_iter().zip(early.sums(|_| true).into_iter().zip(passed.sums(|_| true)))
            {
                prop_assert_eq!(now, then + between, "CPU {}", cpu);
            }
            // Two readings that are equal have no difference, and neither has a counter that decreased.
            prop_assert!(late.since(&late).sums(|_| true).iter().all(|(_, sum)| *sum == 0));
            prop_assert!(early.since(&late).sums(|_| true).iter().all(|(_, sum)| *sum == 0));
        }

        #[test]
        fn cpus_that_are_in_both_readings_have_figures_and_no_others(
            early in proptest::collection::btree_set(0u32..12, 1..8),
            late in proptest::collection::btree_set(0u32..12, 1..8),
        ) {
            let of = |cpus: &std::collections::BTreeSet<u32>, count: u64| {
                let cpus: Vec<u32> = cpus.iter().copied().collect();
                made(&cpus, &[vec![count; cpus.len()]])
            };
            let passed = of(&late, 9).since(&of(&early, 4));
            let expected: Vec<(Cpu, u64)> = late.intersection(&early).map(|&cpu| (Cpu(cpu), 5)).collect();
            prop_assert_eq!(passed.sums(|_| true), expected);
        }

        #[test]
        fn any_text_is_a_table_or_none(text in "(CPU[0-9]{0,3} ?){0,4}\n?([A-Z0-9]{0,4}:?( [0-9]{1,21}){0,5}[a-z ]{0,8}\n){0,5}") {
            if let Some(table) = Table::parse(&text) {
                prop_assert_eq!(table.sums(|_| true).len(), table.cpus.len());
                prop_assert!(table.since(&table).rows.iter().all(|row| row.counts.len() == table.cpus.len()));
            }
        }
    }
}
