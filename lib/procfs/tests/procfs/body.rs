//! Body of the fuzz target, shared with the replay on stable Rust.

use fauxplat_procfs::{
    cgroup, cpuinfo, kallsyms, keyed, maps, meminfo, mounts, oom, per_cpu, pressure, stat, status, task,
    whole_lines,
};

/// Runs every parser on the same text: none may panic, and results must be consistent with each other.
pub(crate) fn files(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    stat_file(text);
    table(text);
    task_files(text);
    groups(text);
    for key in ["MemTotal", "CapEff", "nr_throttled", "cpu", ""] {
        let value = keyed::value(text, key);
        assert!(value.is_none_or(|value| !value.is_empty() && text.contains(value)));
        assert!(keyed::number(text, key).is_none() || value.is_some());
        assert!(keyed::mask(text, key).is_none() || value.is_some());
        meminfo::bytes(text, key);
        meminfo::count(text, key);
    }
    for line in [pressure::some(text), pressure::full(text)].into_iter().flatten() {
        assert!(line.avg10_percent.is_none_or(|share| share.is_finite() && share >= 0.0));
    }
    assert!(whole_lines(bytes, bytes.len()).len() <= bytes.len());
    cpuinfo::processors(text).for_each(drop);
    text.lines().for_each(line_of_addresses);
    text.lines().for_each(line_of_the_log);
}

fn line_of_the_log(line: &str) {
    if let Some(kill) = oom::kill(line) {
        assert!(kill.pid > 0 && line.contains(kill.name));
    }
    if let Some(choice) = oom::choice(line) {
        assert!(choice.pid > 0 && line.contains(choice.group) && line.contains(choice.name));
    }
}

fn line_of_addresses(line: &str) {
    if let Some(map) = maps::MapsLine::parse(line) {
        assert!(!map.addresses.is_empty() && line.ends_with(map.path));
    }
    if let Some((address, name)) = kallsyms::symbol(line) {
        assert!(address > 0 && !line[name].is_empty());
    }
}

fn stat_file(text: &str) {
    for (cpu, ticks) in stat::cpus(text) {
        let line = stat::cpu(text, cpu).expect("a CPU that is listed has a line");
        assert_eq!(line.cpu, Some(cpu));
        if let (Some(busy), Some(total)) = (ticks.busy(), ticks.total()) {
            assert!(busy <= total);
        }
    }
    if let Some(line) = stat::machine(text) {
        assert_eq!(line.ticks().of(stat::Kind::Steal), line.ticks_of(stat::Kind::Steal));
        assert!(
            line.ns_of(stat::Kind::Steal) >= line.ticks_of(stat::Kind::Steal)
                || line.ns_of(stat::Kind::Steal).is_none()
        );
    }
    stat::counter(text, "ctxt");
}

fn table(text: &str) {
    let Some(table) = per_cpu::Table::parse(text) else { return };
    let columns = table.cpus().count();
    for row in table.rows() {
        let counts = row.counts().count();
        assert!(counts > 0 && counts <= columns && row.is_per_cpu == (counts == columns));
        assert_eq!(row.count_at(columns), None);
    }
    let first = table.cpus().next().expect("a table has a column");
    assert_eq!(table.column_of(first), Some(0));
}

fn task_files(text: &str) {
    if let Some(task) = task::TaskStat::parse(text) {
        assert!(text.contains(task.name));
        (0..60).for_each(|number| assert!(task.field(number).is_none_or(|field| !field.is_empty())));
        let _numbers = (task.parent(), task.is_kernel(), task.is_fixed(), task.cpu_ticks(), task.nice());
        let _more = (task.threads(), task.start_ticks(), task.last_cpu(), task.policy(), task.is_dead());
    }
    let _account = (task::cpu_ns(text), task::run_delay_ns(text), task::migrations(text));
    let _masks =
        (status::effective_capabilities(text), status::ignored_signals(text), status::blocked_signals(text));
    let _more = (status::process(text), status::peak_memory_bytes(text), status::is_kernel(text));
    assert!(status::cpus_allowed_list(text).is_none_or(|list| list.trim() == list));
}

fn groups(text: &str) {
    // The text serves as `/proc/PID/cgroup` and as `mountinfo`: lines of one file are malformed in the other.
    if let Some(found) = cgroup::ancestry(text, text, "cpu") {
        assert!(!found.folders.is_empty() && found.folders.len() <= 65);
        assert!(found.folders.iter().all(|folder| !folder.starts_with('/')));
    }
    mounts::mounts(text).for_each(drop);
    for mount in mounts::mountinfo(text) {
        assert!(mounts::unescaped(mount.point).len() <= mount.point.len());
    }
    let _counts = (cgroup::periods(text), cgroup::throttled_periods(text), cgroup::throttled_ns(text));
    if let Some(quota) = cgroup::Quota::of_v2(text) {
        assert!(quota.cpus() > 0.0 && quota.cpus().is_finite());
    }
}
