//! Tables with a column per CPU: `/proc/interrupts` and `/proc/softirqs` (`proc_interrupts(5)`, `proc_softirqs(5)`).

use crate::number;

/// A table, whose rows are parsed on request: the table of a large machine has some ten MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table<'t> {
    heading: &'t str,
    rows: &'t str,
    columns: usize,
}

impl<'t> Table<'t> {
    /// Parses a table; `None` if the first line does not list CPUs.
    pub fn parse(text: &'t str) -> Option<Self> {
        let (heading, rows) = text.split_once('\n').unwrap_or((text, ""));
        let columns =
            heading.split_ascii_whitespace().map(column).try_fold(0, |count, cpu| cpu.map(|_| count + 1))?;
        (columns > 0).then_some(Table { heading, rows, columns })
    }

    /// Iterates over the CPUs of the columns, from the left. Offline CPUs have no column.
    pub fn cpus(&self) -> impl Iterator<Item = u32> + 't {
        self.heading.split_ascii_whitespace().filter_map(column)
    }

    /// Returns the index of the column of a CPU, which differs from the CPU's number if CPUs are offline.
    pub fn column_of(&self, cpu: u32) -> Option<usize> {
        self.cpus().position(|other| other == cpu)
    }

    /// Iterates over the rows, from the top.
    pub fn rows(&self) -> impl Iterator<Item = EventRow<'t>> + 't {
        let columns = self.columns;
        self.rows.lines().filter_map(move |line| EventRow::parse(line, columns))
    }
}

fn column(word: &str) -> Option<u32> {
    number(word.strip_prefix("CPU")?).and_then(|cpu| u32::try_from(cpu).ok())
}

/// A row of a table: the number of events on each CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRow<'t> {
    /// The text before the colon: a number, or a word such as `LOC`.
    pub name: &'t str,
    /// The text after the counts: chip and device, or the meaning of the word.
    pub label: &'t str,
    counts: &'t str,
    /// Whether there is a count for each CPU. `ERR` and `MIS` count for the whole machine and have a single count.
    pub is_per_cpu: bool,
}

impl<'t> EventRow<'t> {
    fn parse(line: &'t str, columns: usize) -> Option<Self> {
        let (name, rest) = line.split_once(':')?;
        let (mut counted, mut at) = (0, 0);
        while counted < columns {
            let begin = at + blanks(&rest[at..]);
            let end =
                begin + rest[begin..].find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len() - begin);
            if begin == end || !rest.as_bytes()[begin..end].iter().all(u8::is_ascii_digit) {
                break;
            }
            (counted, at) = (counted + 1, end);
        }
        let (counts, label) = rest.split_at(at);
        let row = EventRow { name: name.trim(), label: label.trim(), counts, is_per_cpu: counted == columns };
        (counted > 0).then_some(row)
    }

    /// Iterates over the counts, from the left; `None` for a count that exceeds 64 bits.
    pub fn counts(&self) -> impl Iterator<Item = Option<u64>> + 't {
        self.counts.split_ascii_whitespace().map(number)
    }

    /// Returns the count in one column, for a row that counts for each CPU.
    pub fn count_at(&self, column: usize) -> Option<u64> {
        self.is_per_cpu.then(|| self.counts().nth(column).flatten())?
    }
}

/// Names the source of the counts of a row for a report: for an interrupt, its number and the device, which is the last
/// word of the label, since a number alone has no meaning; for other rows the name.
pub fn source(name: &str, label: &str) -> String {
    let device = label.split_ascii_whitespace().next_back();
    match device.filter(|_| name.bytes().all(|byte| byte.is_ascii_digit())) {
        Some(device) => format!("{name} ({device})"),
        None => name.to_owned(),
    }
}

fn blanks(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_whitespace).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three CPUs of which one is offline, kernel 5.10.
    const TEXT: &str = "           CPU0       CPU2       \n  24:          1          7   IO-APIC   5-edge      ACPI:Ged\n\
        LOC:        100        200   Local timer interrupts\n ERR:          3\nMIS:          0\n bad\n: 1 2\n";

    #[test]
    fn rows_have_a_count_for_each_cpu_that_is_online() {
        let table = Table::parse(TEXT).unwrap();
        assert_eq!(table.cpus().collect::<Vec<_>>(), [0, 2]);
        assert_eq!((table.column_of(2), table.column_of(1)), (Some(1), None));
        let names: Vec<&str> = table.rows().map(|row| row.name).collect();
        assert_eq!(names, ["24", "LOC", "ERR", "MIS", ""]);
        let first = table.rows().next().unwrap();
        assert_eq!(first.label, "IO-APIC   5-edge      ACPI:Ged");
        assert_eq!((first.count_at(1), first.count_at(2)), (Some(7), None));
    }

    #[test]
    fn interrupts_are_named_with_their_device() {
        assert_eq!(source("24", "IO-APIC   5-edge      ACPI:Ged"), "24 (ACPI:Ged)");
        assert_eq!((source("LOC", "Local timer interrupts"), source("7", "")), ("LOC".into(), "7".into()));
    }

    #[test]
    fn counts_of_the_whole_machine_are_of_no_cpu() {
        let table = Table::parse(TEXT).unwrap();
        let errors = table.rows().find(|row| row.name == "ERR").unwrap();
        assert_eq!((errors.is_per_cpu, errors.count_at(0)), (false, None));
        assert_eq!(errors.counts().collect::<Vec<_>>(), [Some(3)]);
    }

    #[test]
    fn a_count_that_does_not_fit_keeps_its_place() {
        let text = "CPU0 CPU1 CPU2\n 1: 99999999999999999999 5 6 x\n 2: 1 -1 7 y\n 3: 1 2 3 4 5\n";
        let table = Table::parse(text).unwrap();
        let rows: Vec<EventRow<'_>> = table.rows().collect();
        assert_eq!(rows[0].counts().collect::<Vec<_>>(), [None, Some(5), Some(6)]);
        assert_eq!((rows[1].is_per_cpu, rows[1].label), (false, "-1 7 y"));
        assert_eq!(rows[2].label, "4 5", "a label may begin with a number");
    }

    #[test]
    fn a_text_without_a_heading_is_no_table() {
        for text in ["", "\n", "a b\n1: 2", "CPU0 CPUx\n", "CPU99999999999\n", " 24: 1 2\n"] {
            assert_eq!(Table::parse(text), None, "{text:?}");
        }
        assert_eq!(Table::parse("CPU0").unwrap().rows().count(), 0);
    }
}
