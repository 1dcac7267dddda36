//! Text in the kernel's notation is parsed back to the same values.

use std::fmt::Write;

use fauxplat_procfs::stat::Kind;
use fauxplat_procfs::{cgroup, kallsyms, keyed, maps, meminfo, mounts, per_cpu, pressure, stat, task};
use proptest::collection::vec;
use proptest::prelude::*;

const KINDS: [Kind; 10] = [
    Kind::User,
    Kind::Nice,
    Kind::System,
    Kind::Idle,
    Kind::Iowait,
    Kind::Irq,
    Kind::Softirq,
    Kind::Steal,
    Kind::Guest,
    Kind::GuestNice,
];

fn words(numbers: &[u64]) -> String {
    numbers.iter().map(|number| format!(" {number}")).collect()
}

/// Generates the name of a path or a task: any characters except those that would end it.
fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9 ()\\\\:,.é-]{1,15}"
        .prop_filter("a name of its own", |name| name.trim() == name && name != "..")
}

/// Escapes a path like the kernel's `seq_path`.
fn escaped(path: &str) -> String {
    path.replace('\\', "\\134").replace(' ', "\\040")
}

proptest! {
    #[test]
    fn ticks(cpus in vec((0u32..5000, vec(any::<u64>(), 4..14)), 1..20)) {
        let mut text = String::from("cpu  1 2 3 4 5 6 7 8 9 10\n");
        for (cpu, numbers) in &cpus {
            writeln!(text, "cpu{cpu}{}", words(numbers)).unwrap();
        }
        text.push_str("intr 5 1 4\nctxt 9\n");
        let found: Vec<_> = stat::cpus(&text).collect();
        prop_assert_eq!(found.len(), cpus.len());
        for ((cpu, ticks), (wanted, numbers)) in found.iter().zip(&cpus) {
            prop_assert_eq!(cpu, wanted);
            for (at, kind) in KINDS.into_iter().enumerate() {
                prop_assert_eq!(ticks.of(kind), numbers.get(at).copied());
            }
            let total = numbers.iter().take(8).try_fold(0u64, |sum, number| sum.checked_add(*number));
            prop_assert_eq!(ticks.total(), total);
        }
        prop_assert_eq!(stat::machine(&text).unwrap().ticks_of(Kind::Steal), Some(8));
        prop_assert_eq!(stat::counter(&text, "ctxt"), Some(9));
    }

    #[test]
    fn tables(
        cpus in proptest::collection::btree_set(0u32..9000, 1..20),
        rows in vec(("[A-Z]{3}|[0-9]{1,4}", vec(any::<u64>(), 20)), 0..9),
        machine in any::<u64>(),
    ) {
        let mut text: String = cpus.iter().map(|cpu| format!("       CPU{cpu}")).collect();
        for (name, counts) in &rows {
            write!(text, "\n{name:>4}:{}   IR-PCI-MSI 524288-edge  eth0", words(&counts[..cpus.len()])).unwrap();
        }
        write!(text, "\n ERR:   {machine}\n").unwrap();
        let table = per_cpu::Table::parse(&text).unwrap();
        prop_assert_eq!(table.cpus().collect::<Vec<_>>(), cpus.iter().copied().collect::<Vec<_>>());
        let found: Vec<_> = table.rows().collect();
        prop_assert_eq!(found.len(), rows.len() + 1);
        for (row, (name, counts)) in found.iter().zip(&rows) {
            prop_assert_eq!((row.name, row.label), (name.as_str(), "IR-PCI-MSI 524288-edge  eth0"));
            for (column, cpu) in cpus.iter().enumerate() {
                prop_assert_eq!(table.column_of(*cpu), Some(column));
                prop_assert_eq!(row.count_at(column), Some(counts[column]));
            }
        }
        prop_assert_eq!(found[rows.len()].counts().next(), Some(Some(machine)));
        prop_assert_eq!(found[rows.len()].is_per_cpu, cpus.len() == 1);
    }

    #[test]
    fn tasks(id in 1i32.., name in name(), rest in vec(0u64..1 << 31, 50), nice in -20i8..20) {
        let mut fields: Vec<String> = rest.iter().map(u64::to_string).collect();
        fields[19 - 4] = nice.to_string();
        let line = format!("{id} ({name}) S {}\n", fields.join(" "));
        let task = task::TaskStat::parse(&line).unwrap();
        prop_assert_eq!((task.id, task.name, task.state()), (id, name.as_str(), Some('S')));
        prop_assert_eq!(task.parent().map(i64::from), Some(rest[0] as i64));
        prop_assert_eq!(task.cpu_ticks(), Some(rest[14 - 4] + rest[15 - 4]));
        prop_assert_eq!((task.nice(), task.start_ticks()), (Some(nice), Some(rest[22 - 4])));
        prop_assert_eq!(task.policy().map(u64::from), Some(rest[41 - 4]));
    }

    #[test]
    fn lines_of_keys(entries in proptest::collection::btree_map("[A-Za-z_]{1,9}", 0u64..1 << 50, 1..20)) {
        let blank: String = entries.iter().map(|(key, value)| format!("{key} {value}\n")).collect();
        let colon: String = entries.iter().map(|(key, value)| format!("{key}:\t{value:8} kB\n")).collect();
        let node: String = colon.lines().map(|line| format!("Node 12 {line}\n")).collect();
        let masks: String = entries.iter().map(|(key, value)| format!("{key}:\t{value:016x}\n")).collect();
        for (key, value) in &entries {
            prop_assert_eq!((keyed::number(&blank, key), keyed::number(&colon, key)), (Some(*value), Some(*value)));
            prop_assert_eq!((meminfo::bytes(&colon, key), meminfo::bytes(&node, key)), (Some(value * 1024), Some(value * 1024)));
            prop_assert_eq!(keyed::mask(&masks, key), Some(*value));
        }
    }

    #[test]
    fn pressures(percent in vec(0u32..10_001, 3), total_us in any::<u64>()) {
        let [ten, sixty, five] = [0, 1, 2].map(|at| f64::from(percent[at]) / 100.0);
        let text = format!("some avg10=0.00 avg60=0.00 avg300=0.00 total=1\nfull avg10={ten:.2} avg60={sixty:.2} avg300={five:.2} total={total_us}\n");
        let full = pressure::full(&text).unwrap();
        prop_assert_eq!((full.avg10_percent, full.avg60_percent, full.avg300_percent), (Some(ten), Some(sixty), Some(five)));
        prop_assert_eq!(full.total_us, Some(total_us));
    }

    #[test]
    fn memory_and_symbols(
        start in 1u64..1 << 47, pages in 1u64..1000, offset in any::<u32>(), inode in any::<u32>(), path in name(),
        device in (0u32..4096, 0u32..4096), is_code in any::<bool>(), symbol in "[a-z_.0-9]{1,20}", module in "(\t\\[[a-z0-9_]{1,9}\\])?",
    ) {
        let end = start + pages * 4096;
        let flags = if is_code { "r-xp" } else { "rw-p" };
        let line = format!("{start:x}-{end:x} {flags} {offset:08x} {:02x}:{:02x} {inode}       /{path}", device.0, device.1);
        let map = maps::MapsLine::parse(&line).unwrap();
        prop_assert_eq!((map.addresses, map.is_code, map.offset, map.device, map.inode), (start..end, is_code, offset.into(), device, inode.into()));
        prop_assert_eq!(map.path, format!("/{path}"));
        let line = format!("{start:016x} t {symbol}{module}\n");
        let (address, name) = kallsyms::symbol(&line).unwrap();
        prop_assert_eq!((address, &line[name]), (start, &*format!("{symbol}{module}")));
        let data = format!("{start:016x} d {symbol}");
        prop_assert_eq!(kallsyms::symbol(&data), None);
    }

    #[test]
    fn mounts_and_groups(
        point in vec(name(), 1..4), part in vec(name(), 0..3), below in vec(name(), 0..5), is_v2 in any::<bool>(),
        optional in vec("(shared|master):[0-9]{1,3} ", 0..3),
    ) {
        let path = |names: &[String]| names.iter().map(|name| format!("/{name}")).collect::<String>();
        let (mounted, whole) = (path(&point), path(&part));
        let root = if whole.is_empty() { "/".to_owned() } else { whole.clone() };
        let kind = if is_v2 { "cgroup2 cgroup2 rw" } else { "cgroup cgroup rw,cpuacct,cpu" };
        let mountinfo = format!("31 23 0:27 {} {} rw,nosuid {}- {kind}\n", escaped(&root), escaped(&mounted), optional.concat());
        let mount = mounts::mountinfo(&mountinfo).next().unwrap();
        prop_assert_eq!(&*mounts::unescaped(mount.point), mounted.as_str());
        prop_assert_eq!(&*mounts::unescaped(mount.part), root.as_str());
        prop_assert_eq!((mount.is_v2(), mount.is_v1_of("cpu")), (is_v2, !is_v2));
        let own = format!("{whole}{}", path(&below));
        let groups = format!("3:memory:/other\n{}:{own}\n", if is_v2 { "0:" } else { "2:cpu,cpuacct" });
        let ancestry = cgroup::ancestry(&groups, &mountinfo, "cpu").unwrap();
        prop_assert_eq!(ancestry.is_v2, is_v2);
        prop_assert_eq!(ancestry.folders.len(), below.len() + 1);
        prop_assert_eq!(&ancestry.folders[0], &format!("{mounted}{}", path(&below))[1..]);
        prop_assert_eq!(ancestry.folders.last().unwrap(), &mounted[1..]);
    }
}
