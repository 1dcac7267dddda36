//! Metrics that the machine or its permissions do not provide.

use fauxplat_model::{Source, Sources};
use fauxplat_units::Bytes;

/// A sentence for each metric that is not measured, with the privilege or setting that it needs.
pub(crate) fn not_measured(sources: &Sources) -> Vec<String> {
    let (delay, migrations) =
        (sources.run_delay == Source::FirstThread, sources.migrations == Source::FirstThread);
    let mut missing = Vec::new();
    if sources.peak_memory == Source::Rusage {
        let floor = Bytes(sources.peak_memory_floor_bytes);
        missing.push(format!(
            "peak memory below {floor}, which fauxplat's helper process hides (needs CAP_NET_ADMIN: run as root)"
        ));
    }
    let mut add = |applies: bool, text: &str| missing.extend(applies.then(|| text.to_owned()));
    add(
        delay,
        "run-queue wait of other than the first thread (needs CAP_NET_ADMIN for taskstats: run as root)",
    );
    add(
        migrations,
        "migrations of other than the first thread (needs CAP_PERFMON or kernel.perf_event_paranoid below 1)",
    );
    add(
        delay || migrations,
        "run-queue wait and migrations of runs shorter than 1 ms (reading them would cost as much)",
    );
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_leaves_nothing_out_and_others_are_told_what_they_need() {
        let root = Sources {
            cpu_time: Source::Taskstats,
            peak_memory: Source::Taskstats,
            run_delay: Source::Taskstats,
            migrations: Source::PerfEvent,
            ..Sources::default()
        };
        assert_eq!(not_measured(&root), Vec::<String>::new());
        let user = Sources {
            peak_memory: Source::Rusage,
            run_delay: Source::FirstThread,
            migrations: Source::FirstThread,
            ..root.clone()
        };
        let told = not_measured(&user);
        assert_eq!(told.len(), 4);
        assert!(told[1].contains("CAP_NET_ADMIN") && told[2].contains("CAP_PERFMON"), "{told:?}");
        let paranoid = Sources { migrations: Source::FirstThread, ..root };
        assert_eq!(not_measured(&paranoid).len(), 2);
    }
}
