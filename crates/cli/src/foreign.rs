//! Options of other tools that fauxplat has under another word, or not at all: the error names ours.

/// An option of another tool, and what to type here.
struct Foreign {
    /// The verbs that it may be typed to; none for all that measure commands.
    verbs: &'static [&'static str],
    words: &'static [&'static str],
    ours: &'static str,
}

const fn foreign(words: &'static [&'static str], ours: &'static str) -> Foreign {
    Foreign { verbs: &["run", "compare", "aa", "sweep", "explain"], words, ours }
}

const OPTIONS: &[Foreign] = &[
    Foreign {
        verbs: &["compare"],
        words: &["-r", "--runs", "-m", "--min-runs", "-M", "--max-runs", "--until"],
        ours: "compare runs until it is sure, at most --max-pairs N or for --max-time TIME; `fauxplat run --runs N A B` \
               gives the verdict that N runs allow",
    },
    Foreign {
        verbs: &["run"],
        words: &["--metric", "--metrics", "--margin", "--level"],
        ours: "run measures every metric and shows them all; `fauxplat compare --metric NAME A B` decides by one",
    },
    Foreign {
        verbs: &["run"],
        words: &["--max-pairs", "--anytime", "--duet", "--fail-if", "--confirm", "--baseline", "--with"],
        ours: "this belongs to a comparison: fauxplat compare A B",
    },
    Foreign {
        verbs: &["aa", "sweep", "explain"],
        words: &["-r", "--runs", "-m", "--min-runs", "-M", "--max-runs"],
        ours: "how much is measured is said by --comparisons of aa, and by --blocks of sweep and explain",
    },
    foreign(&["--reference"], "the first command is the reference: name it first"),
    foreign(&["--reference-name"], "--names NAME,NAME names the commands, the reference first"),
    foreign(&["--min-benchmarking-time"], "--until 1% runs until the median is that precise"),
    foreign(&["--metrics"], "all metrics are measured; compare --metric NAME decides by one"),
    foreign(&["-e", "--event"], "what is measured is always all of it; compare --metric NAME decides by one"),
    foreign(&["-x", "--field-separator"], "--format csv, or --export csv=FILE beside the report"),
    foreign(&["-I", "--interval-print"], "--table NAME=FILE follows what a program publishes along its runs"),
    foreign(&["-a", "--all-cpus"], "what the whole machine does is doctor's to watch: fauxplat doctor"),
    foreign(&["--repeat"], "--runs N"),
    foreign(&["--pre"], "--prepare CMD"),
    foreign(&["--post"], "--conclude CMD"),
    foreign(&["--rigorous"], "run --until 0.5%, or compare --max-pairs 1000"),
    foreign(&["--fast"], "--max-time 10s"),
    foreign(
        &["--affinity", "--cores", "--allowed-cores", "--limitCores", "--limit-cores", "--cpu-list"],
        "--cpu LIST, or a relation such as quietest:1",
    ),
    foreign(&["--processes", "--values", "-l", "--loops"], "--runs N: each run is a process of its own"),
    foreign(&["--track-memory", "--tracemalloc"], "peak memory is measured in every run"),
    foreign(
        &["--inherit-environ", "--copy-env"],
        "the environment is inherited; --env NAME=VALUE adds to it",
    ),
    foreign(
        &["--pid", "-t", "--tid"],
        "a command is started to be measured; what a running program publishes is read by table",
    ),
    foreign(&["--no-inherit"], "what a command starts is counted with it; run --tree lists it"),
    foreign(
        &[
            "--detailed",
            "--null",
            "--metric-only",
            "--topdown",
            "--td-level",
            "-T",
            "--transaction",
            "--smi-cost",
            "--bpf-counters",
            "--cputype",
            "--hybrid-merge",
            "--no-merge",
            "-g",
            "--group",
        ],
        "what is measured is always all of it; compare --metric NAME decides by one",
    ),
    foreign(
        &["-B", "--big-num", "--log-fd"],
        "--output FILE has the report, and -u UNIT the unit of its times",
    ),
    foreign(
        &[
            "-A",
            "--no-aggr",
            "--per-core",
            "--per-socket",
            "--per-die",
            "--per-node",
            "--per-thread",
            "--per-cache",
        ],
        "runs are placed by --cpu LIST; what CPUs cost each other is shown by fauxplat contend",
    ),
    foreign(
        &["--interval-count", "--interval-clear"],
        "--table NAME=FILE follows what a program publishes along its runs",
    ),
    foreign(
        &["--append"],
        "every run is kept: fauxplat history list; --export json=FILE writes one experiment",
    ),
    foreign(&["--sync"], "--prepare sync"),
    foreign(&["--delay"], "a run counts as a whole; --warmup N runs are left out"),
    foreign(&["-j", "--json-output", "--json"], "--format json, or --export json=FILE beside the report"),
    foreign(&["--summary", "--no-csv-summary"], "--format csv-summary"),
    foreign(
        &["-G", "--cgroup", "--for-each-cgroup"],
        "--limit cpu:50%+memory:64MiB measures within a group of its own",
    ),
    foreign(&["--control"], "--table NAME=FILE reads what the program itself counts while it runs"),
    foreign(&["--debug-mode"], "--show-output shows what the commands write"),
    foreign(&["--calibrate-loops", "--duplicate", "--worker"], "--runs N: each run is a process of its own"),
    foreign(&["--warmups"], "--warmup N"),
    foreign(&["--min-time"], "--until 1% runs until the median is that precise"),
    foreign(&["--debug-single-value"], "--runs 1"),
    foreign(&["--name"], "--command-name NAME"),
    foreign(&["--python"], "name the interpreter in the command: 'python3 program.py'"),
    foreign(&["--compare-to"], "fauxplat compare A B, or compare --baseline FILE B"),
    foreign(&["--pipe"], "--output FILE"),
    foreign(&["--no-locale"], "--env LC_ALL=C"),
    foreign(
        &["--min-speed", "--group-by-speed"],
        "compare --margin PERCENT says which difference counts as none",
    ),
    foreign(&["--stats"], "--format json has every run"),
    foreign(&["--allow-failures"], "--ignore-failure"),
    foreign(&["--no-hyperthreading", "--use-hyperthreading"], "--cpu one-per-core"),
    foreign(&["--require-cgroup-subsystem", "--set-cgroup-value"], "--limit cpu:50%+memory:64MiB"),
    foreign(
        &[
            "--container",
            "--read-only-dir",
            "--hidden-dir",
            "--overlay-dir",
            "--full-access-dir",
            "--network-access",
            "--no-container",
            "--tmpfs",
            "--no-tmpfs",
        ],
        "a command sees the machine as it is; unshare or bwrap may stand before it",
    ),
    foreign(&["--numOfThreads"], "runs never overlap, since they would measure each other"),
    foreign(&["--rundefinition", "--tasks"], "--definition FILE.toml"),
    foreign(&["--outputpath"], "--output FILE, or --export FORMAT=FILE"),
    foreign(&["--maxOutputSize", "--maxLogfileSize"], "--stdout null, which is the default"),
    foreign(&["--timelimit", "--walltimelimit", "--softtimelimit"], "--timeout TIME ends a run"),
    foreign(&["--memlimit"], "--limit memory:64MiB"),
    foreign(&["--dir"], "--cwd DIR"),
    foreign(&["-d", "--duration"], "--max-time TIME"),
    Foreign { verbs: &["latency"], words: &["-l", "--loops"], ours: "--count N" },
    Foreign { verbs: &["latency"], words: &["-p", "--priority", "--prio"], ours: "--policy fifo:N" },
    Foreign { verbs: &["latency"], words: &["-a", "--affinity"], ours: "--cpu LIST" },
    Foreign { verbs: &["latency"], words: &["-S", "--smp"], ours: "--cpu all" },
    Foreign {
        verbs: &["latency"],
        words: &["-t", "--threads", "-m", "--mlockall", "-b", "--breaktrace", "--histogram", "-H"],
        ours: "one thread per CPU of --cpu is tested with its memory locked; --format json has the histogram",
    },
    Foreign { verbs: &["latency"], words: &["-D", "--max-time"], ours: "--duration TIME, or --count N" },
    Foreign { verbs: &["latency"], words: &["--json"], ours: "--format json" },
    Foreign { verbs: &["latency"], words: &["--laptop", "--system"], ours: "--tune latency" },
    Foreign {
        verbs: &["latency"],
        words: &["-h", "--histfile", "--histofall"],
        ours: "--format json has the histogram",
    },
    Foreign {
        verbs: &["latency"],
        words: &["-N", "--nsecs", "-R", "--resolution"],
        ours: "times have their unit, down to 1 ns",
    },
    Foreign {
        verbs: &["latency"],
        words: &["-M", "--refresh_on_max", "--unbuffered", "--oscope"],
        ours: "--events FILE has what happens while it goes on",
    },
    Foreign {
        verbs: &["latency"],
        words: &["--spike", "--tracemark", "--tracer"],
        ours: "the test `noise` names what took the CPU: fauxplat latency noise --threshold 20us",
    },
    Foreign {
        verbs: &["latency"],
        words: &[
            "--clock",
            "-r",
            "--relative",
            "-x",
            "--posix_timers",
            "-s",
            "-A",
            "--aligned",
            "--secaligned",
            "--distance",
        ],
        ours: "timers are absolute ones of the monotonic clock, and each CPU has its own thread; see docs/from-cyclictest.md",
    },
    Foreign {
        verbs: &["latency"],
        words: &["--mainaffinity", "--priospread", "--default-system"],
        ours: "threads are placed by --cpu LIST and --policy fifo:N; the rest stays as it is",
    },
];

/// What to type instead of an option that a verb does not take.
pub(crate) fn ours(verb: &str, option: &str) -> Option<&'static str> {
    let word = option.split('=').next().unwrap_or_default();
    let known = OPTIONS.iter().find(|foreign| foreign.verbs.contains(&verb) && foreign.words.contains(&word));
    known.map(|foreign| foreign.ours)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    /// A word that a verb takes is not foreign to it: its entry here would never be read.
    #[test]
    fn nothing_that_a_verb_takes_is_foreign_to_it() {
        let mut cli = Cli::command();
        cli.build();
        for Foreign { verbs, words, .. } in OPTIONS {
            for (verb, word) in verbs.iter().flat_map(|verb| words.iter().map(move |word| (verb, word))) {
                let taken = cli.find_subcommand(verb).unwrap().get_arguments().any(|arg| {
                    arg.get_long().is_some_and(|long| format!("--{long}") == *word)
                        || arg.get_short().is_some_and(|short| format!("-{short}") == *word)
                });
                assert!(!taken, "{verb} takes {word}");
            }
        }
    }
}
