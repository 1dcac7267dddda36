//! `tune` and `restore` on made-up machines; tests on the real one are in `tests/kills`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{Done, LIMITS, Lab, SIGINT, SIGKILL, SIGTERM, eventually, within};
use crate::made_up::{BOOT_ID, Bench, FILES, GOVERNOR, HUGE, INTERVAL, WATCHDOG, outcomes};

#[test]
fn a_machine_stays_tuned_until_it_is_restored() {
    for lab in Lab::both() {
        let bench = Bench::of(lab);
        let document = bench.json(&["tune", "quiet"]);
        assert_eq!((&document["schema"], &document["tuned"]), (&"fauxplat.tune/1".into(), &true.into()));
        assert_eq!(outcomes(&document, "governor"), ["changed"]);
        assert_eq!(outcomes(&document, "epp"), ["absent"]);
        assert_eq!((bench.get(GOVERNOR).as_str(), bench.get(INTERVAL).as_str()), ("performance", "120"));
        let status = bench.json(&["tune", "--status"]);
        assert_eq!(outcomes(&status, "nmi-watchdog"), ["changed"]);
        let document = bench.json(&["restore"]);
        assert_eq!(document["restored"]["complete"], true);
        assert!(bench.is_as_before());
        bench.run(&["restore"]).succeeds();
        assert!(bench.is_as_before() && !PathBuf::from(bench.journal()).exists());
    }
}

#[test]
fn a_command_gets_a_tuned_machine_and_leaves_it_as_it_was() {
    let bench = Bench::new();
    let show = format!("cat '{}'", bench.path(INTERVAL).display());
    let done = bench.run(&["tune", "quiet", "--for", &show]);
    assert_eq!((done.code, done.out.as_str()), (Some(0), "120"));
    assert!(done.err.contains("put back"), "{}", done.err);
    assert!(bench.is_as_before());
    let failed = bench.run(&["tune", "quiet", "--for", "sh", "-c", "exit 3"]);
    assert!(failed.code == Some(4) && failed.err.contains("status 3"), "{failed:?}");
    assert!(bench.is_as_before());
    bench.run(&["tune", "quiet", "--for", "no-such-program"]).complains(2, &["no-such-program"]);
}

#[test]
fn what_a_command_can_have_by_itself_is_not_given_to_the_machine() {
    let bench = Bench::new();
    let words =
        ["tune", "--set", "aslr=off", "--set", "thp=never", "--set", "timer-slack=7", "--for", "sh", "-c"];
    let look = "cat /proc/self/personality /proc/self/timerslack_ns; grep THP_enabled /proc/self/status";
    let done = bench.run(&[&words[..], &[look]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.out.contains("00040000\n"), "{done:?}");
    assert!(!done.out.contains("THP_enabled:\t1"), "{done:?}");
    assert!(bench.is_as_before() && !done.err.contains("put back"), "{done:?}");
    bench.run(&["tune", "--set", "thp=never"]);
    assert!(bench.is_as_before(), "without a command nobody could have it");
    bench.run(&["tune", "--set", "thp=never", "--machine-wide"]).succeeds();
    assert_eq!(bench.get(HUGE), "never");
    bench.run(&["restore"]).succeeds();
    assert!(bench.is_as_before());
}

#[test]
fn a_dry_run_writes_nothing() {
    let bench = Bench::new();
    let document = bench.json(&["tune", "quiet", "--set", "cpu:1=offline", "--dry-run"]);
    assert_eq!(outcomes(&document, "governor"), ["planned"]);
    assert_eq!(outcomes(&document, "cpu:1"), ["planned"]);
    assert!(bench.is_as_before() && fs::read_dir(bench.lab.path("state")).unwrap().next().is_none());
    let machine = bench.lab.file("machine");
    let list = ["tune", "--list", "--format", "json", "--sysroot", &machine];
    let list = Done::of(bench.lab.bare(&list)).succeeds().json();
    let governor = list["knobs"].as_array().unwrap().iter().find(|knob| knob["name"] == "governor").unwrap();
    assert_eq!(governor["current"], "powersave");
}

/// A value that another process has changed is left alone and named; `--force` overrides that.
#[test]
fn a_value_that_somebody_else_changed_is_left_alone() {
    let bench = Bench::new();
    bench.run(&["tune", "quiet"]).succeeds();
    bench.set(INTERVAL, "30\n");
    let document = bench.json(&["restore"]);
    assert_eq!(document["restored"]["complete"], false);
    assert!(
        document["warnings"][0].as_str().unwrap().contains("stat_interval is 30 and was 1"),
        "{document}"
    );
    assert_eq!((bench.get(INTERVAL).as_str(), bench.get(GOVERNOR).as_str()), ("30\n", "powersave\n"));
    bench.set(WATCHDOG, "5\n");
    bench.json(&["restore"]);
    assert_eq!(bench.get(WATCHDOG), "5\n", "what was settled is not touched again");
    bench.set(WATCHDOG, "1\n");
    bench.json(&["restore", "--force"]);
    assert!(bench.is_as_before());
}

#[test]
fn another_boot_drops_the_journal_without_writing() {
    let bench = Bench::new();
    bench.run(&["tune", "quiet"]).succeeds();
    bench.set(BOOT_ID, "0b\n");
    let before = bench.get(GOVERNOR);
    let status = bench.run(&["tune", "--status"]).succeeds();
    assert!(status.out.contains("is not tuned.") && !status.out.contains("no journal"), "{status:?}");
    let document = bench.json(&["restore"]);
    assert_eq!(document["restored"]["rebooted"], true);
    assert_eq!(bench.get(GOVERNOR), before);
    assert!(!PathBuf::from(bench.journal()).exists());
    let status = bench.run(&["tune", "--status"]).succeeds();
    assert!(status.out.contains("there is no journal"), "{status:?}");
}

/// A damage of a journal: its name, the change of the journal's text, and words of the expected message.
type Damage = (&'static str, fn(&str) -> String, &'static [&'static str]);

/// A journal that is damaged in any part is not used at all.
#[test]
fn a_damaged_journal_writes_nothing_and_says_what_to_do() {
    let damages: [Damage; 5] = [
        ("cut", |text| text[..text.len() - 20].to_owned(), &["ends in the middle", "restore --force"]),
        ("changed", |text| text.replacen("powersave", "powersafe", 1), &["record 2", "checksum", "by hand"]),
        ("garbage", |_| "\u{1}\u{2} nonsense\nmore\n".to_owned(), &["record 1", "nothing was written"]),
        ("empty", |_| String::new(), &["no complete line", "nothing was written"]),
        ("newer", newer, &["newer fauxplat", "format 9"]),
    ];
    for (name, damage, words) in damages {
        let bench = Bench::new();
        bench.run(&["tune", "quiet"]).succeeds();
        let whole = fs::read_to_string(bench.journal()).unwrap();
        let tuned = FILES.map(|(file, _)| bench.get(file));
        fs::write(bench.journal(), damage(&whole)).unwrap();
        for verb in [&["restore"][..], &["tune", "latency"], &["tune", "quiet", "--for", "true"]] {
            bench.run(verb).complains(2, words);
            assert_eq!(FILES.map(|(file, _)| bench.get(file)), tuned, "{name}");
        }
        fs::write(bench.journal(), whole).unwrap();
        bench.run(&["restore"]).succeeds();
        assert!(bench.is_as_before(), "{name}");
    }
}

/// The text of a journal as a later version would write it, with a correct checksum.
fn newer(text: &str) -> String {
    let opening = text.lines().next().unwrap().split_once(' ').unwrap().1;
    let later = opening.replacen("\"fauxplat_journal\":1", "\"fauxplat_journal\":9", 1);
    format!("{:08x} {later}\n", crc32fast::hash(later.as_bytes()))
}

#[test]
fn the_end_of_a_journal_that_is_cut_off_may_be_given_up() {
    let bench = Bench::new();
    bench.run(&["tune", "quiet"]).succeeds();
    let mut text = fs::read_to_string(bench.journal()).unwrap();
    text.push_str("12345678 {\"record\":\"change\",\"se");
    fs::write(bench.journal(), text).unwrap();
    bench.run(&["restore"]).complains(2, &["--force"]);
    bench.run(&["restore", "--force"]).succeeds();
    assert!(bench.is_as_before());
}

/// The second of two tuners at the same time names the first in its refusal, or waits for its end.
#[test]
fn two_tuners_do_not_meet() {
    let bench = Bench::new();
    let mut first = bench.command(&["tune", "quiet", "--for", "sh", "-c", "touch began; exec sleep 1000"]);
    let first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(eventually(|| bench.lab.path("began").exists()));
    let holder = format!("process {}", first.id());
    bench.run(&["tune", "latency"]).complains(3, &[&holder, "--wait"]);
    bench.run(&["restore"]).complains(3, &[&holder]);
    let mut waiting = bench.command(&["tune", "--set", "stat-interval=5", "--wait", "--for", "true"]);
    let mut waiting = waiting.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(50));
    assert!(waiting.try_wait().unwrap().is_none(), "it does not wait");
    end(first, SIGTERM);
    assert!(waiting.wait().unwrap().success());
    assert!(bench.is_as_before());
}

/// Sends this signal to fauxplat, and waits for its end.
fn end(mut child: std::process::Child, signal: i32) {
    fauxplat_sys::signal::send(child.id() as i32, signal);
    assert!(eventually(|| child.try_wait().unwrap().is_some()));
}

#[test]
fn whoever_asks_it_to_stop_gets_the_machine_back() {
    for signal in [SIGINT, SIGTERM] {
        let bench = Bench::new();
        let mut tuner =
            bench.command(&["tune", "quiet", "--for", "sh", "-c", "touch began; exec sleep 1000"]);
        let tuner = tuner.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        assert!(eventually(|| bench.lab.path("began").exists()) && !bench.is_as_before());
        end(tuner, signal);
        assert!(bench.is_as_before());
    }
}

/// The time limit applies to a command that takes longer, and to a machine that was to stay tuned.
#[test]
fn after_the_limit_of_time_everything_is_back() {
    let bench = Bench::new();
    // The command itself sees the tuned machine: an observer from outside might look too late.
    let look = format!("cat '{}' > look; mv look seen; exec sleep 1000", bench.path(INTERVAL).display());
    let is_tuned = LIMITS.iter().any(|limit| {
        let mut tuner = bench.command(&["tune", "quiet", "--max", limit, "--for", "sh", "-c", &look]);
        let tuner = tuner.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        assert!(eventually(|| bench.lab.path("seen").exists()), "its command never begins");
        assert!(within(Duration::from_secs(300), || bench.is_as_before()), "it is never restored");
        end(tuner, SIGTERM);
        let seen = bench.lab.read("seen");
        bench.lab.shell("rm seen");
        seen == "120"
    });
    assert!(is_tuned, "its command never saw it tuned");
    bench.run(&["tune", "quiet", "--max", "300ms", "--wait"]).succeeds();
    assert!(eventually(|| bench.is_as_before() && !PathBuf::from(bench.journal()).exists()));
    bench.run(&["tune", "quiet", "--max", "1h", "--wait"]).succeeds();
    assert_eq!(guardians(&bench), 1);
    bench.run(&["restore"]).succeeds();
    assert!(eventually(|| guardians(&bench) == 0), "the guardian has nothing to guard");
}

/// If the time limit reverts changes while the command still runs, the report says so: the rest of the command ran on
/// the untuned machine.
#[test]
fn a_limit_that_ends_before_the_command_is_told() {
    let bench = Bench::new();
    let path = bench.path(INTERVAL).display().to_string();
    let line = "while [ \"$(cat \"$0\")\" = 7 ]; do sleep 0.05; done";
    let words = ["tune", "--set", "stat-interval=7", "--max", "2s", "--for", "sh", "-c", line, &path];
    let done = bench.run(&words);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.err.contains("1 value changed, and the machine was put back before"), "{done:?}");
    assert!(bench.is_as_before());
}

/// A value that cannot be restored ends `tune --for` with the same code as `restore`. A folder in the place of the file
/// makes the value unreadable.
#[test]
fn a_value_that_is_not_put_back_after_the_command_ends_with_3() {
    let bench = Bench::new();
    let path = bench.path(INTERVAL).display().to_string();
    for (status, code) in [("0", 3), ("5", 4)] {
        let line = "rm -r \"$0\" && mkdir \"$0\"; exit \"$1\"";
        let words = ["tune", "--set", "stat-interval=7", "--for", "sh", "-c", line, &path, status];
        let done = bench.run(&words);
        assert_eq!(done.code, Some(code), "{done:?}");
        assert!(done.err.contains("put back by hand"), "{done:?}");
        bench.run(&["restore"]).complains(3, &["1 value could not be put back"]);
        fs::remove_dir(bench.path(INTERVAL)).unwrap();
        bench.set(INTERVAL, "7");
        bench.run(&["restore"]).succeeds();
        assert!(bench.is_as_before());
    }
}

/// If the restoration of an earlier tuning failed, that tuning's guardian does not affect a later tuning when its time
/// is over.
#[test]
fn an_old_limit_of_time_does_not_end_a_later_tuning() {
    let bench = Bench::new();
    bench.run(&["tune", "--set", "stat-interval=7", "--max", "2s"]).succeeds();
    bench.set(INTERVAL, "30");
    bench.run(&["tune", "--set", "governor=performance", "--wait"]).succeeds();
    assert!(eventually(|| guardians(&bench) == 0), "its time is over");
    assert_eq!((bench.get(GOVERNOR).as_str(), bench.get(INTERVAL).as_str()), ("performance", "30"));
    bench.run(&["restore"]).succeeds();
    assert_eq!(bench.get(GOVERNOR).trim_end(), "powersave");
}

/// A guardian that outlives its tuner holds no file that the tuner's caller had open. A shell opens the lock file,
/// since files that the test program left open for its children would also be inherited by those of other tests.
#[test]
fn a_guardian_holds_nothing_of_the_callers() {
    let bench = Bench::new();
    let lock = bench.lab.path("lock-of-the-caller");
    let tune = bench.command(&["tune", "quiet", "--max", "1h"]);
    let mut caller = Command::new("sh");
    caller.args(["-c", "exec 9> \"$0\" && flock 9 && \"$@\""]).arg(&lock).arg(tune.get_program());
    caller.args(tune.get_args());
    bench.lab.settle(&mut caller);
    Done::of(caller).succeeds();
    assert_eq!(guardians(&bench), 1);
    fs::File::open(&lock).unwrap().try_lock().expect("nobody holds it");
    bench.run(&["restore"]).succeeds();
}

/// If the guardian was ended with its service, no process restores the machine, and `--status` says so.
#[test]
fn a_guardian_that_is_gone_is_missed() {
    let bench = Bench::new();
    bench.run(&["tune", "quiet", "--max", "1h"]).succeeds();
    let said = || bench.json(&["tune", "--status"])["warnings"][0].as_str().unwrap().to_owned();
    assert!(!said().contains("gone"), "{}", said());
    let text = fs::read_to_string(bench.journal()).unwrap();
    let (_, named) = text.rsplit_once("\"pid\":").unwrap();
    let pid: i32 = named.split(',').next().unwrap().parse().unwrap();
    fauxplat_sys::signal::send(pid, SIGKILL);
    assert!(eventually(|| guardians(&bench) == 0));
    assert!(said().contains("guardian of --max is gone") && said().contains("restore`"), "{}", said());
    bench.run(&["restore"]).succeeds();
    assert!(bench.is_as_before());
}

/// Number of running guardians of this bench's journal.
fn guardians(bench: &Bench) -> usize {
    let journal = bench.journal();
    let guards = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = line.split(|&byte| byte == 0).collect();
        words.get(1) == Some(&&b"__guardian"[..]) && words.contains(&journal.as_bytes())
    };
    fs::read_dir("/proc").unwrap().flatten().filter(guards).count()
}

/// A report that cannot be written is refused before the machine is changed.
#[test]
fn a_report_that_has_no_place_changes_nothing() {
    let bench = Bench::new();
    for words in [&[][..], &["--for", "true"]] {
        let tune = ["tune", "quiet", "--output", "nowhere/report"];
        bench.run(&[&tune, words].concat()).complains(2, &["nowhere/report"]);
        assert!(bench.is_as_before());
    }
    bench.run(&["tune", "quiet"]).succeeds();
    bench.run(&["restore", "--output", "nowhere/report"]).complains(2, &["nowhere/report"]);
    assert!(!bench.is_as_before(), "not restored without a report");
    bench.run(&["restore"]).succeeds();
    assert!(bench.is_as_before());
}

/// Refused changes are listed one by one. The other changes are made, or, with `--all-or-nothing`, none.
#[test]
fn refusals_are_told_by_knob() {
    let bench = Bench::new();
    let words =
        ["tune", "quiet", "--set", "cpu:0=offline", "--set", "cpu:1=offline", "--set", "cpu:7=offline"];
    let done = bench.run(&[&words[..], &["--format", "json"]].concat());
    assert_eq!(done.code, Some(3), "{done:?}");
    let document = done.json();
    assert_eq!(outcomes(&document, "cpu:0"), ["refused"]);
    assert_eq!(outcomes(&document, "cpu:7"), ["absent"]);
    assert_eq!(outcomes(&document, "cpu:1"), ["changed"]);
    assert_eq!(outcomes(&document, "governor"), ["changed"]);
    bench.run(&["restore"]).succeeds();
    assert!(bench.is_as_before());
    bench
        .run(&[&words[..], &["--all-or-nothing"]].concat())
        .complains(3, &["all-or-nothing", "cpu:0", "put back"]);
    assert!(bench.is_as_before() && !PathBuf::from(bench.journal()).exists());
}

#[test]
fn the_last_cpu_of_a_node_stays() {
    let bench = Bench::new();
    bench.set("sys/devices/system/node/node0/cpulist", "0\n");
    bench.set("sys/devices/system/node/node1/cpulist", "1\n");
    let done = bench.run(&["tune", "--set", "cpu:1=offline"]);
    assert!(done.code == Some(3) && done.err.contains("last online CPU of node1"), "{done:?}");
    assert!(bench.is_as_before());
}

/// Files with invalid contents are not taken for values, and nothing is written to them.
#[test]
fn hostile_trees_are_refused_knob_by_knob() {
    let bench = Bench::new();
    bench.set(INTERVAL, &"9".repeat(1 << 20));
    bench.set(WATCHDOG, "");
    fs::write(bench.path(GOVERNOR), [0xff, 0xfe, 0x00]).unwrap();
    fs::remove_file(bench.path(HUGE)).unwrap();
    std::os::unix::fs::symlink("enabled", bench.path(HUGE)).unwrap();
    let done = bench.run(&["tune", "quiet", "--set", "thp=always", "--machine-wide", "--format", "json"]);
    let document = done.json();
    assert_eq!(outcomes(&document, "stat-interval"), ["refused"]);
    assert_eq!(outcomes(&document, "governor"), ["refused"]);
    assert_eq!(outcomes(&document, "turbo"), ["changed"]);
    bench.run(&["restore"]).succeeds();
    assert_eq!(bench.get(WATCHDOG), "");
    assert_eq!(bench.get(INTERVAL).len(), 1 << 20);
}

/// Without root, settings of the command's own process are made, and those that need root are named.
#[test]
fn an_ordinary_user_is_told_what_root_would_add() {
    let lab = Lab::ordinary();
    let words =
        ["tune", "quiet", "--set", "timer-slack=5", "--journal", &lab.file("journal"), "--format", "json"];
    let mut command = lab.bare(&[&words[..], &["--for", "true"]].concat());
    let done = Done::from(command.output().unwrap());
    assert_eq!(done.code, Some(0), "{done:?}");
    let document = done.json();
    assert_eq!(outcomes(&document, "timer-slack"), ["changed"]);
    if std::path::Path::new("/").join(INTERVAL).exists() {
        assert_eq!(outcomes(&document, "stat-interval"), ["denied"]);
    }
    assert!(!lab.path("journal").exists() && !lab.path("journal.lock").exists());
}

#[test]
fn words_that_make_no_sense_are_bad_usage() {
    let bench = Bench::new();
    bench.run(&["tune"]).complains(2, &["profile"]);
    bench.run(&["tune", "calm"]).complains(2, &["calm", "quiet"]);
    bench.run(&["tune", "--set", "turbo=maybe"]).complains(2, &["on | off"]);
    bench.run(&["tune", "--set", "warp=9"]).complains(2, &["warp", "--list"]);
    bench.run(&["tune", "quiet", "--max", "0s"]).complains(2, &["--max", "0s", "above 0"]);
    assert!(bench.is_as_before());
}

/// The settings of `--tune` hold for the whole experiment of a measuring verb, and the experiment's document lists the
/// changes.
#[test]
fn an_experiment_records_how_the_machine_was_tuned() {
    let lab = Lab::new();
    let mut command =
        lab.command(&["run", "true", "--runs", "3", "--tune", "timer-slack=5", "--tune", "aslr=off"]);
    command.args(["--format", "json"]).env("FAUXPLAT_JOURNAL", lab.path("journal"));
    let document = Done::of(command).succeeds().json();
    assert_eq!(document["condition"]["tune"], serde_json::json!(["timer-slack=5", "aslr=off"]));
    let changes = document["condition"]["tuned"].as_array().unwrap();
    assert!(changes.len() == 2 && changes.iter().all(|change| change["outcome"] == "changed"), "{changes:?}");
    assert_eq!(document["condition"]["aslr"], "off");
    assert_eq!(lab.last()["condition"], document["condition"], "the store keeps it");
}
