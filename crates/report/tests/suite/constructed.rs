//! Constructed records of the verbs that do not time commands, made from JSON as in stored documents.

use fauxplat_model::document::Findings;
use serde_json::{Value, json};

use crate::common::{self, Owned};

/// Returns a record of a verb with the given findings.
pub(crate) fn record(verb: &str, findings: Value) -> Owned {
    let schema = format!("fauxplat.{verb}/1");
    let findings = Findings::deserialize(&schema, findings).expect("the schema is known");
    let mut header = common::header(verb);
    header.invocation.truncate(2);
    Owned {
        header,
        commands: Vec::new(),
        samples: Vec::new(),
        findings: findings.unwrap_or_else(|error| panic!("{verb}: {error}")),
    }
}

pub(crate) fn contend() -> Owned {
    let pair = |a: u32, b: u32, kernel: &str, ratio: f64| {
        json!({
            "cpu_a": a, "cpu_b": b, "kernel": kernel, "cpu_ratio": ratio, "cpu_low_ratio": ratio - 0.02,
            "cpu_high_ratio": ratio + 0.02, "wall_ratio": ratio, "wall_low_ratio": ratio - 0.02,
            "wall_high_ratio": ratio + 0.02, "run_delay_ns": 1000, "steal_ns": 2000, "wall_ns": 1_000_000,
            "unexplained_share": 0.004, "rounds": 12, "dropped_rounds": 1, "label": "smt-sibling",
            "claimed": "smt-sibling",
        })
    };
    let label = |a: u32, b: u32, label: &str| json!({ "cpu_a": a, "cpu_b": b, "label": label, "claimed": "smt-sibling", "evidence": "integer 1.52 times" });
    record(
        "contend",
        json!({
            "pairs": [pair(0, 1, "integer", 1.52), pair(0, 1, "memory", 1.04), pair(0, 2, "integer", 1.0)],
            "labels": [label(0, 1, "smt-sibling"), label(0, 2, "separate"), label(1, 2, "not-decided")],
            "elapsed_s": 2.5,
        }),
    )
}

pub(crate) fn capacity() -> Owned {
    record(
        "capacity",
        json!({
            "worths": [
                { "cpus": "0", "ratio": 1.0, "low_ratio": 0.99, "high_ratio": 1.01 },
                { "cpus": "0-3", "ratio": 2.6, "low_ratio": 2.5, "high_ratio": 2.7 },
            ],
            "looks": [{ "elapsed_s": 1.0, "busy_share": 0.31, "left_share": 0.52 }],
            "elapsed_s": 9.0,
        }),
    )
}

pub(crate) fn index() -> Owned {
    let cpu = |cpu: u32, rate: f64| {
        json!({
            "cpu": cpu, "fauxplat_per_s": rate, "low": rate - 1.0, "high": rate + 1.0, "typical_per_s": rate - 2.0,
            "wall_per_s": rate - 3.0, "run_delay_share": 0.01, "rest_share": null, "laps": 900, "rounds": 9,
            "comparable": true,
        })
    };
    record(
        "index",
        json!({
            "cpus": [cpu(0, 4321.5), cpu(1, 4210.0)], "together": false, "policy": "other",
            "instructions_per_iteration": 16, "elapsed_s": 3.0,
        }),
    )
}

pub(crate) fn replay() -> Owned {
    let row = |injected: Value, different: usize, equivalent: usize, pairs: f64| {
        json!({
            "injected": injected, "comparisons": 200, "different": different,
            "different_interval_95": [0.005 * different as f64 * 0.9, (0.005 * different as f64 + 0.018).min(1.0)],
            "wrong_sign": 0, "equivalent": equivalent,
            "equivalent_interval_95": [0.005 * equivalent as f64 * 0.9, (0.005 * equivalent as f64 + 0.018).min(1.0)],
            "equivalent_whole": equivalent, "inconclusive": 200 - different - equivalent, "pairs_median": pairs,
            "pairs_p90": 1.5 * pairs,
        })
    };
    let shift = |ratio: f64| json!({ "shift": { "ratio": ratio } });
    record(
        "replay",
        json!({
            "source": "experiment 12", "pairs": 400, "run_length": 7, "pair_s": 0.0123, "max_pairs": 128,
            "limit_s": 30.0,
            "rows": [
                row(json!("nothing"), 1, 197, 170.0),
                row(json!({ "carry-over": { "ratio": 1.05 } }), 2, 190, 180.0),
                row(json!({ "tail": { "share": 0.05, "ratio": 2.0 } }), 190, 0, 400.0),
                row(shift(1.003), 60, 80, 2000.0),
                row(shift(1.01), 199, 0, 64.0),
                row(shift(1.02), 200, 0, 16.0),
            ],
            "elapsed_s": 4.2,
        }),
    )
}

/// A record of `limit` with a control group that reached its memory limit.
pub(crate) fn limit() -> Owned {
    let mut group = limited("limited", "./fill 50", None);
    let more = json!({
        "limits": { "memory_bytes": 20_971_520, "swap_bytes": 0, "cpu_percent": 50.0, "io": [] },
        "notes": ["memory: /sys/fs/cgroup/box allows 10.0 MiB for all in it, which is less than 20.0 MiB"],
        "events": [
            { "kind": "memory-max", "at_s": 0.02, "times": 116, "victim": null },
            { "kind": "oom-kill", "at_s": 0.04, "times": 1, "victim": {
                "pid": 31_119, "name": "fill", "anonymous_bytes": 20_447_232, "virtual_bytes": 23_547_904,
            } },
        ],
    });
    group.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    group["commands"][0]["outcome"] = json!({ "signaled": 9 });
    let found = json!({
        "groups": [group], "elapsed_s": 0.05, "together_s": 0.04, "on_oom": "kill", "is_timed_out": false, "looks": [],
    });
    record("limit", found)
}

/// A record of `limit` with two control groups that competed for CPU time until the time limit.
pub(crate) fn limit_groups() -> Owned {
    let share =
        |share: f64| json!({ "share": share, "low": share - 0.004, "high": share + 0.004, "slices": 40 });
    let (mut high, mut low) =
        (limited("high", "./burn", Some(share(0.751))), limited("low", "./burn", Some(share(0.249))));
    high["limits"] = json!({ "weight": 75.0, "cpus": "1", "mems": "0", "io": [] });
    low["limits"] = json!({ "weight": 25.0, "cpus": "1", "mems": "0", "io": [] });
    let found = json!({
        "groups": [high, low], "elapsed_s": 20.1, "together_s": 20.0, "on_oom": "kill", "is_timed_out": true,
        "looks": [],
    });
    record("limit", found)
}

fn limited(name: &str, command: &str, share: Option<Value>) -> Value {
    json!({
        "name": name, "version": "1",
        "places": [{
            "controllers": ["memory"], "version": 1, "folder": "/sys/fs/cgroup/memory/fauxplat-1-2-3-0",
            "way": "in our own group, as root",
        }],
        "limits": { "io": [] }, "notes": [],
        "commands": [{ "command": command, "pid": 31_119, "outcome": null, "wall_ns": null, "cpu_ns": null }],
        "peak_memory_bytes": 20_971_520,
        "used": {
            "memory_bytes": 0, "swap_bytes": 0, "cpu_ns": 30_000_000, "pids": 0, "periods": null,
            "throttled_periods": null, "throttled_ns": null, "cpu_pressure_us": 5000, "memory_pressure_us": 0,
            "io_pressure_us": 0, "high": null, "max": 116, "oom_kills": 1, "pids_refused": 0, "is_paused": false,
        },
        "elapsed_s": 0.04, "throttled_periods": null, "share": share, "events": [],
    })
}

pub(crate) fn load() -> Owned {
    record(
        "load",
        json!({
            "generators": [{
                "kind": "integer", "cpu": 1, "asked_percent": 50, "achieved_percent": 49.7, "busy_ns": 500_000_000,
                "wall_ns": 1_000_000_000, "run_delay_ns": 1_000_000, "away_ns": 2_000_000, "operations": 123_456_789,
                "operation": "rounds", "footprint_bytes": 4096, "watchdog_frees": 0, "ended": null,
            }],
            "elapsed_s": 1.0,
        }),
    )
}

fn change(knob: &str, target: &str, outcome: &str, reason: Option<&str>) -> Value {
    json!({
        "knob": knob, "target": target, "before": "powersave", "wanted": "performance", "after": "performance",
        "outcome": outcome, "reason": reason,
    })
}

fn changes() -> Value {
    json!([
        change("governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "changed", None),
        change("governor", "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "changed", None),
        change("turbo", "/sys/devices/system/cpu/cpufreq/boost", "denied", Some("permission denied")),
    ])
}

pub(crate) fn tune() -> Owned {
    record(
        "tune",
        json!({
            "action": "applied", "asked": ["quiet"], "changes": changes(), "recovered": null, "restored": null,
            "journal": "/run/fauxplat/journal", "tuned": true, "tuner": null, "exit_status": null,
        }),
    )
}

pub(crate) fn tune_list() -> Owned {
    record(
        "tune-list",
        json!({
            "profiles": [{ "name": "quiet", "purpose": "less noise", "set": ["governor=performance", "turbo=off"] }],
            "knobs": [{
                "name": "governor", "values": "performance|powersave", "purpose": "how the frequency is chosen",
                "current": "powersave", "process": null,
            }],
        }),
    )
}

pub(crate) fn restore() -> Owned {
    let restored = json!({
        "tuned_by": ["fauxplat", "tune"], "tuned_at": "2026-11-02T09:00:00Z", "changes": changes(), "repairs": {
            "tasks": 3, "left": ["cpuset shield"],
        }, "rebooted": false, "complete": false,
    });
    record("restore", json!({ "restored": restored, "journal": "/run/fauxplat/journal" }))
}

pub(crate) fn lab() -> Owned {
    let claim = json!({
        "statement": "linking in another order changes the time by up to 8 %", "unit": "times", "low": 1.0,
        "high": 1.08, "source": "Mytkowicz et al. 2009", "machine": "a Pentium 4",
    });
    let measured = json!({ "value": 1.034, "low": 1.03, "high": 1.038 });
    record(
        "lab",
        json!({
            "labs": [{
                "name": "link-order", "question": "Does the order of linking matter?", "outcome": "reproduced",
                "claim": claim, "measured": measured, "reason": null, "found_in": "/usr/share/fauxplat/labs",
                "claims": [{ "name": "spread", "outcome": "reproduced", "claim": claim, "measured": measured, "reason": null }],
                "experiments": [{
                    "name": "orders", "line": "sweep --factor link-order", "id": 12,
                    "table": { "columns": ["order", "time"], "rows": [["a b c", "1.03"], ["c | b"]] },
                    "drawing": {
                        "title": "time by the order", "across": "order", "names": ["a b c", "c b a"],
                        "lines": [{ "name": "here", "points": [[0, 1.0, 0.99, 1.01], [1, 1.034, 1.03, 1.038]] },
                                  { "name": "published", "points": [[1, 1.08]] }],
                        "rules": [{ "name": "as published", "value": 1.08 }],
                    },
                }],
            }],
            "elapsed_s": 61.0,
        }),
    )
}

pub(crate) fn table() -> Owned {
    let value = |object: u64, key: u64, value: i64| {
        json!({
            "object": object, "object_name": format!("worker {object}"), "key": key, "key_name": null, "value": value,
            "rate_per_s": 12.5,
        })
    };
    record(
        "table",
        json!({
            "file": "/dev/shm/counters", "elapsed_ns": 1_500_000_000, "value_bytes": 8, "records": true,
            "creator_pid": 4242, "creator_alive": true, "followed": true,
            "values": [value(0, 1, 100), value(0, 2, -5), value(1, 1, 90)],
        }),
    )
}
