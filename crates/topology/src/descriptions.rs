//! How `/proc/cpuinfo` describes each CPU, and where the description changes from one CPU to the next.
//!
//! `lscpu -p` numbers cores and packages anew for each description. To print the same numbers, descriptions are counted
//! as in `lscpu`: a new one begins where a field that distinguishes designs gets another value.

use std::collections::BTreeMap;

use fauxplat_procfs::cpuinfo as procfs;
use fauxplat_units::Cpu;

use crate::cpuinfo;

/// The kind of a field in a description.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    /// A field that distinguishes designs, with its index in [`TELLING`].
    Telling(usize),
    /// Any other field of a design.
    Plain,
}

/// Fields that distinguish designs, with their names on all architectures: vendor, model, model name and stepping.
const TELLING: [&[&str]; 4] = [
    &["CPU implementer", "vendor", "vendor_id"],
    &["CPU part", "cpu model", "model"],
    &["cpu", "model name"],
    &["CPU variant", "stepping"],
];

/// Names of the other fields of a design.
const PLAIN: [&str; 13] = [
    "ASEs implemented",
    "BogoMIPS",
    "CPU revision",
    "Features",
    "address sizes",
    "bogomips per cpu",
    "cpu family",
    "family",
    "features",
    "flags",
    "max thread id",
    "revision",
    "type",
];

#[derive(Debug, Default)]
pub(crate) struct Descriptions {
    count: u32,
    /// The number of each described CPU's last description.
    of: BTreeMap<Cpu, u32>,
    /// The name of each Arm CPU's design, as `/proc/cpuinfo` gives it first.
    designs: BTreeMap<Cpu, String>,
}

impl Descriptions {
    pub(crate) fn of(text: &str) -> Self {
        let mut reading = Reading::default();
        procfs::lines(text).for_each(|(key, value)| reading.line(key, value));
        reading.close();
        reading.all
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The number of a CPU's description. A CPU without a description counts with the first one; `None` where no CPU
    /// has a description.
    pub(crate) fn of_cpu(&self, cpu: Cpu) -> Option<u32> {
        self.of.get(&cpu).copied().or((self.count > 0).then_some(0))
    }

    /// The name of the CPU's design; only Arm kernels report it.
    pub(crate) fn design_of(&self, cpu: Cpu) -> Option<String> {
        self.designs.get(&cpu).cloned()
    }
}

#[derive(Default)]
struct Reading<'t> {
    all: Descriptions,
    cpu: Option<Cpu>,
    /// The distinguishing values of the current description; `None` before the first description.
    current: Option<[Option<&'t str>; 4]>,
    implementer: Option<&'t str>,
}

impl<'t> Reading<'t> {
    fn line(&mut self, key: &'t str, value: &'t str) {
        // s390 writes `processor 0: version = …`, others `processor : 0`.
        let (name, number) = match key.trim_end_matches(|c: char| c.is_ascii_digit()) {
            name if name.len() < key.len() => (name.trim_end(), key[name.len()..].parse().ok()),
            name => (name, None),
        };
        if name == "processor" || name == "cpu number" {
            self.close();
            self.cpu = number.or_else(|| value.parse().ok()).map(Cpu);
        } else if let Some(field) = field(name) {
            self.describe(field, value);
            self.design(name, value);
        }
    }

    fn describe(&mut self, field: Field, value: &'t str) {
        let differs = |current: &[Option<&str>; 4]| match field {
            Field::Telling(place) => current[place].is_some_and(|known| known != value),
            Field::Plain => false,
        };
        if self.current.as_ref().is_none_or(differs) {
            self.current = Some([None; 4]);
            self.all.count += 1;
        }
        if let (Field::Telling(place), Some(current)) = (field, &mut self.current) {
            current[place] = Some(value);
        }
    }

    fn design(&mut self, name: &str, value: &'t str) {
        match (name, self.cpu, self.implementer) {
            ("CPU implementer", ..) => self.implementer = Some(value),
            ("CPU part", Some(cpu), Some(implementer)) => {
                let of_cpu = self.all.designs.entry(cpu);
                of_cpu.or_insert_with(|| cpuinfo::design(implementer, value));
            }
            _ => {}
        }
    }

    /// Assigns the current description to the current CPU.
    fn close(&mut self) {
        if let (Some(cpu), Some(_)) = (self.cpu, &self.current) {
            self.all.of.insert(cpu, self.all.count - 1);
        }
    }
}

fn field(name: &str) -> Option<Field> {
    let telling = TELLING.iter().position(|names| names.contains(&name)).map(Field::Telling);
    telling.or_else(|| PLAIN.contains(&name).then_some(Field::Plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_changes_with_the_design() {
        let cpu = |number: u32, part: &str| {
            format!("processor : {number}\nFeatures : fp\nCPU implementer : 0x41\nCPU part : {part}\n\n")
        };
        let text = [cpu(0, "0xd46"), cpu(1, "0xd46"), cpu(2, "0xd47"), cpu(3, "0xd46")].concat();
        let found = Descriptions::of(&text);
        assert_eq!([0, 1, 2, 3, 9].map(|cpu| found.of_cpu(Cpu(cpu)).unwrap()), [0, 0, 1, 2, 0]);
        assert_eq!(found.design_of(Cpu(2)).as_deref(), Some("Cortex-A710"));
        assert_eq!(found.design_of(Cpu(9)), None);
    }

    #[test]
    fn the_words_of_other_architectures_count_too() {
        let s390 = "vendor_id : IBM/S390\nprocessor 0: version = FF\nprocessor 1: version = FF\n";
        assert_eq!(Descriptions::of(s390).of_cpu(Cpu(1)), Some(0));
        let riscv = "processor : 0\nhart : 2\nmmu : sv39\n";
        assert_eq!(Descriptions::of(riscv).of_cpu(Cpu(0)), None);
        assert_eq!(Descriptions::of("").count(), 0);
    }
}
