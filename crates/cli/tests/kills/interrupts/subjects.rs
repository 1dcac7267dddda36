//! Verbs that measure, each with a command line that takes a second or a few.

pub(super) struct Subject {
    pub(super) name: &'static str,
    pub(super) words: &'static [&'static str],
    /// Number of moments at which the verb is interrupted.
    pub(super) rounds: u32,
    /// Accepted exit codes beside 0: that of an interrupted verb, or, for `tune`, that of its command.
    pub(super) also: &'static [i32],
    /// Whether the results in [`REFERENCE`] are measured before the verb begins.
    pub(super) has_reference: bool,
}

impl Subject {
    /// A verb with the usual number of interruptions, which by itself ends with exit code 0.
    const fn new(name: &'static str, words: &'static [&'static str]) -> Self {
        Subject { name, words, rounds: 50, also: &[], has_reference: false }
    }
}

/// Name of a file with earlier results, in the folder that contains the working directory.
pub(super) const REFERENCE: &str = "reference.json";

/// A short command that starts a child; neither may be left after the end.
const SHORT: &str = "sh -c \"sleep 0.01 & sleep 0.005; wait\"";

pub(super) const SUBJECTS: &[Subject] = &[
    Subject::new("run", &["run", SHORT, "--runs", "80", "--tree"]),
    Subject::new(
        "counted",
        &["run", "-e", "cpu-clock,page-faults", "--series", "5ms", SHORT, "--runs", "60"],
    ),
    // Process 1 exists on every machine.
    Subject::new(
        "counters",
        &["counters", "--pid", "1", "-e", "page-faults", "--series", "50ms", "--max-time", "2s"],
    ),
    Subject {
        rounds: 200,
        ..Subject::new("compare", &["compare", SHORT, "sleep 0.012", "--max-pairs", "60"])
    },
    Subject {
        also: &[3],
        has_reference: true,
        ..Subject::new(
            "baseline",
            &["compare", "--baseline", "../reference.json", SHORT, "--max-pairs", "60"],
        )
    },
    Subject::new("duet", &["compare", "--duet", SHORT, "sleep 0.012", "--max-pairs", "60"]),
    Subject {
        also: &[3],
        ..Subject::new(
            "built",
            &["explain", "{program}", "--build", BUILD, "--blocks", "4", "--max-time", "2s"],
        )
    },
    Subject::new("aa", &["aa", SHORT, "-N", "2"]),
    Subject::new("sweep", &["sweep", "background=none,burner@all:50%", SHORT, "--blocks", "12"]),
    Subject::new("explain", &["explain", SHORT, "--blocks", "4", "--max-time", "2s"]),
    Subject::new("contend", &["contend", "l1", "branch", "--rounds", "5", "--duration", "5ms"]),
    Subject::new("latency", &["latency", "timer", "message", "--count", "1500"]),
    Subject::new("index", &["index"]),
    Subject::new("load", &["load", "integer:30%", "--time", "2s"]),
    Subject::new("limited", &["run", SHORT, "--runs", "60", "--limit", "cpu:50%"]),
    Subject::new(
        "limit",
        &["limit", "--cpu-quota", "50%", "--memory", "64M", "sh -c \"sleep 1.5 & sleep 1; wait\""],
    ),
    Subject::new("profile", &["profile", SHORT, "--runs", "40"]),
    Subject::new("fleet", &["fleet", "run", "--on", "local:2", SHORT, "--runs", "20"]),
    Subject::new(
        "fleet-compare",
        &["fleet", "compare", "--on", "local:2", SHORT, "sleep 0.012", "--runs", "20"],
    ),
    Subject::new("topo", &["topo", "pick", "quietest:1", "--watch", "2s"]),
    Subject::new("doctor", &["doctor", "--interval", "2s"]),
    Subject { also: &[3], ..Subject::new("lab", &["lab", "run", "shell-identity"]) },
    Subject {
        rounds: 200,
        also: &[3, 4],
        ..Subject::new("tune", &["tune", "quiet", "--machine-wide", "--for", "sleep", "0.5"])
    },
];

const BUILD: &str =
    "printf 'int main(void){return 0;}' > $FAUXPLAT_OUT.c && cc -o $FAUXPLAT_OUT $FAUXPLAT_OUT.c";
