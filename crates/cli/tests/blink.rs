//! `fauxplat-blink` as a user starts it: settings, presses, the log, and every way to end. GPIO lines are those of the
//! simulated chip, and files and pipes replace LEDs and input devices.
#![expect(clippy::disallowed_methods, reason = "the tests start the built program as a user would")]

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fauxplat_sys::inherited::Signals;
use fauxplat_sys::input::{InputEvent, KeyEvent};
use fauxplat_sys::pipes::{make_pipe, open_pipe};
use fauxplat_sys::signal;
use serde_json::Value;
use tempfile::TempDir;

/// A made-up machine: an LED with a trigger, and a keyboard.
struct Machine(TempDir);

struct Done {
    code: Option<i32>,
    out: String,
    err: String,
}

const LED: &str = "sys/class/leds/red";

impl Machine {
    fn new() -> Self {
        let machine = Machine(tempfile::tempdir().unwrap());
        for folder in [LED, "dev/input"] {
            fs::create_dir_all(machine.at(folder)).unwrap();
        }
        machine.write(&format!("{LED}/brightness"), "3\n");
        machine.write(&format!("{LED}/max_brightness"), "9\n");
        machine.write(&format!("{LED}/trigger"), "none [heartbeat]\n");
        make_pipe(&machine.at("dev/input/event0")).unwrap();
        machine
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) -> String {
        fs::write(self.at(path), text).unwrap();
        self.at(path).to_str().unwrap().to_owned()
    }

    fn led(&self, file: &str) -> String {
        fs::read_to_string(self.at(LED).join(file)).unwrap().lines().next().unwrap_or_default().to_owned()
    }

    fn command(&self, words: &[&str]) -> Command {
        self.finish(Command::new(env!("CARGO_BIN_EXE_fauxplat-blink")), words)
    }

    /// The command that starts fauxplat-blink with these signals ignored.
    fn command_ignoring(&self, signals: &str, words: &[&str]) -> Command {
        let mut shell = Command::new("sh");
        let script = format!("trap '' {signals}; exec \"$0\" \"$@\"");
        shell.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_fauxplat-blink"));
        self.finish(shell, words)
    }

    fn finish(&self, mut command: Command, words: &[&str]) -> Command {
        command.arg("--sysroot").arg(self.0.path()).args(words);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, words: &[&str]) -> Done {
        Done::of(self.command(words).spawn().unwrap())
    }

    /// Starts fauxplat-blink and waits until its log says that the light blinks.
    fn start(&self, words: &[&str]) -> (Child, UnixDatagram) {
        self.begin(self.command(words))
    }

    fn begin(&self, mut command: Command) -> (Child, UnixDatagram) {
        let log = UnixDatagram::bind(self.at("dev/log")).unwrap();
        log.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let child = command.spawn().unwrap();
        assert!(said(&log).contains(" blinks every "));
        (child, log)
    }
}

/// The next message in the system's log.
fn said(log: &UnixDatagram) -> String {
    let mut buffer = [0; 500];
    let read = log.recv(&mut buffer).expect("the log says nothing more");
    String::from_utf8_lossy(&buffer[..read]).into_owned()
}

impl Done {
    fn of(child: Child) -> Self {
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Done { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    fn json(&self) -> Value {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{}", self.out);
        serde_json::from_str(&self.out).unwrap()
    }

    /// Checks the exit code, and that standard error is one line that contains all of these words.
    #[track_caller]
    fn complains(&self, code: i32, words: &[&str]) {
        let line = self.err.trim_end_matches('\n');
        assert!(line.starts_with("fauxplat-blink: ") && !line.contains('\n'), "not one line: {}", self.err);
        assert!(words.iter().all(|word| line.contains(word)), "{words:?} are not all in: {line}");
        assert_eq!(self.code, Some(code), "{line}");
    }
}

const BUTTONS: [&str; 8] = ["--led", "sim:0", "--halve", "sim:1", "--double", "sim:2", "--log", "nowhere"];

#[test]
fn presses_are_counted_and_told() {
    let machine = Machine::new();
    let presses = [
        "--press",
        "1ms:halve",
        "--press",
        "60ms:halve",
        "--press",
        "120ms:halve",
        "--press",
        "180ms:double",
    ];
    let end = ["--debounce", "0ns", "--max-time", "3s", "--json", "--period", "40ms"];
    let found = machine.run(&[&BUTTONS[..], &presses, &end].concat()).json();
    assert_eq!(
        (found["schema"].as_str(), found["style"].as_str()),
        (Some("fauxplat.blink/1"), Some("event"))
    );
    // The first event of each button's line does not count as a press: two of three presses remain, which halve the
    // period, and the press of the doubling button is that first event.
    assert_eq!((&found["pressed"], &found["period_ns"]), (&2.into(), &10_000_000.into()), "{found}");
    assert_eq!(found["no_press"]["first"], 2);
    assert_eq!(
        (&found["presses"][0]["button"], &found["presses"][1]["to_ns"]),
        (&"halve".into(), &10_000_000.into())
    );
    assert!(found["edges"].as_u64().unwrap() >= 2 && found["ended_by"] == "max-time");
    let counts =
        machine.run(&[&BUTTONS[..], &presses, &end, &["--first-event", "counts", "--busy"]].concat()).json();
    assert_eq!(
        (&counts["pressed"], &counts["period_ns"], &counts["style"]),
        (&4.into(), &10_000_000.into(), &"busy".into())
    );
}

#[test]
fn buttons_that_pull_down_are_pressed_as_well() {
    let machine = Machine::new();
    let words = [
        "--buttons-active-low",
        "--first-event",
        "counts",
        "--press",
        "20ms:double",
        "--max-time",
        "3s",
        "--json",
    ];
    let found = machine.run(&[&BUTTONS[..], &words].concat()).json();
    assert_eq!((&found["pressed"], &found["period_ns"]), (&1.into(), &1_000_000_000.into()), "{found}");
}

#[test]
fn a_file_says_the_same_as_options_and_comes_after_them() {
    let machine = Machine::new();
    let file = machine.write("blink.toml", "led = 'sim:0'\nperiod = '30ms'\nlongest = '1s'\nat-end = 'on'\n");
    let words = ["--config", &file, "--max-time", "50ms", "--json", "--log", "nowhere"];
    assert_eq!(machine.run(&words).json()["first_period_ns"], 30_000_000);
    let other = machine.run(&[&words[..], &["--period", "20ms"]].concat()).json();
    assert_eq!(other["first_period_ns"], 20_000_000);
    for (text, says) in [
        ("perod = '1s'", &["blink.toml", "line 1", "perod"][..]),
        ("led = 'sim:0'\nled = 3", &["line 2"]),
        ("led = 'lamp'", &["line 1", "`lamp` is not a line", "gpiochip0:17"]),
        ("period = [", &["line 1"]),
        ("change = 'soon'", &["soon", "after-period"]),
    ] {
        machine.write("blink.toml", text);
        machine.run(&words).complains(2, says);
    }
    machine.run(&["--config", "/nowhere.toml"]).complains(2, &["/nowhere.toml"]);
}

#[test]
fn a_file_of_somebody_else_drives_no_terminal_and_takes_no_memory() {
    let machine = Machine::new();
    let (deep, long) = (format!("led = {}", "[".repeat(500_000)), "#".repeat((1 << 20) + 1));
    for text in
        ["\0\u{1b}[2J", "led = '\u{1b}[2J'", "led = \"\\u001b[2J\"", "\"\\u001b[2J\" = 1", &deep, &long]
    {
        let file = machine.write("blink.toml", text);
        let done = machine.run(&["--config", &file, "--max-time", "50ms", "--log", "nowhere"]);
        let said = done.err.trim_end();
        assert!(!said.contains(char::is_control) && said.len() < 2000, "{said:?}");
        done.complains(2, &["blink.toml"]);
    }
}

#[test]
fn what_cannot_be_is_refused_in_one_line() {
    let machine = Machine::new();
    let refused: [(&[&str], i32, &[&str]); 13] = [
        (&[], 2, &["--led"]),
        (&["--led", "lamp"], 2, &["`lamp` is not a line"]),
        (&["--led", "sim:0", "--period", "500"], 2, &["it has no unit"]),
        (&["--led", "sim:0", "--period", "0s"], 2, &["0 ns", "outside its limits"]),
        (&["--led", "sim:0", "--shortest", "1ns"], 2, &["2 ns or more"]),
        (&["--led", "sim:0", "--longest", "1ms"], 2, &["outside its limits"]),
        (&["--led", "sim:0", "--press", "1s:halve"], 2, &["--press halve", "sim:1"]),
        (&["--led", "sim:0", "--press", "halve"], 2, &["1s:halve"]),
        (&["--led", "sim:0", "--halve", "sim:0"], 3, &["sim:0 is taken by fauxplat-blink"]),
        (&["--led", "sim:0", "--halve", "led:red"], 3, &["no edges"]),
        (&["--led", "led:blue"], 3, &["led:blue is not there"]),
        (&["--led", "gpiochip7:3"], 3, &["gpiochip7:3 cannot be opened"]),
        (&["--led", "key:event0:30"], 3, &["cannot be driven"]),
    ];
    for (words, code, says) in refused {
        machine.run(&[words, &["--log", "nowhere"]].concat()).complains(code, says);
    }
    let overlong = machine.run(&["--log", "nowhere", "--led", &"x".repeat(5000)]);
    assert!(overlong.code == Some(2) && overlong.err.len() <= 500, "{}", overlong.err);
    assert_eq!((machine.led("brightness"), machine.led("trigger")), ("3".into(), "none [heartbeat]".into()));
    let help = machine.run(&["--help"]);
    assert!(
        help.code == Some(0) && help.out.contains("gpiochip0:17") && help.out.contains("Exit codes"),
        "{}",
        help.out
    );
}

#[test]
fn however_it_is_asked_to_end_the_light_is_left_as_was_stated() {
    let cases = [
        (signal::SIGTERM, "off", "0", "none"),
        (signal::SIGINT, "on", "9", "none"),
        (signal::SIGHUP, "as-it-was", "3", "heartbeat"),
    ];
    // Tests that run under nohup(1) have SIGHUP ignored, and the programs that they start inherit that.
    let is_heeded = |number: i32| number != signal::SIGHUP || !Signals::now().ignores(number);
    for (number, at_end, brightness, trigger) in cases.into_iter().filter(|case| is_heeded(case.0)) {
        let machine = Machine::new();
        let (child, log) =
            machine.start(&["--led", "led:red", "--period", "20ms", "--at-end", at_end, "--json"]);
        signal::send(child.id() as i32, number);
        let found = Done::of(child).json();
        assert_eq!(found["ended_by"], format!("signal {number}"));
        assert_eq!(
            (machine.led("brightness"), machine.led("trigger")),
            (brightness.into(), trigger.into()),
            "{at_end}"
        );
        assert!(said(&log).contains("led:red was left as configured"));
    }
}

/// A SIGHUP that was ignored at the start, as under nohup(1), stays ignored; a SIGINT that was, as for a background job
/// of a script, does not.
#[test]
fn a_hangup_that_was_ignored_from_the_start_stays_so_and_no_other_signal_does() {
    for number in [signal::SIGTERM, signal::SIGINT] {
        let machine = Machine::new();
        let words = ["--led", "led:red", "--period", "20ms", "--json"];
        let (child, _log) = machine.begin(machine.command_ignoring("HUP INT TERM", &words));
        // Of the blocked signals the kernel delivers the one with the lowest number first: SIGHUP would come first if
        // it were not ignored.
        signal::send(child.id() as i32, signal::SIGHUP);
        signal::send(child.id() as i32, number);
        assert_eq!(Done::of(child).json()["ended_by"], format!("signal {number}"));
        assert_eq!(machine.led("brightness"), "0");
    }
}

#[test]
fn each_change_is_in_the_log_of_the_system() {
    let machine = Machine::new();
    let words =
        ["--led", "led:red", "--halve", "key:event0:30", "--debounce", "0ns", "--first-event", "counts"];
    let (child, log) = machine.start(&words);
    let mut keys = File::options().write(true).open(machine.at("dev/input/event0")).unwrap();
    for is_down in [true, false, true] {
        keys.write_all(&InputEvent::write(KeyEvent { at_ns: 0, code: 30, is_down })).unwrap();
    }
    for change in
        ["halve: the period was 500.0 ms and is 250.0 ms", "halve: the period was 250.0 ms and is 125.0 ms"]
    {
        let line = said(&log);
        assert!(line.starts_with("<30>fauxplat-blink[") && line.contains(change), "{line}");
    }
    signal::send(child.id() as i32, signal::SIGTERM);
    assert_eq!(Done::of(child).code, Some(0));
}

#[test]
fn without_a_log_messages_go_to_standard_error() {
    let done = Machine::new().run(&["--led", "sim:0", "--max-time", "30ms"]);
    assert!(
        done.code == Some(0) && done.err.contains("fauxplat-blink: sim:0 blinks every 500.0 ms"),
        "{}",
        done.err
    );
}

#[test]
fn a_button_that_vanishes_is_one_line_and_the_light_is_off() {
    let machine = Machine::new();
    let (child, log) = machine.start(&["--led", "led:red", "--reset", "key:event0:30", "--period", "20ms"]);
    // The input device had a writer, which is gone now.
    drop(File::options().write(true).open(machine.at("dev/input/event0")).unwrap());
    Done::of(child).complains(3, &["key:event0:30 has vanished"]);
    assert_eq!(machine.led("brightness"), "0");
    assert!(said(&log).starts_with("<27>"), "the log has the error too");
}

#[test]
fn a_light_that_vanishes_is_one_line() {
    let machine = Machine::new();
    let brightness = machine.at(LED).join("brightness");
    fs::remove_file(&brightness).unwrap();
    make_pipe(&brightness).unwrap();
    let reader = open_pipe(&brightness).unwrap();
    let (child, _log) = machine.start(&["--led", "led:red", "--period", "20ms"]);
    drop(reader);
    Done::of(child).complains(3, &["led:red has vanished"]);
}

/// A closed standard output or standard error is no failure.
#[test]
fn nobody_has_to_read_what_it_says() {
    let machine = Machine::new();
    let mut command = machine.command(&["--led", "sim:0", "--max-time", "20ms", "--json"]);
    let mut child = command.spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn its_manual_page_has_what_its_help_has() {
    let asked =
        |words: &[&str]| Command::new(env!("CARGO_BIN_EXE_fauxplat-blink")).args(words).output().unwrap();
    let page = String::from_utf8(asked(&["--man"]).stdout).unwrap();
    for part in [".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", "EXAMPLES", "EXIT STATUS", "first\\-event"] {
        assert!(page.contains(part), "{part} is missing in {page}");
    }
    assert_eq!(asked(&["--man", "--json"]).status.code(), Some(2));
}
