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

const OPTIONS: [Foreign; 30] = [
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
        words: &["--max-pairs", "--anytime", "--duet", "--fail-if", "--baseline"],
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
    foreign(&["--affinity", "--cores", "--cpu-list"], "--cpu LIST, or a relation such as quietest:1"),
    foreign(&["--processes", "--values", "--loops"], "--runs N: each run is a process of its own"),
    foreign(&["--track-memory", "--tracemalloc"], "peak memory is measured in every run"),
    foreign(
        &["--inherit-environ", "--copy-env"],
        "the environment is inherited; --env NAME=VALUE adds to it",
    ),
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
        for Foreign { verbs, words, .. } in &OPTIONS {
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
