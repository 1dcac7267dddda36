# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_fauxplat_global_optspecs
    string join \n h/help V/version
end

function __fish_fauxplat_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_fauxplat_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_fauxplat_using_subcommand
    set -l cmd (__fish_fauxplat_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c fauxplat -n "__fish_fauxplat_needs_command" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -s V -l version -d 'Print version'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "run" -d 'How long does it take, and what does it use?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "compare" -d 'Which is faster, by how much, and how sure is that?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "aa" -d 'Does the verdict hold here? Identical programs, compared often'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "table" -d 'What does a program publish while it runs?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "contend" -d 'What do two threads cost each other, and what is left?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "counters" -d 'What can be counted here, by whom, and why not the rest?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "profile" -d 'Where does the time go, who calls it, and what changed?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "latency" -d 'How late are timers, messages and signals, and why?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "limit" -d 'What happens to programs under limits of memory, CPU time, CPUs?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "load" -d 'Disturb chosen CPUs by a known amount'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "index" -d 'How fast is this CPU, in FauxPlats per second?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "sweep" -d 'Does something that nobody looks at move the number, and where?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "tune" -d 'Quiet the machine, for one command or until it is put back'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "restore" -d 'Put back exactly what was there before it was tuned'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "lab" -d 'Do published claims hold here? Small experiments, judged'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "doctor" -d 'What here will spoil a measurement, and what to do about it?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "topo" -d 'Which CPU is what to which? CPUs by relation'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "explain" -d 'How much of the variation comes from which factor?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "fleet" -d 'Which of many machines that should be the same are not?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "node" -d 'What is done on a machine of a fleet'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "history" -d 'What was measured before? List, show, export, remove'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "man" -d 'Write the manual pages into a folder'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "__words" -d 'Names that completions offer'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "__completions" -d 'Write the shell completions into a folder'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "completions" -d 'Print the completions of a shell: source <(fauxplat completions bash)'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "suite" -d 'Benchmarks of two builds, and what changed, under one budget of error'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "bisect" -d 'Which commit changed it, and how sure is that?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "why" -d 'What made it slower, where, and what did not?'
complete -c fauxplat -n "__fish_fauxplat_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s n -l command-name -d 'What reports call a command (repeatable: once for each, in their order)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l names -d 'The same for all commands: --names before,after' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s L -l parameter-list -d 'Parameter list: -L size=1,10,100 (or -L size 1,10,100, or -L size=1..8:2) with {size} in the command; `\\,` is a comma within a value; every combination is run (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s P -l parameter-scan -d 'Parameter scan: -P delay 0.3 0.7 -D 0.2 runs {delay} with 0.3, 0.5 and 0.7' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s D -l parameter-step-size -d 'Step of -P [default: 1]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s s -l setup -d 'Shell command that is run once before the whole, before programs are looked for (repeatable: once for each command; since the commands take turns, all come before the first run)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s p -l prepare -d 'Shell command that is run before each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s C -l conclude -d 'Shell command that is run after each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s c -l cleanup -d 'Shell command that is run once after the whole, however it ends (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s w -l warmup -d 'Runs of each command before the first measured one that do not count; compare (of times), aa, sweep and explain make one at least [default: 0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l table -d 'Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum (repeatable: each is the metric table:NAME too, and the first is `rate`)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l metric-from -d 'A number that the commands write to standard output, which goes to a file then: the first group of a regular expression\'s last match, or what a JSON pointer leads to. It is the metric printed:NAME; with `+` before NAME more is better (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s e -l counters -d 'Count in each run what the kernel and the processor can, the whole process tree: names such as cycles, instructions:u, l1d-misses, page-faults, rNNN or cpu/event=0x3c/, or default, cache, branch, topdown, kernel (see `fauxplat counters`). Each is a metric: pmu:instructions, software:page-faults (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l region -d 'A region that the commands mark (see docs/regions.md): its calls, its time, and what -e counts of it, as metrics region.NAME:calls, region.NAME:wall, region.NAME:instructions (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l control -d 'Pipes with names, made where they are missing, in which a command says `enable` and `disable`, as for perf stat: its time and its -e counters meanwhile are the metrics control:wall, control:times and control:COUNTER' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l definition -d 'Saved definition; what the command line says goes first' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l seed -d 'Seed of everything that is drawn [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s r -l runs -d 'Measured runs of each command: a number, or auto (at least 10, for about 3 s, at most 500)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s m -l min-runs -d 'At least so many measured runs of each command [default: 10]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s M -l max-runs -d 'At most so many' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l until -d 'Run until the interval of the median is within this precision, for instance 1%' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l max-time -d 'End after this time, once each command has been measured, whatever else was asked for' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l series -d 'Show how the counters of -e went along one more run, at the end of each interval of this length (1ms or more). That run is not timed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l cpu -d 'CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU), `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a single thread, else free) [default: free for run, profile and limit, auto elsewhere]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l pin-threads -d 'CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list they are left alone, and the command is traced no longer than it takes. It takes ptrace: each thread and each signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not placed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l nice -d 'Nice value, -20 to 19 [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l aslr -d 'Address space layout randomisation of the command [default: as the machine has it]' -r -f -a "on\t''
off\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l env -d 'Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l env-pad -d 'Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and limit none, for run none unless ASLR is off; level where runs are simulated]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l heap -d 'Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l memory-policy -d 'Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l interleave -d 'The same as --memory-policy interleave:NODES' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l stdin -d 'File for standard input, read from its beginning in each run [default: /dev/null]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l stdout -d 'Where the command\'s output goes: null, inherit, or a file that standard output is appended to [default: null]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l cwd -d 'Working directory of the commands' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l timeout -d 'End a run after this time (500ms, 2.5s, 1m); it counts as failed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s S -l shell -d 'Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s i -l ignore-failure -d 'Keep and analyse runs that fail, all of them or those with these statuses: -i=1,2' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l simulate-machine -d 'The machine that is simulated: classic (32 KiB of each first level, 8 MiB behind them), small (1 MiB behind them), here (this one), or its caches in bytes [default: classic]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s u -l time-unit -d 'Unit of the times in the tables of `run`: microsecond, millisecond, second [default: what suits each]' -r -f -a "microsecond\t''
millisecond\t''
second\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l sort -d 'Order of the table of several commands: auto and command (as they were given), mean-time (the fastest first)' -r -f -a "auto\t''
command\t''
mean-time\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s f -l format -d 'text, json, csv, csv-summary, markdown, asciidoc, org, hyperfine-json, hyperfine-json-2, pyperf-json, github-action-benchmark, bencher-bmf, go-benchmark, junit, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s N -l no-shell -d 'No shell, which is the default (the same as --shell=none)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l tree -d 'List each process of the command: pid, parent, CPU time, wall time, peak memory (one extra, traced run)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l keep-background -d 'Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does [default: they are ended after each run, and those of --prepare with the run that they were made for]'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l show-output -d 'The same as --stdout inherit'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l skip-failures -d 'Go on after runs that fail, count them, and leave them out of all figures; ten in a row without one that succeeds end it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l simulated -d 'Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in each run where the program does the same (valgrind\'s cachegrind; some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand run" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s n -l command-name -d 'What reports call a command (repeatable: once for each, in their order)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l names -d 'The same for all commands: --names before,after' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s L -l parameter-list -d 'Parameter list: -L size=1,10,100 (or -L size 1,10,100, or -L size=1..8:2) with {size} in the command; `\\,` is a comma within a value; every combination is run (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s P -l parameter-scan -d 'Parameter scan: -P delay 0.3 0.7 -D 0.2 runs {delay} with 0.3, 0.5 and 0.7' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s D -l parameter-step-size -d 'Step of -P [default: 1]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s s -l setup -d 'Shell command that is run once before the whole, before programs are looked for (repeatable: once for each command; since the commands take turns, all come before the first run)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s p -l prepare -d 'Shell command that is run before each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s C -l conclude -d 'Shell command that is run after each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s c -l cleanup -d 'Shell command that is run once after the whole, however it ends (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s w -l warmup -d 'Runs of each command before the first measured one that do not count; compare (of times), aa, sweep and explain make one at least [default: 0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l table -d 'Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum (repeatable: each is the metric table:NAME too, and the first is `rate`)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l metric-from -d 'A number that the commands write to standard output, which goes to a file then: the first group of a regular expression\'s last match, or what a JSON pointer leads to. It is the metric printed:NAME; with `+` before NAME more is better (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s e -l counters -d 'Count in each run what the kernel and the processor can, the whole process tree: names such as cycles, instructions:u, l1d-misses, page-faults, rNNN or cpu/event=0x3c/, or default, cache, branch, topdown, kernel (see `fauxplat counters`). Each is a metric: pmu:instructions, software:page-faults (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l region -d 'A region that the commands mark (see docs/regions.md): its calls, its time, and what -e counts of it, as metrics region.NAME:calls, region.NAME:wall, region.NAME:instructions (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l control -d 'Pipes with names, made where they are missing, in which a command says `enable` and `disable`, as for perf stat: its time and its -e counters meanwhile are the metrics control:wall, control:times and control:COUNTER' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l definition -d 'Saved definition; what the command line says goes first' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l seed -d 'Seed of everything that is drawn [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l metric -d 'The metric that decides, or several, which share the --level: wall, user, sys, cpu, peak-memory, …, table:NAME of a --table [default: wall]' -r -a "(fauxplat __words metrics 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l margin -d 'Differences within plus or minus this count as none: a share for all metrics, METRIC=SHARE or METRIC=AMOUNT with its unit for one [default: 1%]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l level -d 'Probability of a false `different` over the whole comparison [default: 1%]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l tail-margin -d 'Excess of pairs in which one command is much slower that counts as none, as a share of all [default: 3%]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l max-pairs -d 'Undecided, end after this many pairs [default: 30 s or 128 pairs, whichever is later]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l max-time -d 'Undecided, end after this time' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l estimand -d 'What decides: the typical pair (the median ratio of two runs side by side), or the mean, which is what many runs cost; both are reported [default: typical]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l order -d 'Order of the runs in a block: each command twice in a row, which shows what a command leaves to the next, or each once [default: aabb]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l sessions -d 'Measure in so many sessions, between which everything that can be is begun anew, and count each of them once: the verdict is then about the next session too. They share the limits' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l session-gap -d 'Pause before each session but the first, so that they are spread over more of what the machine goes through' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l fail-if -d 'Fail with exit code 1 if some command is slower or faster than the first by more than the margin, or different either way; `undecided` fails too where neither that nor the contrary is shown, `inconclusive` where there is no verdict. Sampling goes on until the question of the gate is answered' -r -f -a "slower\t''
faster\t''
different\t''
undecided\t''
inconclusive\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l undecided-code -d 'Exit code where the question of the gate is not decided: 125 makes `git bisect run` skip the commit. Without --fail-if it is the question whether there is a difference beyond the margin' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l baseline -d 'Compare with stored results (an id, `last`, or a JSON file) instead of a command that runs beside; weaker' -r -a "(fauxplat __words runs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l with -d 'Compare the --baseline with these results, which are stored too, and run nothing; of several commands of either, --names says which are meant: OLD,NEW' -r -a "(fauxplat __words runs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l build -d 'Shell command that builds the program which {program} names in the measured command. Places: {out}, where it goes; {link_flags}, before the sources; {compile_flags}; {seed}. The same stands in the environment as FAUXPLAT_OUT, FAUXPLAT_LINK_FLAGS, FAUXPLAT_COMPILE_FLAGS and FAUXPLAT_SEED' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l objects -d 'Object files, linked in an order of its own for each layout' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l link -d 'Shell command that links the objects: \'cc {objects} -o {out}\'' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l vary -d 'Ways in which layouts differ: object-order, padding, section-order, section-padding, alignment [default: all that the tools of this machine have]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l check -d 'How a built program is checked: a shell command with {program} that ends with status 0, or `none` [default: exit status and output must be those of the program without any variation]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l build-a -d 'Builds A, with the places of --build; the measured command names the program as {program}. Both are linked anew in every block, with one link seed for both, so the verdict is about the source' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l build-b -d 'Builds B' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l link-seeds -d 'Compare layouts of one build with each other, as the binaries that they are: seeds such as 3,17, or `widest:N` for the fastest and the slowest of N' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l profile -d 'Where the two commands differ, say in which functions: further runs of both are sampled in turns for so long, at least ten of each, and none of them is timed [time: 30s]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l cpu -d 'CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU), `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a single thread, else free) [default: free for run, profile and limit, auto elsewhere]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l pin-threads -d 'CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list they are left alone, and the command is traced no longer than it takes. It takes ptrace: each thread and each signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not placed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l nice -d 'Nice value, -20 to 19 [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l aslr -d 'Address space layout randomisation of the command [default: as the machine has it]' -r -f -a "on\t''
off\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l env -d 'Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l env-pad -d 'Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and limit none, for run none unless ASLR is off; level where runs are simulated]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l heap -d 'Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l memory-policy -d 'Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l interleave -d 'The same as --memory-policy interleave:NODES' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l stdin -d 'File for standard input, read from its beginning in each run [default: /dev/null]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l stdout -d 'Where the command\'s output goes: null, inherit, or a file that standard output is appended to [default: null]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l cwd -d 'Working directory of the commands' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l timeout -d 'End a run after this time (500ms, 2.5s, 1m); it counts as failed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s S -l shell -d 'Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s i -l ignore-failure -d 'Keep and analyse runs that fail, all of them or those with these statuses: -i=1,2' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l simulate-machine -d 'The machine that is simulated: classic (32 KiB of each first level, 8 MiB behind them), small (1 MiB behind them), here (this one), or its caches in bytes [default: classic]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s f -l format -d 'text, json, csv, csv-summary, markdown, asciidoc, org, hyperfine-json, hyperfine-json-2, pyperf-json, github-action-benchmark, bencher-bmf, go-benchmark, junit, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l commits -d 'Compare revisions of the git repository around this folder, each in a work tree of its own: BASE and one or more others, each against BASE; WORKTREE is the local changes. One command stands for all; --build CMD is run in the same folder of each work tree, and what it made is kept for the next call' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l anytime -d 'A verdict that is valid at every moment, so that you may watch and stop at will; needs more pairs'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l confirm -d 'Before a gate fails, measure a second time: it fails if both say the same. The first measurement is stored, and the report is that of the second'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l plan -d 'Compare nothing yet: record a short session of the first command against itself, and say what can be found here, in which time, and how often a verdict would be false; with --fail-if, what the gate would find'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l other-machine -d 'Accept a --baseline that was measured on another machine; the report says so'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l merge-base -d 'The first of --commits is its merge base with the second, as for a pull request'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l duet -d 'Run both commands at the same moment, on two like CPUs, and change their places in every pair: for machines where neighbours and steal are the largest noise'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s N -l no-shell -d 'No shell, which is the default (the same as --shell=none)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l keep-background -d 'Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does [default: they are ended after each run, and those of --prepare with the run that they were made for]'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l show-output -d 'The same as --stdout inherit'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l skip-failures -d 'Go on after runs that fail, count them, and leave them out of all figures; ten in a row without one that succeeds end it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l simulated -d 'Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in each run where the program does the same (valgrind\'s cachegrind; some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand compare" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s n -l command-name -d 'What reports call a command (repeatable: once for each, in their order)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l names -d 'The same for all commands: --names before,after' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s L -l parameter-list -d 'Parameter list: -L size=1,10,100 (or -L size 1,10,100, or -L size=1..8:2) with {size} in the command; `\\,` is a comma within a value; every combination is run (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s P -l parameter-scan -d 'Parameter scan: -P delay 0.3 0.7 -D 0.2 runs {delay} with 0.3, 0.5 and 0.7' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s D -l parameter-step-size -d 'Step of -P [default: 1]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s s -l setup -d 'Shell command that is run once before the whole, before programs are looked for (repeatable: once for each command; since the commands take turns, all come before the first run)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s p -l prepare -d 'Shell command that is run before each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s C -l conclude -d 'Shell command that is run after each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s c -l cleanup -d 'Shell command that is run once after the whole, however it ends (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s w -l warmup -d 'Runs of each command before the first measured one that do not count; compare (of times), aa, sweep and explain make one at least [default: 0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l table -d 'Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum (repeatable: each is the metric table:NAME too, and the first is `rate`)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l metric-from -d 'A number that the commands write to standard output, which goes to a file then: the first group of a regular expression\'s last match, or what a JSON pointer leads to. It is the metric printed:NAME; with `+` before NAME more is better (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s e -l counters -d 'Count in each run what the kernel and the processor can, the whole process tree: names such as cycles, instructions:u, l1d-misses, page-faults, rNNN or cpu/event=0x3c/, or default, cache, branch, topdown, kernel (see `fauxplat counters`). Each is a metric: pmu:instructions, software:page-faults (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l region -d 'A region that the commands mark (see docs/regions.md): its calls, its time, and what -e counts of it, as metrics region.NAME:calls, region.NAME:wall, region.NAME:instructions (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l control -d 'Pipes with names, made where they are missing, in which a command says `enable` and `disable`, as for perf stat: its time and its -e counters meanwhile are the metrics control:wall, control:times and control:COUNTER' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l definition -d 'Saved definition; what the command line says goes first' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l seed -d 'Seed of everything that is drawn [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l strata -d 'Strata: plain, drift, layout, busy-sibling [default: all that this machine has]' -r -f -a "plain\t''
drift\t''
layout\t''
busy-sibling\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s N -l comparisons -d 'Comparisons of identical copies per stratum, or for each thing that a replay puts in [default: 20, of a replay 200]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l replay -d 'Run nothing: say from a recorded session (an id, `last`, or a JSON file) of `aa --strata plain` what would be found here, and how often a verdict would be false' -r -a "(fauxplat __words runs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l power -d 'Also compare with copies that do this much more work, and count how often it is found' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l power-comparisons -d 'Comparisons per stratum for --power [default: as --comparisons]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l metric -d 'The metric that decides, or several, which share the --level: wall, user, sys, cpu, peak-memory, …, table:NAME of a --table [default: wall]' -r -a "(fauxplat __words metrics 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l margin -d 'Differences within plus or minus this count as none: a share for all metrics, METRIC=SHARE or METRIC=AMOUNT with its unit for one [default: 1%]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l level -d 'Probability of a false `different` over the whole comparison [default: 1%]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l tail-margin -d 'Excess of pairs in which one command is much slower that counts as none, as a share of all [default: 3%]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l max-pairs -d 'Undecided, end after this many pairs [default: 30 s or 128 pairs, whichever is later]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l max-time -d 'Undecided, end after this time' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l estimand -d 'What decides: the typical pair (the median ratio of two runs side by side), or the mean, which is what many runs cost; both are reported [default: typical]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l order -d 'Order of the runs in a block: each command twice in a row, which shows what a command leaves to the next, or each once [default: aabb]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l cpu -d 'CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU), `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a single thread, else free) [default: free for run, profile and limit, auto elsewhere]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l pin-threads -d 'CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list they are left alone, and the command is traced no longer than it takes. It takes ptrace: each thread and each signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not placed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l nice -d 'Nice value, -20 to 19 [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l aslr -d 'Address space layout randomisation of the command [default: as the machine has it]' -r -f -a "on\t''
off\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l env -d 'Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l env-pad -d 'Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and limit none, for run none unless ASLR is off; level where runs are simulated]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l heap -d 'Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l memory-policy -d 'Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l interleave -d 'The same as --memory-policy interleave:NODES' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l stdin -d 'File for standard input, read from its beginning in each run [default: /dev/null]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l stdout -d 'Where the command\'s output goes: null, inherit, or a file that standard output is appended to [default: null]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l cwd -d 'Working directory of the commands' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l timeout -d 'End a run after this time (500ms, 2.5s, 1m); it counts as failed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s S -l shell -d 'Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s i -l ignore-failure -d 'Keep and analyse runs that fail, all of them or those with these statuses: -i=1,2' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l simulate-machine -d 'The machine that is simulated: classic (32 KiB of each first level, 8 MiB behind them), small (1 MiB behind them), here (this one), or its caches in bytes [default: classic]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l rivals -d 'Go on after each verdict until the rules of other tools have the runs that they take by themselves: some seconds for each comparison. Without it they judge only what happens to have runs enough'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l anytime -d 'A verdict that is valid at every moment, so that you may watch and stop at will; needs more pairs'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l duet -d 'Run both commands at the same moment, on two like CPUs, and change their places in every pair: for machines where neighbours and steal are the largest noise'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l keep-background -d 'Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does [default: they are ended after each run, and those of --prepare with the run that they were made for]'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l show-output -d 'The same as --stdout inherit'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l skip-failures -d 'Go on after runs that fail, count them, and leave them out of all figures; ten in a row without one that succeeds end it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l simulated -d 'Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in each run where the program does the same (valgrind\'s cachegrind; some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand aa" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand table" -s w -l watch -d 'Look again and again, this long apart, and show how fast the values rise [default interval: 1s]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand table" -s n -l count -d 'With --watch: end after so many looks' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand table" -l object -d 'Only this object (repeatable) [default: all]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand table" -l key -d 'Only this key (repeatable) [default: all]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand table" -l names -d 'What keys and objects are called: requests=0,bytes=1 for keys, server=@7 for object 7, or a file with one of these per line; they come before what the table says of its keys. For openmetrics a name in _total of a key that the table does not describe is a counter, and every other one a gauge' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand table" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand table" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand table" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, html, openmetrics' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand table" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand table" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand table" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand table" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand table" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l pairs -d 'Pairs of CPUs, such as 0:1,0:0 for two threads on CPU 0 [default: all among --cpu]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l cpu -d 'CPUs whose pairs are measured: a list or a relation, as for `run --cpu` [default: up to eight that are allowed]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -s r -l rounds -d 'Rounds, each of which visits every cell once in an order of its own' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l max-rounds -d 'Rounds at most for pairs that are not decided, or whose time is not accounted for, by then [default: ten times --rounds]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -s d -l duration -d 'Time that a pair works for arithmetic and small caches; the large ones take six times as long' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l interval -d 'With --capacity: time between two looks at the machine, from 50 ms on' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l count -d 'With --capacity: looks' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l seed -d 'Seed of the order of the cells [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -s e -l counters -d 'Count what the kernel and the processor can, as `run -e` does, of each worker while it works (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l capacity -d 'What one more thread is worth, and so what is left of the machine while it works: first measured, then live'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand contend" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand counters" -s p -l pid -d 'Count what a process does that runs already, with all threads and processes that it makes from now on, until it ends, until --max-time or Ctrl-C' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand counters" -s e -l counters -d 'What is counted of it, as for `run` [default: default]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand counters" -l series -d 'The length of an interval, at the end of each of which the counters are read (1ms or more) [default: 1s]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand counters" -l max-time -d 'Watch it no longer than this' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand counters" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand counters" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand counters" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html, openmetrics' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand counters" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand counters" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand counters" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand counters" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand counters" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s n -l command-name -d 'What reports call a command (repeatable: once for each, in their order)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l names -d 'The same for all commands: --names before,after' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s L -l parameter-list -d 'Parameter list: -L size=1,10,100 (or -L size 1,10,100, or -L size=1..8:2) with {size} in the command; `\\,` is a comma within a value; every combination is run (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s P -l parameter-scan -d 'Parameter scan: -P delay 0.3 0.7 -D 0.2 runs {delay} with 0.3, 0.5 and 0.7' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s D -l parameter-step-size -d 'Step of -P [default: 1]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s s -l setup -d 'Shell command that is run once before the whole, before programs are looked for (repeatable: once for each command; since the commands take turns, all come before the first run)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s p -l prepare -d 'Shell command that is run before each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s C -l conclude -d 'Shell command that is run after each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s c -l cleanup -d 'Shell command that is run once after the whole, however it ends (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s w -l warmup -d 'Runs of each command before the first measured one that do not count; compare (of times), aa, sweep and explain make one at least [default: 0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l table -d 'Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum (repeatable: each is the metric table:NAME too, and the first is `rate`)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l metric-from -d 'A number that the commands write to standard output, which goes to a file then: the first group of a regular expression\'s last match, or what a JSON pointer leads to. It is the metric printed:NAME; with `+` before NAME more is better (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l region -d 'A region that the commands mark (see docs/regions.md): its calls, its time, and what -e counts of it, as metrics region.NAME:calls, region.NAME:wall, region.NAME:instructions (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l control -d 'Pipes with names, made where they are missing, in which a command says `enable` and `disable`, as for perf stat: its time and its -e counters meanwhile are the metrics control:wall, control:times and control:COUNTER' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l definition -d 'Saved definition; what the command line says goes first' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l seed -d 'Seed of everything that is drawn [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l pid -d 'Sample a process that runs already, with all threads and processes that it makes from now on, until it ends, until --max-time or Ctrl-C' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l import -d 'Show what `perf record` wrote: callers are followed anew, and names are looked up here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s F -l frequency -d 'Samples a second of CPU time, or of waiting' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l period -d 'Take a sample every so many events instead' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l unwind -l call-graph -d 'How callers are found: by the compiler\'s tables (eh-frame), or by frame pointers, which costs less and needs programs that keep them' -r -f -a "eh-frame\t'By the compiler\'s tables, through a copy of the stack'
frame-pointers\t'By the chain of frame pointers, which the kernel follows'"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l stack-size -d 'How much of the stack is copied with each sample, at most 64KiB (65528 bytes, to be exact); less costs less where stacks are deep, and loses their outermost callers' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s r -l runs -d 'Runs of each command that are sampled [default: 1; of several commands as many as fit into --max-time]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l max-time -d 'Begin no further run after this time [default: 30s for several commands, of which there are ten runs each at least], or watch a process no longer' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l callers-of -d 'Who calls the functions whose names this finds, also through others or inlined (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l callees-of -d 'What the functions call whose names this finds (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l annotate -d 'Lines of source in which the functions are whose names this finds (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l cpu -d 'CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU), `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a single thread, else free) [default: free for run, profile and limit, auto elsewhere]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l pin-threads -d 'CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list they are left alone, and the command is traced no longer than it takes. It takes ptrace: each thread and each signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not placed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l nice -d 'Nice value, -20 to 19 [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l aslr -d 'Address space layout randomisation of the command [default: as the machine has it]' -r -f -a "on\t''
off\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l env -d 'Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l env-pad -d 'Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and limit none, for run none unless ASLR is off; level where runs are simulated]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l heap -d 'Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l memory-policy -d 'Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l interleave -d 'The same as --memory-policy interleave:NODES' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l stdin -d 'File for standard input, read from its beginning in each run [default: /dev/null]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l stdout -d 'Where the command\'s output goes: null, inherit, or a file that standard output is appended to [default: null]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l cwd -d 'Working directory of the commands' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l timeout -d 'End a run after this time (500ms, 2.5s, 1m); it counts as failed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s S -l shell -d 'Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s i -l ignore-failure -d 'Keep and analyse runs that fail, all of them or those with these statuses: -i=1,2' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l simulate-machine -d 'The machine that is simulated: classic (32 KiB of each first level, 8 MiB behind them), small (1 MiB behind them), here (this one), or its caches in bytes [default: classic]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html, folded, speedscope, firefox, pprof' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s e -l counters -d 'Sample at this event, as `fauxplat counters` names it: cpu-clock, cycles:u, page-faults; off-cpu: the time in which threads wait, by where they do [default: cycles, or cpu-clock where the processor counts none]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l user-only -d 'Leave out what happens in the kernel'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l tree -d 'Show who called whom as a tree, too'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l keep-background -d 'Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does [default: they are ended after each run, and those of --prepare with the run that they were made for]'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l show-output -d 'The same as --stdout inherit'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l skip-failures -d 'Go on after runs that fail, count them, and leave them out of all figures; ten in a row without one that succeeds end it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l simulated -d 'Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in each run where the program does the same (valgrind\'s cachegrind; some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand profile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l policy -d 'Scheduling policies, each tested in turns: other, fifo:N or rr:N [default: other, and fifo:90 where permitted]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l cpu -d 'CPUs for timer, noise and edge: a list or a relation [default: the first one that is allowed]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l pairs -d 'Pairs of CPUs for messages, signals and lines, such as 0:1 or 0:0 [default: the first CPU with itself and the next]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -s i -l interval -d 'Period of the timer, and time from one edge to the next' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -s c -l count -d 'Activations, messages, signals or edges of each test [default: 3000]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l slack -d 'Timer slacks, each tested in turns; real-time policies ignore them [default: the kernel\'s own, 50us]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -s d -l duration -d 'How long noise is watched [default: 3s], and the timer where --count says nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l threshold -d 'Shortest gap that counts as noise' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l channels -d 'Ways of messages: line, futex, pipe, eventfd, socketpair [default: all]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l line -d 'Line whose edges are waited for: gpiochip0:4 (number or name), key:event3:28, or sim:N of a simulated chip [default: sim:0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l answer -d 'Line that answers, and the light of `edge`; led:NAME and sysfs:17 as well [default: sim:1]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l drive -d 'What makes the edges of --line: outside, a line of ours that is wired to it, or pull:FILE of a line of gpio-sim [default: the simulated chip for its own line, else outside]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l merge -d 'Measure nothing: merge the histograms of earlier JSON documents, test by test' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -s e -l counters -d 'Count what the kernel and the processor can, as `run -e` does, of the threads of each test (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l seed -d 'Seed of the order in which tests take turns [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand latency" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s n -l command-name -d 'What reports call a command (repeatable: once for each, in their order)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l names -d 'The same for all commands: --names before,after' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s L -l parameter-list -d 'Parameter list: -L size=1,10,100 (or -L size 1,10,100, or -L size=1..8:2) with {size} in the command; `\\,` is a comma within a value; every combination is run (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s P -l parameter-scan -d 'Parameter scan: -P delay 0.3 0.7 -D 0.2 runs {delay} with 0.3, 0.5 and 0.7' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s D -l parameter-step-size -d 'Step of -P [default: 1]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s s -l setup -d 'Shell command that is run once before the whole, before programs are looked for (repeatable: once for each command; since the commands take turns, all come before the first run)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s p -l prepare -d 'Shell command that is run before each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s C -l conclude -d 'Shell command that is run after each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s c -l cleanup -d 'Shell command that is run once after the whole, however it ends (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s w -l warmup -d 'Runs of each command before the first measured one that do not count; compare (of times), aa, sweep and explain make one at least [default: 0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l table -d 'Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum (repeatable: each is the metric table:NAME too, and the first is `rate`)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l metric-from -d 'A number that the commands write to standard output, which goes to a file then: the first group of a regular expression\'s last match, or what a JSON pointer leads to. It is the metric printed:NAME; with `+` before NAME more is better (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s e -l counters -d 'Count in each run what the kernel and the processor can, the whole process tree: names such as cycles, instructions:u, l1d-misses, page-faults, rNNN or cpu/event=0x3c/, or default, cache, branch, topdown, kernel (see `fauxplat counters`). Each is a metric: pmu:instructions, software:page-faults (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l region -d 'A region that the commands mark (see docs/regions.md): its calls, its time, and what -e counts of it, as metrics region.NAME:calls, region.NAME:wall, region.NAME:instructions (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l control -d 'Pipes with names, made where they are missing, in which a command says `enable` and `disable`, as for perf stat: its time and its -e counters meanwhile are the metrics control:wall, control:times and control:COUNTER' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l definition -d 'Saved definition; what the command line says goes first' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l seed -d 'Seed of everything that is drawn [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l memory -d 'Memory, pages of files included' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l swap -d 'Memory that may be moved to a disk beside that [default: 0 with --memory]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l cpu-quota -d 'CPU time, in per cent of one CPU: 150% are one and a half' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l cpuset -d 'CPUs on which they may run' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l mems -d 'Memory nodes from which they get memory' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l weight -d 'Share of CPU time where other groups want it too, 1 to 10000; 100 is usual' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l pids -d 'Processes and threads at the same time' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l io -d 'Traffic with a device, by its path or numbers: rbps, wbps (bytes a second), riops, wiops (operations) (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l group -d 'A group by a name of its own, with limits as --limit takes them (repeatable: commands of several groups run against each other). NAME=CMD runs a command in it; without names each command has the group in its place' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l on-oom -d 'What happens where memory is used up: the kernel kills a process, or all of the group wait until they are ended' -r -f -a "kill\t''
pause\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l watch -d 'Show use against limits on standard error while the commands run, every so often' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l max-time -d 'End the commands after this time, which is no failure' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l cpu -d 'CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU), `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a single thread, else free) [default: free for run, profile and limit, auto elsewhere]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l pin-threads -d 'CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list they are left alone, and the command is traced no longer than it takes. It takes ptrace: each thread and each signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not placed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l nice -d 'Nice value, -20 to 19 [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l aslr -d 'Address space layout randomisation of the command [default: as the machine has it]' -r -f -a "on\t''
off\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l env -d 'Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l env-pad -d 'Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and limit none, for run none unless ASLR is off; level where runs are simulated]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l heap -d 'Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l memory-policy -d 'Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l interleave -d 'The same as --memory-policy interleave:NODES' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l stdin -d 'File for standard input, read from its beginning in each run [default: /dev/null]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l stdout -d 'Where the command\'s output goes: null, inherit, or a file that standard output is appended to [default: null]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l cwd -d 'Working directory of the commands' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l timeout -d 'End a run after this time (500ms, 2.5s, 1m); it counts as failed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s S -l shell -d 'Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s i -l ignore-failure -d 'Keep and analyse runs that fail, all of them or those with these statuses: -i=1,2' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l simulate-machine -d 'The machine that is simulated: classic (32 KiB of each first level, 8 MiB behind them), small (1 MiB behind them), here (this one), or its caches in bytes [default: classic]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l keep-background -d 'Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does [default: they are ended after each run, and those of --prepare with the run that they were made for]'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l show-output -d 'The same as --stdout inherit'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l skip-failures -d 'Go on after runs that fail, count them, and leave them out of all figures; ten in a row without one that succeeds end it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l simulated -d 'Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in each run where the program does the same (valgrind\'s cachegrind; some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand limit" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -s t -l time -d 'Hold the loads for this time [default: until Ctrl-C]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l cpu -d 'CPUs to measure, as for `run --cpu` [default: the first one that is allowed]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -s d -l duration -d 'Time per CPU, up to 5000 s' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: fifo:99 where it is permitted]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l seed -d 'Seed of the order in which the CPUs take turns [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -s e -l counters -d 'Count what the kernel and the processor can, as `run -e` does, of each worker while it works (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l all-cpus -d 'Every CPU that is allowed'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l together -d 'All of them at once, as a machine under full load; without it one after the other, in turns'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand index" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s n -l command-name -d 'What reports call a command (repeatable: once for each, in their order)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l names -d 'The same for all commands: --names before,after' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s L -l parameter-list -d 'Parameter list: -L size=1,10,100 (or -L size 1,10,100, or -L size=1..8:2) with {size} in the command; `\\,` is a comma within a value; every combination is run (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s P -l parameter-scan -d 'Parameter scan: -P delay 0.3 0.7 -D 0.2 runs {delay} with 0.3, 0.5 and 0.7' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s D -l parameter-step-size -d 'Step of -P [default: 1]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s s -l setup -d 'Shell command that is run once before the whole, before programs are looked for (repeatable: once for each command; since the commands take turns, all come before the first run)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s p -l prepare -d 'Shell command that is run before each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s C -l conclude -d 'Shell command that is run after each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s c -l cleanup -d 'Shell command that is run once after the whole, however it ends (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s w -l warmup -d 'Runs of each command before the first measured one that do not count; compare (of times), aa, sweep and explain make one at least [default: 0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l table -d 'Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum (repeatable: each is the metric table:NAME too, and the first is `rate`)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l metric-from -d 'A number that the commands write to standard output, which goes to a file then: the first group of a regular expression\'s last match, or what a JSON pointer leads to. It is the metric printed:NAME; with `+` before NAME more is better (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s e -l counters -d 'Count in each run what the kernel and the processor can, the whole process tree: names such as cycles, instructions:u, l1d-misses, page-faults, rNNN or cpu/event=0x3c/, or default, cache, branch, topdown, kernel (see `fauxplat counters`). Each is a metric: pmu:instructions, software:page-faults (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l region -d 'A region that the commands mark (see docs/regions.md): its calls, its time, and what -e counts of it, as metrics region.NAME:calls, region.NAME:wall, region.NAME:instructions (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l control -d 'Pipes with names, made where they are missing, in which a command says `enable` and `disable`, as for perf stat: its time and its -e counters meanwhile are the metrics control:wall, control:times and control:COUNTER' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l definition -d 'Saved definition; what the command line says goes first' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l seed -d 'Seed of everything that is drawn [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l build -d 'Shell command that builds the program which {program} names in the measured command. Places: {out}, where it goes; {link_flags}, before the sources; {compile_flags}; {seed}. The same stands in the environment as FAUXPLAT_OUT, FAUXPLAT_LINK_FLAGS, FAUXPLAT_COMPILE_FLAGS and FAUXPLAT_SEED' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l objects -d 'Object files, linked in an order of its own for each layout' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l link -d 'Shell command that links the objects: \'cc {objects} -o {out}\'' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l vary -d 'Ways in which layouts differ: object-order, padding, section-order, section-padding, alignment [default: all that the tools of this machine have]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l check -d 'How a built program is checked: a shell command with {program} that ends with status 0, or `none` [default: exit status and output must be those of the program without any variation]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l metric -d 'The metric that decides, or several, which share the --level: wall, user, sys, cpu, peak-memory, …, table:NAME of a --table [default: wall]' -r -a "(fauxplat __words metrics 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l margin -d 'Differences between levels within this count as none: a share for all metrics, METRIC=SHARE or METRIC=AMOUNT with its unit for one [default: 1%]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l level -d 'Probability of a false effect over the whole sweep, all levels and all metrics [default: 1%]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l blocks -d 'At most so many visits of each level [default: 100, or as many as fit into a minute, up to 1000]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l max-time -d 'Undecided after this time' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l cpu -d 'CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU), `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a single thread, else free) [default: free for run, profile and limit, auto elsewhere]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l pin-threads -d 'CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list they are left alone, and the command is traced no longer than it takes. It takes ptrace: each thread and each signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not placed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l nice -d 'Nice value, -20 to 19 [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l aslr -d 'Address space layout randomisation of the command [default: as the machine has it]' -r -f -a "on\t''
off\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l env -d 'Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l env-pad -d 'Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and limit none, for run none unless ASLR is off; level where runs are simulated]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l heap -d 'Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l memory-policy -d 'Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l interleave -d 'The same as --memory-policy interleave:NODES' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l stdin -d 'File for standard input, read from its beginning in each run [default: /dev/null]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l stdout -d 'Where the command\'s output goes: null, inherit, or a file that standard output is appended to [default: null]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l cwd -d 'Working directory of the commands' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l timeout -d 'End a run after this time (500ms, 2.5s, 1m); it counts as failed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s S -l shell -d 'Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s i -l ignore-failure -d 'Keep and analyse runs that fail, all of them or those with these statuses: -i=1,2' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l simulate-machine -d 'The machine that is simulated: classic (32 KiB of each first level, 8 MiB behind them), small (1 MiB behind them), here (this one), or its caches in bytes [default: classic]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l exhaustive -d 'Every level in every block, those included that must be equal; stop for no answer'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l fail-if-effect -d 'Fail with exit code 1 if the factor has an effect'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l keep-background -d 'Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does [default: they are ended after each run, and those of --prepare with the run that they were made for]'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l show-output -d 'The same as --stdout inherit'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l skip-failures -d 'Go on after runs that fail, count them, and leave them out of all figures; ten in a row without one that succeeds end it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l simulated -d 'Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in each run where the program does the same (valgrind\'s cachegrind; some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand sweep" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -s s -l set -d 'Turn one knob, for instance turbo=off; goes before what a profile says (repeatable)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -l for -d 'Tune, run this command, restore; everything after --for is the command' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -l max -d 'Restore after this time (30m, 2h), by a guardian that outlives fauxplat, but not its container or service' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -l journal -d 'Journal of changes [default: $FAUXPLAT_JOURNAL, else one that is there, else /run/fauxplat/journal, or /var/lib/fauxplat/journal where that cannot be]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -l sysroot -d 'Read and write the machine below this folder' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -l list -d 'List profiles and knobs, with their values on this machine'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -l dry-run -d 'Say what would be changed, and change nothing'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -l status -d 'Say what is changed at this moment, and who changes it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -l all-or-nothing -d 'If one change fails, take all of them back'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -l machine-wide -d 'Turn knobs for the whole machine also where a command could have them by itself (aslr, thp)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -l wait -d 'Wait while another fauxplat is tuning, instead of naming it and giving up'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand restore" -l journal -d 'Journal of changes [default: $FAUXPLAT_JOURNAL, else one that is there, else /run/fauxplat/journal, or /var/lib/fauxplat/journal where that cannot be]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand restore" -l sysroot -d 'Read and write the machine below this folder' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand restore" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand restore" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand restore" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand restore" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand restore" -l force -d 'Put back also what somebody else changed meanwhile, and what a journal says that is cut off at its end or of which nobody can tell whether it is of this boot'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand restore" -l wait -d 'Wait while another fauxplat is tuning, instead of naming it and giving up'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand restore" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand restore" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and not __fish_seen_subcommand_from list show run compare check new help" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and not __fish_seen_subcommand_from list show run compare check new help" -f -a "list" -d 'The labs that there are, with their questions'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and not __fish_seen_subcommand_from list show run compare check new help" -f -a "show" -d 'What a lab asks, claims and runs'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and not __fish_seen_subcommand_from list show run compare check new help" -f -a "run" -d 'Run labs, and say of each published claim: reproduced, not here, undecided, or cannot run here'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and not __fish_seen_subcommand_from list show run compare check new help" -f -a "compare" -d 'Hold the records of two machines against each other, claim by claim'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and not __fish_seen_subcommand_from list show run compare check new help" -f -a "check" -d 'Say what a lab lacks: its page, its claims, a made-up machine for each outcome. Nothing of it is run'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and not __fish_seen_subcommand_from list show run compare check new help" -f -a "new" -d 'Make a folder with a lab in it that runs, to be changed into yours'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and not __fish_seen_subcommand_from list show run compare check new help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from list" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from list" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from list" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, junit, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from list" -l course -d 'As a course: what each lab teaches, after which others, in how many minutes'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from list" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from show" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from show" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from show" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, junit, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from show" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l max-time -d 'How long all of them may take: each has an equal share, and leaves to the others what it does not need' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l record -d 'A record of this machine, in JSON, written after each lab; labs that it has already are not run again' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l pages -d 'A folder for a page of HTML for each lab: the published figures beside ours, and the story' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l set -d 'Something that the lab leaves open, such as python=python3.11,python3.13t; with several values whatever depends on it is run and judged for each (repeatable; lab show says what there is)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l seed -d 'Seed of the order within rounds [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l keep -d 'Keep the JSON documents of the experiments in this folder' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, junit, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l all -d 'Every lab that is listed'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l strict -d 'Fail with exit code 1 unless every claim is reproduced'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from compare" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from compare" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from compare" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from compare" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from compare" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from compare" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from compare" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from compare" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from new" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "list" -d 'The labs that there are, with their questions'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "show" -d 'What a lab asks, claims and runs'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "run" -d 'Run labs, and say of each published claim: reproduced, not here, undecided, or cannot run here'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "compare" -d 'Hold the records of two machines against each other, claim by claim'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "check" -d 'Say what a lab lacks: its page, its claims, a made-up machine for each outcome. Nothing of it is run'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "new" -d 'Make a folder with a lab in it that runs, to be changed into yours'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -l cpu -d 'Look at these CPUs alone, a list or a relation (see topo pick): those that you want to measure on [default: all that are allowed]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -l interval -d 'Time between the two readings of everything that counts' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -l fail-if -d 'Fail with exit code 1 if a hazard is at this level or above: governor=medium, or any=high, which leaves out what fauxplat neutralises itself (repeatable; levels are low, medium, high)' -r -a "(fauxplat __words hazards 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -l explain -d 'Print all that is known about a hazard: what it costs, its levels, what to do; `all` for every one' -r -a "(fauxplat __words hazards 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -l sysroot -d 'Look at the tree of files below this folder instead of /: a capture of another machine, at one moment' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -l all -d 'Show what is harmless, unknown or not applicable too'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and not __fish_seen_subcommand_from pick help" -l sysroot -d 'Read sys and proc below this folder: the captured tree of another machine' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and not __fish_seen_subcommand_from pick help" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and not __fish_seen_subcommand_from pick help" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and not __fish_seen_subcommand_from pick help" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html, boxes, lscpu' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and not __fish_seen_subcommand_from pick help" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and not __fish_seen_subcommand_from pick help" -l draw -d 'Nested boxes, in characters (the same as --format boxes)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and not __fish_seen_subcommand_from pick help" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and not __fish_seen_subcommand_from pick help" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and not __fish_seen_subcommand_from pick help" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and not __fish_seen_subcommand_from pick help" -f -a "pick" -d 'CPUs by what they are to each other, and why each of them'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and not __fish_seen_subcommand_from pick help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and __fish_seen_subcommand_from pick" -l watch -d 'How long the CPUs are watched for interrupts, steal and load; 0s looks at nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and __fish_seen_subcommand_from pick" -l sysroot -d 'Read sys and proc below this folder: the captured tree of another machine' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and __fish_seen_subcommand_from pick" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and __fish_seen_subcommand_from pick" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and __fish_seen_subcommand_from pick" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html, boxes, lscpu' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and __fish_seen_subcommand_from pick" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and __fish_seen_subcommand_from pick" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and __fish_seen_subcommand_from pick" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and __fish_seen_subcommand_from pick" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and __fish_seen_subcommand_from pick" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and __fish_seen_subcommand_from help" -f -a "pick" -d 'CPUs by what they are to each other, and why each of them'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s n -l command-name -d 'What reports call a command (repeatable: once for each, in their order)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l names -d 'The same for all commands: --names before,after' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s L -l parameter-list -d 'Parameter list: -L size=1,10,100 (or -L size 1,10,100, or -L size=1..8:2) with {size} in the command; `\\,` is a comma within a value; every combination is run (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s P -l parameter-scan -d 'Parameter scan: -P delay 0.3 0.7 -D 0.2 runs {delay} with 0.3, 0.5 and 0.7' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s D -l parameter-step-size -d 'Step of -P [default: 1]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s s -l setup -d 'Shell command that is run once before the whole, before programs are looked for (repeatable: once for each command; since the commands take turns, all come before the first run)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s p -l prepare -d 'Shell command that is run before each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s C -l conclude -d 'Shell command that is run after each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s c -l cleanup -d 'Shell command that is run once after the whole, however it ends (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s w -l warmup -d 'Runs of each command before the first measured one that do not count; compare (of times), aa, sweep and explain make one at least [default: 0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l table -d 'Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum (repeatable: each is the metric table:NAME too, and the first is `rate`)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l metric-from -d 'A number that the commands write to standard output, which goes to a file then: the first group of a regular expression\'s last match, or what a JSON pointer leads to. It is the metric printed:NAME; with `+` before NAME more is better (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s e -l counters -d 'Count in each run what the kernel and the processor can, the whole process tree: names such as cycles, instructions:u, l1d-misses, page-faults, rNNN or cpu/event=0x3c/, or default, cache, branch, topdown, kernel (see `fauxplat counters`). Each is a metric: pmu:instructions, software:page-faults (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l region -d 'A region that the commands mark (see docs/regions.md): its calls, its time, and what -e counts of it, as metrics region.NAME:calls, region.NAME:wall, region.NAME:instructions (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l control -d 'Pipes with names, made where they are missing, in which a command says `enable` and `disable`, as for perf stat: its time and its -e counters meanwhile are the metrics control:wall, control:times and control:COUNTER' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l definition -d 'Saved definition; what the command line says goes first' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l seed -d 'Seed of everything that is drawn [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l factors -d 'What is varied: env-size (place of the stack within a page), heap (place of the heap), cpu (the CPUs of --cpu, or all allowed ones, for commands of one thread). Several commands are the levels of a further factor; place in the block and time are always looked at [default: all]' -r -f -a "env-size\t''
heap\t''
cpu\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l metric -d 'The metric that is explained: wall, user, sys, cpu [default: wall]' -r -a "(fauxplat __words metrics 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l level -d 'Probability of naming any factor without cause [default: 1%]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l blocks -d 'At most so many blocks of 16 runs [default: 64]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l max-time -d 'No new block after this time, but at least twelve [default: 1m]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l build -d 'Shell command that builds the program which {program} names in the measured command. Places: {out}, where it goes; {link_flags}, before the sources; {compile_flags}; {seed}. The same stands in the environment as FAUXPLAT_OUT, FAUXPLAT_LINK_FLAGS, FAUXPLAT_COMPILE_FLAGS and FAUXPLAT_SEED' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l objects -d 'Object files, linked in an order of its own for each layout' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l link -d 'Shell command that links the objects: \'cc {objects} -o {out}\'' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l vary -d 'Ways in which layouts differ: object-order, padding, section-order, section-padding, alignment [default: all that the tools of this machine have]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l check -d 'How a built program is checked: a shell command with {program} that ends with status 0, or `none` [default: exit status and output must be those of the program without any variation]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l layouts -d 'Layouts in which a program is built; they are the levels of the factor `layout`' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l cpu -d 'CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU), `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a single thread, else free) [default: free for run, profile and limit, auto elsewhere]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l pin-threads -d 'CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list they are left alone, and the command is traced no longer than it takes. It takes ptrace: each thread and each signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not placed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l nice -d 'Nice value, -20 to 19 [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l aslr -d 'Address space layout randomisation of the command [default: as the machine has it]' -r -f -a "on\t''
off\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l env -d 'Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l env-pad -d 'Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and limit none, for run none unless ASLR is off; level where runs are simulated]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l heap -d 'Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l memory-policy -d 'Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l interleave -d 'The same as --memory-policy interleave:NODES' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l stdin -d 'File for standard input, read from its beginning in each run [default: /dev/null]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l stdout -d 'Where the command\'s output goes: null, inherit, or a file that standard output is appended to [default: null]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l cwd -d 'Working directory of the commands' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l timeout -d 'End a run after this time (500ms, 2.5s, 1m); it counts as failed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s S -l shell -d 'Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s i -l ignore-failure -d 'Keep and analyse runs that fail, all of them or those with these statuses: -i=1,2' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l simulate-machine -d 'The machine that is simulated: classic (32 KiB of each first level, 8 MiB behind them), small (1 MiB behind them), here (this one), or its caches in bytes [default: classic]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l keep-background -d 'Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does [default: they are ended after each run, and those of --prepare with the run that they were made for]'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l show-output -d 'The same as --stdout inherit'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l skip-failures -d 'Go on after runs that fail, count them, and leave them out of all figures; ten in a row without one that succeeds end it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l simulated -d 'Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in each run where the program does the same (valgrind\'s cachegrind; some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand explain" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and not __fish_seen_subcommand_from run compare report watch list facts rm emit take help" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and not __fish_seen_subcommand_from run compare report watch list facts rm emit take help" -f -a "run" -d 'Measure one command on every machine, and suspects again'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and not __fish_seen_subcommand_from run compare report watch list facts rm emit take help" -f -a "compare" -d 'Compare two commands on every machine; machines are what is counted'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and not __fish_seen_subcommand_from run compare report watch list facts rm emit take help" -f -a "report" -d 'What a run found, in any format'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and not __fish_seen_subcommand_from run compare report watch list facts rm emit take help" -f -a "watch" -d 'What changed over the runs that are kept, and how to repeat them on a schedule'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and not __fish_seen_subcommand_from run compare report watch list facts rm emit take help" -f -a "list" -d 'The runs that are kept'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and not __fish_seen_subcommand_from run compare report watch list facts rm emit take help" -f -a "facts" -d 'Facts in which machines of a run differ, and those that changed since the run before'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and not __fish_seen_subcommand_from run compare report watch list facts rm emit take help" -f -a "rm" -d 'Remove runs that are kept'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and not __fish_seen_subcommand_from run compare report watch list facts rm emit take help" -f -a "emit" -d 'Write what another engine needs to carry a run out'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and not __fish_seen_subcommand_from run compare report watch list facts rm emit take help" -f -a "take" -d 'Keep answers that somebody else collected, such as the logs of pods, as a run'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and not __fish_seen_subcommand_from run compare report watch list facts rm emit take help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s n -l command-name -d 'What reports call a command (repeatable: once for each, in their order)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l names -d 'The same for all commands: --names before,after' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s L -l parameter-list -d 'Parameter list: -L size=1,10,100 (or -L size 1,10,100, or -L size=1..8:2) with {size} in the command; `\\,` is a comma within a value; every combination is run (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s P -l parameter-scan -d 'Parameter scan: -P delay 0.3 0.7 -D 0.2 runs {delay} with 0.3, 0.5 and 0.7' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s D -l parameter-step-size -d 'Step of -P [default: 1]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s s -l setup -d 'Shell command that is run once before the whole, before programs are looked for (repeatable: once for each command; since the commands take turns, all come before the first run)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s p -l prepare -d 'Shell command that is run before each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s C -l conclude -d 'Shell command that is run after each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s c -l cleanup -d 'Shell command that is run once after the whole, however it ends (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s w -l warmup -d 'Runs of each command before the first measured one that do not count; compare (of times), aa, sweep and explain make one at least [default: 0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l table -d 'Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum (repeatable: each is the metric table:NAME too, and the first is `rate`)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l metric-from -d 'A number that the commands write to standard output, which goes to a file then: the first group of a regular expression\'s last match, or what a JSON pointer leads to. It is the metric printed:NAME; with `+` before NAME more is better (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s e -l counters -d 'Count in each run what the kernel and the processor can, the whole process tree: names such as cycles, instructions:u, l1d-misses, page-faults, rNNN or cpu/event=0x3c/, or default, cache, branch, topdown, kernel (see `fauxplat counters`). Each is a metric: pmu:instructions, software:page-faults (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l region -d 'A region that the commands mark (see docs/regions.md): its calls, its time, and what -e counts of it, as metrics region.NAME:calls, region.NAME:wall, region.NAME:instructions (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l control -d 'Pipes with names, made where they are missing, in which a command says `enable` and `disable`, as for perf stat: its time and its -e counters meanwhile are the metrics control:wall, control:times and control:COUNTER' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l definition -d 'Saved definition; what the command line says goes first' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l seed -d 'Seed of everything that is drawn [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l on -d 'Who carries it to the machines: slurm or slurm:PARTITION (a job per node), ssh:INVENTORY (clush, pdsh or ansible, whichever is installed; their names may stand in the place of ssh), local:N (N processes here, to try it out). INVENTORY is names such as n[1-9], a group such as @all, or a file' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l resume -d 'Go on with a run that was ended, as it was begun, and ask once more those that gave nothing (see fleet list)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l licence -d 'A licence of Slurm that every measurement takes, so that machines that share something take turns (NAME or NAME:COUNT)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l at-once -d 'The most machines at the same time [default: 1 for local, 64 for ssh]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l job-minutes -d 'How long a job of Slurm may take, in minutes [default: the partition\'s own]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l program -d 'The program for machines of another architecture, by the word of uname -m (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l program-there -d 'Where the program lies on every machine already, so that none is shipped' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l patience -d 'Give a machine up that runs and does not answer for this long' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l max-time -d 'End the whole after this time, with what came until then; it can be resumed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l folder -d 'The folder that holds a folder for each run; for Slurm one that nodes share, if there is one [default: `fleet` beside the store]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s r -l runs -d 'Measured runs on each machine: a number, or auto (at least 10, for about 3 s, at most 500)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l metric -d 'What is judged: wall, cpu, printed:NAME or another metric [default: the first of --metric-from, else wall]' -r -a "(fauxplat __words metrics 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l fail-if -d 'Fail with exit code 1 if some machine is confirmed, suspect, wrong-answer, missing (asked, and no figure came), unreached (it could not be asked), uncompared (none has its hardware), changed (over the runs of this definition that are kept), or if there is a notice (too fast, runs that scatter, a number of runs, a fact) or a setting by which slowness is explained' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l cpu -d 'CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU), `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a single thread, else free) [default: free for run, profile and limit, auto elsewhere]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l pin-threads -d 'CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list they are left alone, and the command is traced no longer than it takes. It takes ptrace: each thread and each signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not placed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l nice -d 'Nice value, -20 to 19 [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l aslr -d 'Address space layout randomisation of the command [default: as the machine has it]' -r -f -a "on\t''
off\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l env -d 'Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l env-pad -d 'Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and limit none, for run none unless ASLR is off; level where runs are simulated]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l heap -d 'Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l memory-policy -d 'Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l interleave -d 'The same as --memory-policy interleave:NODES' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l stdin -d 'File for standard input, read from its beginning in each run [default: /dev/null]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l stdout -d 'Where the command\'s output goes: null, inherit, or a file that standard output is appended to [default: null]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l cwd -d 'Working directory of the commands' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l timeout -d 'End a run after this time (500ms, 2.5s, 1m); it counts as failed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s S -l shell -d 'Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s i -l ignore-failure -d 'Keep and analyse runs that fail, all of them or those with these statuses: -i=1,2' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l simulate-machine -d 'The machine that is simulated: classic (32 KiB of each first level, 8 MiB behind them), small (1 MiB behind them), here (this one), or its caches in bytes [default: classic]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html, openmetrics, slurm-drain' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l shared -d 'Let Slurm run other jobs on a node beside a measurement'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l no-answers -d 'Run no command once more for a checksum of its answer'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l no-confirm -d 'Do not measure suspects again'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l keep-background -d 'Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does [default: they are ended after each run, and those of --prepare with the run that they were made for]'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l show-output -d 'The same as --stdout inherit'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l skip-failures -d 'Go on after runs that fail, count them, and leave them out of all figures; ten in a row without one that succeeds end it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l simulated -d 'Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in each run where the program does the same (valgrind\'s cachegrind; some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from run" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s n -l command-name -d 'What reports call a command (repeatable: once for each, in their order)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l names -d 'The same for all commands: --names before,after' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s L -l parameter-list -d 'Parameter list: -L size=1,10,100 (or -L size 1,10,100, or -L size=1..8:2) with {size} in the command; `\\,` is a comma within a value; every combination is run (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s P -l parameter-scan -d 'Parameter scan: -P delay 0.3 0.7 -D 0.2 runs {delay} with 0.3, 0.5 and 0.7' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s D -l parameter-step-size -d 'Step of -P [default: 1]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s s -l setup -d 'Shell command that is run once before the whole, before programs are looked for (repeatable: once for each command; since the commands take turns, all come before the first run)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s p -l prepare -d 'Shell command that is run before each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s C -l conclude -d 'Shell command that is run after each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s c -l cleanup -d 'Shell command that is run once after the whole, however it ends (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s w -l warmup -d 'Runs of each command before the first measured one that do not count; compare (of times), aa, sweep and explain make one at least [default: 0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l table -d 'Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum (repeatable: each is the metric table:NAME too, and the first is `rate`)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l metric-from -d 'A number that the commands write to standard output, which goes to a file then: the first group of a regular expression\'s last match, or what a JSON pointer leads to. It is the metric printed:NAME; with `+` before NAME more is better (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s e -l counters -d 'Count in each run what the kernel and the processor can, the whole process tree: names such as cycles, instructions:u, l1d-misses, page-faults, rNNN or cpu/event=0x3c/, or default, cache, branch, topdown, kernel (see `fauxplat counters`). Each is a metric: pmu:instructions, software:page-faults (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l region -d 'A region that the commands mark (see docs/regions.md): its calls, its time, and what -e counts of it, as metrics region.NAME:calls, region.NAME:wall, region.NAME:instructions (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l control -d 'Pipes with names, made where they are missing, in which a command says `enable` and `disable`, as for perf stat: its time and its -e counters meanwhile are the metrics control:wall, control:times and control:COUNTER' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l definition -d 'Saved definition; what the command line says goes first' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l seed -d 'Seed of everything that is drawn [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l on -d 'Who carries it to the machines: slurm or slurm:PARTITION (a job per node), ssh:INVENTORY (clush, pdsh or ansible, whichever is installed; their names may stand in the place of ssh), local:N (N processes here, to try it out). INVENTORY is names such as n[1-9], a group such as @all, or a file' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l resume -d 'Go on with a run that was ended, as it was begun, and ask once more those that gave nothing (see fleet list)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l licence -d 'A licence of Slurm that every measurement takes, so that machines that share something take turns (NAME or NAME:COUNT)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l at-once -d 'The most machines at the same time [default: 1 for local, 64 for ssh]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l job-minutes -d 'How long a job of Slurm may take, in minutes [default: the partition\'s own]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l program -d 'The program for machines of another architecture, by the word of uname -m (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l program-there -d 'Where the program lies on every machine already, so that none is shipped' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l patience -d 'Give a machine up that runs and does not answer for this long' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l max-time -d 'End the whole after this time, with what came until then; it can be resumed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l folder -d 'The folder that holds a folder for each run; for Slurm one that nodes share, if there is one [default: `fleet` beside the store]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s r -l runs -d 'Pairs of runs on each machine: a number, or auto (at least 10, for about 6 s, at most 500)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l metric -d 'What is judged [default: the first of --metric-from, else wall]' -r -a "(fauxplat __words metrics 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l cpu -d 'CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU), `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a single thread, else free) [default: free for run, profile and limit, auto elsewhere]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l pin-threads -d 'CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list they are left alone, and the command is traced no longer than it takes. It takes ptrace: each thread and each signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not placed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l nice -d 'Nice value, -20 to 19 [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l aslr -d 'Address space layout randomisation of the command [default: as the machine has it]' -r -f -a "on\t''
off\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l env -d 'Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l env-pad -d 'Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and limit none, for run none unless ASLR is off; level where runs are simulated]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l heap -d 'Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l memory-policy -d 'Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l interleave -d 'The same as --memory-policy interleave:NODES' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l stdin -d 'File for standard input, read from its beginning in each run [default: /dev/null]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l stdout -d 'Where the command\'s output goes: null, inherit, or a file that standard output is appended to [default: null]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l cwd -d 'Working directory of the commands' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l timeout -d 'End a run after this time (500ms, 2.5s, 1m); it counts as failed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s S -l shell -d 'Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s i -l ignore-failure -d 'Keep and analyse runs that fail, all of them or those with these statuses: -i=1,2' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l simulate-machine -d 'The machine that is simulated: classic (32 KiB of each first level, 8 MiB behind them), small (1 MiB behind them), here (this one), or its caches in bytes [default: classic]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l shared -d 'Let Slurm run other jobs on a node beside a measurement'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l no-answers -d 'Run no command once more for a checksum of its answer'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l keep-background -d 'Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does [default: they are ended after each run, and those of --prepare with the run that they were made for]'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l show-output -d 'The same as --stdout inherit'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l skip-failures -d 'Go on after runs that fail, count them, and leave them out of all figures; ten in a row without one that succeeds end it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l simulated -d 'Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in each run where the program does the same (valgrind\'s cachegrind; some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from compare" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from report" -l fail-if -d 'Fail with exit code 1 if some machine is confirmed, suspect, wrong-answer, missing (asked, and no figure came), unreached (it could not be asked), uncompared (none has its hardware), changed (over the runs of this definition that are kept), or if there is a notice (too fast, runs that scatter, a number of runs, a fact) or a setting by which slowness is explained' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from report" -l folder -d 'The folder that holds a folder for each run; for Slurm one that nodes share, if there is one [default: `fleet` beside the store]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from report" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from report" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from report" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from report" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html, openmetrics, slurm-drain' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from report" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from report" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from report" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from report" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from report" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from watch" -l every -d 'Say how the engine of that run repeats it each hour, day, week or month. Nothing is entered anywhere' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from watch" -l fail-if -d 'Fail with exit code 1 if some machine is confirmed, suspect, wrong-answer, missing (asked, and no figure came), unreached (it could not be asked), uncompared (none has its hardware), changed (over the runs of this definition that are kept), or if there is a notice (too fast, runs that scatter, a number of runs, a fact) or a setting by which slowness is explained' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from watch" -l folder -d 'The folder that holds a folder for each run; for Slurm one that nodes share, if there is one [default: `fleet` beside the store]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from watch" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from watch" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from watch" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from watch" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from watch" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from watch" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from watch" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from watch" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from watch" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from list" -l folder -d 'The folder that holds a folder for each run; for Slurm one that nodes share, if there is one [default: `fleet` beside the store]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from list" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from list" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from list" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from list" -s f -l format -d 'text, json' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from list" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from facts" -l folder -d 'The folder that holds a folder for each run; for Slurm one that nodes share, if there is one [default: `fleet` beside the store]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from facts" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from facts" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from facts" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from facts" -s f -l format -d 'text, json' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from facts" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from facts" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from rm" -l folder -d 'The folder that holds a folder for each run; for Slurm one that nodes share, if there is one [default: `fleet` beside the store]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from rm" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from rm" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from rm" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from rm" -s f -l format -d 'text, json' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from rm" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s n -l command-name -d 'What reports call a command (repeatable: once for each, in their order)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l names -d 'The same for all commands: --names before,after' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s L -l parameter-list -d 'Parameter list: -L size=1,10,100 (or -L size 1,10,100, or -L size=1..8:2) with {size} in the command; `\\,` is a comma within a value; every combination is run (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s P -l parameter-scan -d 'Parameter scan: -P delay 0.3 0.7 -D 0.2 runs {delay} with 0.3, 0.5 and 0.7' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s D -l parameter-step-size -d 'Step of -P [default: 1]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s s -l setup -d 'Shell command that is run once before the whole, before programs are looked for (repeatable: once for each command; since the commands take turns, all come before the first run)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s p -l prepare -d 'Shell command that is run before each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s C -l conclude -d 'Shell command that is run after each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s c -l cleanup -d 'Shell command that is run once after the whole, however it ends (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s w -l warmup -d 'Runs of each command before the first measured one that do not count; compare (of times), aa, sweep and explain make one at least [default: 0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l table -d 'Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum (repeatable: each is the metric table:NAME too, and the first is `rate`)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l metric-from -d 'A number that the commands write to standard output, which goes to a file then: the first group of a regular expression\'s last match, or what a JSON pointer leads to. It is the metric printed:NAME; with `+` before NAME more is better (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s e -l counters -d 'Count in each run what the kernel and the processor can, the whole process tree: names such as cycles, instructions:u, l1d-misses, page-faults, rNNN or cpu/event=0x3c/, or default, cache, branch, topdown, kernel (see `fauxplat counters`). Each is a metric: pmu:instructions, software:page-faults (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l region -d 'A region that the commands mark (see docs/regions.md): its calls, its time, and what -e counts of it, as metrics region.NAME:calls, region.NAME:wall, region.NAME:instructions (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l control -d 'Pipes with names, made where they are missing, in which a command says `enable` and `disable`, as for perf stat: its time and its -e counters meanwhile are the metrics control:wall, control:times and control:COUNTER' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l definition -d 'Saved definition; what the command line says goes first' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l seed -d 'Seed of everything that is drawn [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l image -d 'The image that holds fauxplat and what is measured' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l nodes -d 'On how many nodes' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l round -d 'Write what measures the suspects of a run again that was taken, beside machines of their groups: this round, from 1 on. The answers are taken like those of the first measurement' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l of -d 'The run of --round: its id, the beginning of it, or its folder [default: the latest]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l folder -d 'The folder that holds a folder for each run; for Slurm one that nodes share, if there is one [default: `fleet` beside the store]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l job-name -d 'What the job is called' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l node-label -d 'A label that nodes have to have, as NAME=VALUE (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s r -l runs -d 'Measured runs on each node: a number, or auto' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l cpu -d 'CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU), `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a single thread, else free) [default: free for run, profile and limit, auto elsewhere]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l pin-threads -d 'CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list they are left alone, and the command is traced no longer than it takes. It takes ptrace: each thread and each signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not placed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l nice -d 'Nice value, -20 to 19 [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l aslr -d 'Address space layout randomisation of the command [default: as the machine has it]' -r -f -a "on\t''
off\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l env -d 'Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l env-pad -d 'Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and limit none, for run none unless ASLR is off; level where runs are simulated]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l heap -d 'Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l memory-policy -d 'Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l interleave -d 'The same as --memory-policy interleave:NODES' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l stdin -d 'File for standard input, read from its beginning in each run [default: /dev/null]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l stdout -d 'Where the command\'s output goes: null, inherit, or a file that standard output is appended to [default: null]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l cwd -d 'Working directory of the commands' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l timeout -d 'End a run after this time (500ms, 2.5s, 1m); it counts as failed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s S -l shell -d 'Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s i -l ignore-failure -d 'Keep and analyse runs that fail, all of them or those with these statuses: -i=1,2' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l simulate-machine -d 'The machine that is simulated: classic (32 KiB of each first level, 8 MiB behind them), small (1 MiB behind them), here (this one), or its caches in bytes [default: classic]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s f -l format -d 'text, json' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l keep-background -d 'Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does [default: they are ended after each run, and those of --prepare with the run that they were made for]'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l show-output -d 'The same as --stdout inherit'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l skip-failures -d 'Go on after runs that fail, count them, and leave them out of all figures; ten in a row without one that succeeds end it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l simulated -d 'Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in each run where the program does the same (valgrind\'s cachegrind; some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from emit" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from take" -l fail-if -d 'Fail with exit code 1 if some machine is confirmed, suspect, wrong-answer, missing (asked, and no figure came), unreached (it could not be asked), uncompared (none has its hardware), changed (over the runs of this definition that are kept), or if there is a notice (too fast, runs that scatter, a number of runs, a fact) or a setting by which slowness is explained' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from take" -l folder -d 'The folder that holds a folder for each run; for Slurm one that nodes share, if there is one [default: `fleet` beside the store]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from take" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from take" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from take" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from take" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, svg, html, openmetrics, slurm-drain' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from take" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from take" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from take" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from take" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from take" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from help" -f -a "run" -d 'Measure one command on every machine, and suspects again'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from help" -f -a "compare" -d 'Compare two commands on every machine; machines are what is counted'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from help" -f -a "report" -d 'What a run found, in any format'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from help" -f -a "watch" -d 'What changed over the runs that are kept, and how to repeat them on a schedule'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from help" -f -a "list" -d 'The runs that are kept'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from help" -f -a "facts" -d 'Facts in which machines of a run differ, and those that changed since the run before'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from help" -f -a "rm" -d 'Remove runs that are kept'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from help" -f -a "emit" -d 'Write what another engine needs to carry a run out'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from help" -f -a "take" -d 'Keep answers that somebody else collected, such as the logs of pods, as a run'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand fleet; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand node" -l order -d 'The order as one packed word, as engines pass it' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand node" -l framed -d 'Write the answer as lines that pass through any tool, with this token, and not as JSON' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand node" -l node -d 'What the engine calls this machine [default: FAUXPLAT_NODE of the environment]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand node" -l round -d 'Which round it is' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand node" -l attempt -d 'Which attempt at that round' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand node" -l shipped -d 'Take this program away at the end: it was shipped for this order alone'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand node" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and not __fish_seen_subcommand_from list show export push pull rm help" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and not __fish_seen_subcommand_from list show export push pull rm help" -f -a "list" -d 'One line per experiment, newest last'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and not __fish_seen_subcommand_from list show export push pull rm help" -f -a "show" -d 'The report of an experiment, as it was'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and not __fish_seen_subcommand_from list show export push pull rm help" -f -a "export" -d 'An experiment with all its samples, as JSON unless --format says otherwise'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and not __fish_seen_subcommand_from list show export push pull rm help" -f -a "push" -d 'Carry experiments to another store: those that wait for it, unless others are named. What is there already, by its UUID, stays as it is'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and not __fish_seen_subcommand_from list show export push pull rm help" -f -a "pull" -d 'Carry experiments here from another store. What is here already, by its UUID, stays as it is'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and not __fish_seen_subcommand_from list show export push pull rm help" -f -a "rm" -d 'Remove experiments'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and not __fish_seen_subcommand_from list show export push pull rm help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from list" -l kind -d 'Only this verb, such as run or compare' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from list" -l name -d 'Only those with a command that contains this' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from list" -l since -d 'Only those since this time, for instance 2026-11' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from list" -l limit -d 'At most so many, the newest' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from list" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from list" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from list" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from list" -s f -l format -d 'text, json' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from list" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -s u -l time-unit -d 'Unit of the times in the tables of `run`: microsecond, millisecond, second [default: what suits each]' -r -f -a "microsecond\t''
millisecond\t''
second\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -l sort -d 'Order of the table of several commands: auto and command (as they were given), mean-time (the fastest first)' -r -f -a "auto\t''
command\t''
mean-time\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -s f -l format -d 'text, json, csv, csv-summary, markdown, asciidoc, org, hyperfine-json, hyperfine-json-2, pyperf-json, github-action-benchmark, bencher-bmf, go-benchmark, junit, svg, html, openmetrics, folded, speedscope, firefox, pprof, slurm-drain' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -s u -l time-unit -d 'Unit of the times in the tables of `run`: microsecond, millisecond, second [default: what suits each]' -r -f -a "microsecond\t''
millisecond\t''
second\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -l sort -d 'Order of the table of several commands: auto and command (as they were given), mean-time (the fastest first)' -r -f -a "auto\t''
command\t''
mean-time\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -s f -l format -d 'text, json, csv, csv-summary, markdown, asciidoc, org, hyperfine-json, hyperfine-json-2, pyperf-json, github-action-benchmark, bencher-bmf, go-benchmark, junit, svg, html, openmetrics, folded, speedscope, firefox, pprof, slurm-drain' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from push" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from push" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from push" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from push" -s f -l format -d 'text, json' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from push" -l all -d 'All that are over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from push" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from push" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from pull" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from pull" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from pull" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from pull" -s f -l format -d 'text, json' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from pull" -l all -d 'All that are over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from pull" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from pull" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from rm" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from rm" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from rm" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from rm" -s f -l format -d 'text, json' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from rm" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from help" -f -a "list" -d 'One line per experiment, newest last'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from help" -f -a "show" -d 'The report of an experiment, as it was'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from help" -f -a "export" -d 'An experiment with all its samples, as JSON unless --format says otherwise'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from help" -f -a "push" -d 'Carry experiments to another store: those that wait for it, unless others are named. What is there already, by its UUID, stays as it is'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from help" -f -a "pull" -d 'Carry experiments here from another store. What is here already, by its UUID, stays as it is'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from help" -f -a "rm" -d 'Remove experiments'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand man" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand __words" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand __completions" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand completions" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l harness -d 'How the programs are asked and their output is read [default: recognised by their --help]: google-benchmark (or google-benchmark:cpu, for its CPU time), criterion, go, pytest-benchmark, catch2, divan, json:POINTER, or lines:REGEX with groups for the name, the number and the unit' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l filter -d 'Only benchmarks whose names match' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l margin -d 'The largest change that counts as none' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l level -d 'Probability that any benchmark of the suite is called changed and is not, at whatever moment one looks' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l max-time -d 'Time after which no further process begins' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l fail-if -d 'Fail with exit code 1 if some benchmark is slower or faster than that by more than the margin, or changed either way; `undecided` fails too where neither that nor the contrary is shown. Sampling goes on until the question is answered' -r -f -a "slower\t'B is slower by more than the margin'
faster\t'B is faster by more than the margin'
changed\t'Either'
undecided\t'A change beyond the margin is neither shown nor excluded'"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l seed -d 'Seed of the coin [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l cpu -d 'CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU), `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a single thread, else free) [default: free for run, profile and limit, auto elsewhere]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l pin-threads -d 'CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list they are left alone, and the command is traced no longer than it takes. It takes ptrace: each thread and each signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not placed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l nice -d 'Nice value, -20 to 19 [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l aslr -d 'Address space layout randomisation of the command [default: as the machine has it]' -r -f -a "on\t''
off\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l env -d 'Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l env-pad -d 'Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and limit none, for run none unless ASLR is off; level where runs are simulated]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l heap -d 'Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l memory-policy -d 'Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l interleave -d 'The same as --memory-policy interleave:NODES' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l stdin -d 'File for standard input, read from its beginning in each run [default: /dev/null]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l stdout -d 'Where the command\'s output goes: null, inherit, or a file that standard output is appended to [default: null]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l cwd -d 'Working directory of the commands' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l timeout -d 'End a run after this time (500ms, 2.5s, 1m); it counts as failed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -s S -l shell -d 'Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -s i -l ignore-failure -d 'Keep and analyse runs that fail, all of them or those with these statuses: -i=1,2' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l simulate-machine -d 'The machine that is simulated: classic (32 KiB of each first level, 8 MiB behind them), small (1 MiB behind them), here (this one), or its caches in bytes [default: classic]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, go-benchmark, junit, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l commits -d 'Compare revisions of the git repository around this folder, each in a work tree of its own: BASE and one or more others, each against BASE; WORKTREE is the local changes. One command stands for all; --build CMD is run in the same folder of each work tree, and what it made is kept for the next call' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l build -d 'Shell command that builds a work tree, in the same folder as this one; what it made is kept for the next call' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l from -d 'Judge two files of results of one harness and run nothing; weaker, since the machine may have changed between them' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l fdr -d 'Let the level be the expected share of false ones among those called changed: more are found in suites where much has changed'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l merge-base -d 'The first of --commits is its merge base with the second, as for a pull request'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l keep-background -d 'Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does [default: they are ended after each run, and those of --prepare with the run that they were made for]'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l show-output -d 'The same as --stdout inherit'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l skip-failures -d 'Go on after runs that fail, count them, and leave them out of all figures; ten in a row without one that succeeds end it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l simulated -d 'Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in each run where the program does the same (valgrind\'s cachegrind; some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand suite" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s n -l command-name -d 'What reports call a command (repeatable: once for each, in their order)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l names -d 'The same for all commands: --names before,after' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s L -l parameter-list -d 'Parameter list: -L size=1,10,100 (or -L size 1,10,100, or -L size=1..8:2) with {size} in the command; `\\,` is a comma within a value; every combination is run (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s P -l parameter-scan -d 'Parameter scan: -P delay 0.3 0.7 -D 0.2 runs {delay} with 0.3, 0.5 and 0.7' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s D -l parameter-step-size -d 'Step of -P [default: 1]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s s -l setup -d 'Shell command that is run once before the whole, before programs are looked for (repeatable: once for each command; since the commands take turns, all come before the first run)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s p -l prepare -d 'Shell command that is run before each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s C -l conclude -d 'Shell command that is run after each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s c -l cleanup -d 'Shell command that is run once after the whole, however it ends (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s w -l warmup -d 'Runs of each command before the first measured one that do not count; compare (of times), aa, sweep and explain make one at least [default: 0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l table -d 'Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum (repeatable: each is the metric table:NAME too, and the first is `rate`)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l metric-from -d 'A number that the commands write to standard output, which goes to a file then: the first group of a regular expression\'s last match, or what a JSON pointer leads to. It is the metric printed:NAME; with `+` before NAME more is better (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s e -l counters -d 'Count in each run what the kernel and the processor can, the whole process tree: names such as cycles, instructions:u, l1d-misses, page-faults, rNNN or cpu/event=0x3c/, or default, cache, branch, topdown, kernel (see `fauxplat counters`). Each is a metric: pmu:instructions, software:page-faults (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l region -d 'A region that the commands mark (see docs/regions.md): its calls, its time, and what -e counts of it, as metrics region.NAME:calls, region.NAME:wall, region.NAME:instructions (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l control -d 'Pipes with names, made where they are missing, in which a command says `enable` and `disable`, as for perf stat: its time and its -e counters meanwhile are the metrics control:wall, control:times and control:COUNTER' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l definition -d 'Saved definition; what the command line says goes first' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l seed -d 'Seed of everything that is drawn [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l good -d 'Revision before the change: an ancestor of the other end' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l bad -d 'Revision after the change, or WORKTREE, the local changes' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l build -d 'Shell command that builds a work tree, in the same folder as this one; what it made is kept for the next call' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l undecided-code -d 'Exit code where no single commit is shown to have made the change [default: 0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l metric -d 'The metric that changed: wall, user, sys, cpu, peak-memory, …, printed:NAME of a --metric-from [default: wall]' -r -a "(fauxplat __words metrics 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l margin -d 'Differences of the ends within plus or minus this share count as no change [default: 1%]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l level -d 'Probability that a commit is named that did not make the change [default: 1%]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l max-time -d 'Stop after so much time of measuring, builds not counted; the same call goes on then' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l cpu -d 'CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU), `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a single thread, else free) [default: free for run, profile and limit, auto elsewhere]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l pin-threads -d 'CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list they are left alone, and the command is traced no longer than it takes. It takes ptrace: each thread and each signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not placed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l nice -d 'Nice value, -20 to 19 [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l aslr -d 'Address space layout randomisation of the command [default: as the machine has it]' -r -f -a "on\t''
off\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l env -d 'Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l env-pad -d 'Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and limit none, for run none unless ASLR is off; level where runs are simulated]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l heap -d 'Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l memory-policy -d 'Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l interleave -d 'The same as --memory-policy interleave:NODES' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l stdin -d 'File for standard input, read from its beginning in each run [default: /dev/null]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l stdout -d 'Where the command\'s output goes: null, inherit, or a file that standard output is appended to [default: null]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l cwd -d 'Working directory of the commands' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l timeout -d 'End a run after this time (500ms, 2.5s, 1m); it counts as failed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s S -l shell -d 'Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s i -l ignore-failure -d 'Keep and analyse runs that fail, all of them or those with these statuses: -i=1,2' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l simulate-machine -d 'The machine that is simulated: classic (32 KiB of each first level, 8 MiB behind them), small (1 MiB behind them), here (this one), or its caches in bytes [default: classic]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, junit, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l first-parent -d 'Follow only the first parent of merges: a merge is one commit with all that it brought'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l anew -d 'Begin anew, rather than go on where an interrupted search of the same ends and command stopped'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l keep-background -d 'Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does [default: they are ended after each run, and those of --prepare with the run that they were made for]'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l show-output -d 'The same as --stdout inherit'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l skip-failures -d 'Go on after runs that fail, count them, and leave them out of all figures; ten in a row without one that succeeds end it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l simulated -d 'Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in each run where the program does the same (valgrind\'s cachegrind; some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand bisect" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s n -l command-name -d 'What reports call a command (repeatable: once for each, in their order)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l names -d 'The same for all commands: --names before,after' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s L -l parameter-list -d 'Parameter list: -L size=1,10,100 (or -L size 1,10,100, or -L size=1..8:2) with {size} in the command; `\\,` is a comma within a value; every combination is run (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s P -l parameter-scan -d 'Parameter scan: -P delay 0.3 0.7 -D 0.2 runs {delay} with 0.3, 0.5 and 0.7' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s D -l parameter-step-size -d 'Step of -P [default: 1]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s s -l setup -d 'Shell command that is run once before the whole, before programs are looked for (repeatable: once for each command; since the commands take turns, all come before the first run)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s p -l prepare -d 'Shell command that is run before each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s C -l conclude -d 'Shell command that is run after each run, unmeasured (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s c -l cleanup -d 'Shell command that is run once after the whole, however it ends (repeatable: once for each command)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s w -l warmup -d 'Runs of each command before the first measured one that do not count; compare (of times), aa, sweep and explain make one at least [default: 0]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l table -d 'Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum (repeatable: each is the metric table:NAME too, and the first is `rate`)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l metric-from -d 'A number that the commands write to standard output, which goes to a file then: the first group of a regular expression\'s last match, or what a JSON pointer leads to. It is the metric printed:NAME; with `+` before NAME more is better (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s e -l counters -d 'Count in each run what the kernel and the processor can, the whole process tree: names such as cycles, instructions:u, l1d-misses, page-faults, rNNN or cpu/event=0x3c/, or default, cache, branch, topdown, kernel (see `fauxplat counters`). Each is a metric: pmu:instructions, software:page-faults (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l region -d 'A region that the commands mark (see docs/regions.md): its calls, its time, and what -e counts of it, as metrics region.NAME:calls, region.NAME:wall, region.NAME:instructions (repeatable)' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l control -d 'Pipes with names, made where they are missing, in which a command says `enable` and `disable`, as for perf stat: its time and its -e counters meanwhile are the metrics control:wall, control:times and control:COUNTER' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l definition -d 'Saved definition; what the command line says goes first' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l seed -d 'Seed of everything that is drawn [default: drawn, and reported]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l margin -d 'Differences within plus or minus this share count as none [default: 1%]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l level -d 'Probability that programs that do not differ are called different, and get a cause [default: 1%]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l max-time -d 'Time for the comparison and all experiments after it; what does not fit is left out, and named' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l cpu -d 'CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free` (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU), `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a single thread, else free) [default: free for run, profile and limit, auto elsewhere]' -r -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l pin-threads -d 'CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list they are left alone, and the command is traced no longer than it takes. It takes ptrace: each thread and each signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not placed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l policy -d 'Scheduling policy: other, fifo:N or rr:N [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l nice -d 'Nice value, -20 to 19 [default: inherited]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l aslr -d 'Address space layout randomisation of the command [default: as the machine has it]' -r -f -a "on\t''
off\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l env -d 'Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l env-pad -d 'Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and limit none, for run none unless ASLR is off; level where runs are simulated]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l heap -d 'Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege [default: inherit]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l memory-policy -d 'Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l interleave -d 'The same as --memory-policy interleave:NODES' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l stdin -d 'File for standard input, read from its beginning in each run [default: /dev/null]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l stdout -d 'Where the command\'s output goes: null, inherit, or a file that standard output is appended to [default: null]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l cwd -d 'Working directory of the commands' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l timeout -d 'End a run after this time (500ms, 2.5s, 1m); it counts as failed' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s S -l shell -d 'Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s i -l ignore-failure -d 'Keep and analyse runs that fail, all of them or those with these statuses: -i=1,2' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l simulate-machine -d 'The machine that is simulated: classic (32 KiB of each first level, 8 MiB behind them), small (1 MiB behind them), here (this one), or its caches in bytes [default: classic]' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l load -d 'Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)' -r -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l tune -d 'Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)' -r -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l limit -d 'Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0, memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l notify -d 'Shell command that is run when it is over, however it ended, for 10 s at most; it finds FAUXPLAT_VERDICT, FAUXPLAT_EXIT_CODE and FAUXPLAT_SENTENCE in its environment, and its own end changes nothing' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s o -l output -d 'File for the report instead of standard output, which is - here' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l colour -l color -d 'Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l export-json -d 'JSON of hyperfine, with the fields of its versions 1 and 2' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l export-csv -d 'CSV of hyperfine: a row per command' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l export-markdown -d 'Markdown' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l export-asciidoc -d 'AsciiDoc' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l export-orgmode -d 'Org' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l style -d 'hyperfine\'s word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line), none (no report but those of --export and of hyperfine\'s --export-json, --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE, which do here what they do there)' -r -f -a "auto\t''
basic\t''
full\t''
nocolor\t''
color\t''
none\t''"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l store -d 'Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at the end [default: the user\'s data directory]' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l events -d 'Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for standard output when the report goes elsewhere' -r -F
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s f -l format -d 'text, json, csv, markdown, asciidoc, org, junit, svg, html' -r -a "(fauxplat __words formats 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l export -d 'A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to standard output, and the report of --format to standard error' -r
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l no-simulate -d 'Leave the simulator out (valgrind\'s cachegrind, which counts instructions and misses some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l no-trace -d 'Leave out traced runs, for programs that may not be traced'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l no-profile -d 'Leave out sampled runs'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l keep-background -d 'Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does [default: they are ended after each run, and those of --prepare with the run that they were made for]'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l show-output -d 'The same as --stdout inherit'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l skip-failures -d 'Go on after runs that fail, count them, and leave them out of all figures; ten in a row without one that succeeds end it'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l simulated -d 'Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in each run where the program does the same (valgrind\'s cachegrind; some thirty times slower)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l beep -d 'A sound of the terminal when it is over'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l ascii -d 'Only characters of ASCII, and no drawing made of blocks'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s v -l verbose -d 'All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine. The other formats have all of it without'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -l brief -d 'A line for each comparison or command, and no more'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s q -l quiet -d 'No progress line'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand why" -s h -l help -d 'Print help'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "run" -d 'How long does it take, and what does it use?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "compare" -d 'Which is faster, by how much, and how sure is that?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "aa" -d 'Does the verdict hold here? Identical programs, compared often'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "table" -d 'What does a program publish while it runs?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "contend" -d 'What do two threads cost each other, and what is left?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "counters" -d 'What can be counted here, by whom, and why not the rest?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "profile" -d 'Where does the time go, who calls it, and what changed?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "latency" -d 'How late are timers, messages and signals, and why?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "limit" -d 'What happens to programs under limits of memory, CPU time, CPUs?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "load" -d 'Disturb chosen CPUs by a known amount'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "index" -d 'How fast is this CPU, in FauxPlats per second?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "sweep" -d 'Does something that nobody looks at move the number, and where?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "tune" -d 'Quiet the machine, for one command or until it is put back'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "restore" -d 'Put back exactly what was there before it was tuned'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "lab" -d 'Do published claims hold here? Small experiments, judged'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "doctor" -d 'What here will spoil a measurement, and what to do about it?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "topo" -d 'Which CPU is what to which? CPUs by relation'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "explain" -d 'How much of the variation comes from which factor?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "fleet" -d 'Which of many machines that should be the same are not?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "node" -d 'What is done on a machine of a fleet'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "history" -d 'What was measured before? List, show, export, remove'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "man" -d 'Write the manual pages into a folder'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "__words" -d 'Names that completions offer'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "__completions" -d 'Write the shell completions into a folder'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "completions" -d 'Print the completions of a shell: source <(fauxplat completions bash)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "suite" -d 'Benchmarks of two builds, and what changed, under one budget of error'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "bisect" -d 'Which commit changed it, and how sure is that?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "why" -d 'What made it slower, where, and what did not?'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand help; and not __fish_seen_subcommand_from run compare aa table contend counters profile latency limit load index sweep tune restore lab doctor topo explain fleet node history man __words __completions completions suite bisect why help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c fauxplat -n "__fish_fauxplat_using_subcommand load" -a "(fauxplat __words loads 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand tune" -a "(fauxplat __words knobs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from show" -a "(fauxplat __words labs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from run" -a "(fauxplat __words labs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand lab; and __fish_seen_subcommand_from check" -a "(fauxplat __words labs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand topo; and __fish_seen_subcommand_from pick" -a "(fauxplat __words relations 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from show" -a "(fauxplat __words runs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from export" -a "(fauxplat __words runs 2>/dev/null)"
complete -c fauxplat -n "__fish_fauxplat_using_subcommand history; and __fish_seen_subcommand_from rm" -a "(fauxplat __words runs 2>/dev/null)"
