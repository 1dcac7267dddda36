//! Tests of all interfaces: the simulated chip, trees of plain files in place of sysfs, and pipes in place of devices.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a test starts itself anew and says why it cannot"
)]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use fauxplat_gpio::{
    Chips, GpioError, Input, InputWish, Leave, LineEvent, LineName, Output, OutputWish, Stamp,
};
use fauxplat_sys::input::{InputEvent, KeyEvent};
use fauxplat_sys::pipes::make_pipe;
use fauxplat_sys::poll::{Poller, Ready};
use tempfile::TempDir;

/// A machine of plain files: lines 5 and 6 by the old interface, and an LED with a trigger.
struct Machine {
    root: TempDir,
    chips: Chips,
}

const FILES: [(&str, &str); 12] = [
    ("sys/class/gpio/gpio5/direction", "in"),
    ("sys/class/gpio/gpio5/edge", "none"),
    ("sys/class/gpio/gpio5/value", "0\n"),
    ("sys/class/gpio/gpio5/active_low", "0\n"),
    ("sys/class/gpio/gpio6/direction", "out"),
    ("sys/class/gpio/gpio6/edge", "none"),
    ("sys/class/gpio/gpio6/value", "1\n"),
    ("sys/class/gpio/export", ""),
    ("sys/class/gpio/unexport", ""),
    ("sys/class/leds/green:status/brightness", "7\n"),
    ("sys/class/leds/green:status/max_brightness", "255\n"),
    ("sys/class/leds/green:status/trigger", "none timer [heartbeat]\n"),
];

impl Machine {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for (file, text) in FILES {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(root.path().join("dev/input")).unwrap();
        let chips = Chips::below(root.path());
        Machine { root, chips }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn says(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap().lines().next().unwrap_or_default().to_owned()
    }

    fn output(&self, name: &str, wish: &OutputWish) -> Result<Box<dyn Output>, GpioError> {
        self.chips.output(&line(name), wish)
    }

    fn input(&self, name: &str) -> Result<Box<dyn Input>, GpioError> {
        self.chips.input(&line(name), &InputWish::default())
    }
}

fn line(name: &str) -> LineName {
    name.parse().unwrap()
}

/// Waits for an input in a poller, and reads its events.
fn waited(input: &mut dyn Input) -> Vec<LineEvent> {
    waited_in(&set_of(input), input)
}

fn set_of(input: &dyn Input) -> Poller {
    let poller = Poller::new().unwrap();
    poller.add(input.fd(), 1, input.interest()).unwrap();
    poller
}

fn waited_in(poller: &Poller, input: &mut dyn Input) -> Vec<LineEvent> {
    let (mut ready, mut events) = (Vec::new(), Vec::new());
    poller.wait(&mut ready, Some(20_000)).unwrap();
    assert_eq!(ready.first().map(|ready| ready.token), Some(1), "it says nothing");
    input.take(&mut events).unwrap();
    events
}

#[test]
fn lights_go_on_and_off_by_every_interface() {
    let machine = Machine::new();
    let wish = OutputWish::default();
    // Name of each light, the file by which it is switched, and the values of the file for on and off.
    let kinds = [
        ("sysfs:6", "sys/class/gpio/gpio6/value", "1", "0"),
        ("led:green:status", "sys/class/leds/green:status/brightness", "255", "0"),
    ];
    for (name, file, on, off) in kinds {
        let mut light = machine.output(name, &wish).unwrap();
        assert_eq!(machine.says(file), off, "{name} begins as wished");
        let first_ns = light.set(true).unwrap();
        assert_eq!(machine.says(file), on, "{name}");
        assert!(light.set(false).unwrap() >= first_ns && machine.says(file) == off, "{name}");
        for (leave, left) in [(Leave::Active, on), (Leave::Inactive, off)] {
            light.leave(leave).unwrap();
            assert_eq!(machine.says(file), left, "{name} {leave:?}");
        }
        assert_eq!(light.name(), name);
    }
    let mut light = machine.output("sim:3", &wish).unwrap();
    assert!(!machine.chips.simulated.is_high(3));
    light.set(true).unwrap();
    assert!(machine.chips.simulated.is_high(3));
    light.leave(Leave::AsItWas).unwrap();
    assert!(!machine.chips.simulated.is_high(3));
}

#[test]
fn a_light_is_left_as_it_was_found() {
    let machine = Machine::new();
    let led = "sys/class/leds/green:status";
    let mut light = machine.output("led:green:status", &OutputWish::default()).unwrap();
    assert_eq!(machine.says(&format!("{led}/trigger")), "none", "or the kernel would blink beside us");
    light.set(true).unwrap();
    light.leave(Leave::AsItWas).unwrap();
    assert_eq!(
        (machine.says(&format!("{led}/brightness")), machine.says(&format!("{led}/trigger"))),
        ("7".into(), "heartbeat".into())
    );

    let mut light = machine.output("sysfs:6", &OutputWish::default()).unwrap();
    light.set(false).unwrap();
    light.leave(Leave::AsItWas).unwrap();
    assert_eq!(machine.says("sys/class/gpio/gpio6/value"), "1");
    let mut light = machine.output("sysfs:5", &OutputWish::default()).unwrap();
    assert_eq!(machine.says("sys/class/gpio/gpio5/direction"), "low");
    light.leave(Leave::AsItWas).unwrap();
    assert_eq!(machine.says("sys/class/gpio/gpio5/direction"), "in");
    drop(light);
    assert_eq!(machine.says("sys/class/gpio/unexport"), "", "somebody else made the line");
}

/// When a trigger is set again, the kernel creates its files anew, with default values.
#[test]
fn a_trigger_is_left_with_its_settings() {
    let machine = Machine::new();
    let led = "sys/class/leds/green:status";
    let at = |file: &str| machine.at(&format!("{led}/{file}"));
    fs::write(at("trigger"), "none [timer] heartbeat\n").unwrap();
    let found = [("delay_off", "900\n"), ("delay_on", "100\n"), ("invert", "1\n"), ("shot", "")];
    found.iter().for_each(|(file, text)| fs::write(at(file), text).unwrap());
    fs::create_dir(at("power")).unwrap();
    let mut light = machine.output("led:green:status", &OutputWish::default()).unwrap();
    for file in ["delay_off", "delay_on"] {
        fs::write(at(file), "500\n").unwrap();
    }
    let before = fs::metadata(at("invert")).unwrap().modified().unwrap();
    light.leave(Leave::AsItWas).unwrap();
    let says = |file: &str| machine.says(&format!("{led}/{file}"));
    assert_eq!(["trigger", "delay_off", "delay_on", "invert"].map(says), ["timer", "900", "100", "1"]);
    assert_eq!(fs::metadata(at("invert")).unwrap().modified().unwrap(), before, "it was what it is");

    // A setting that cannot be restored is reported, and the others are restored.
    fs::write(at("trigger"), "none [timer] heartbeat\n").unwrap();
    let mut light = machine.output("led:green:status", &OutputWish::default()).unwrap();
    fs::write(at("delay_on"), "500\n").unwrap();
    fs::remove_file(at("delay_off")).unwrap();
    fs::create_dir(at("delay_off")).unwrap();
    assert!(light.leave(Leave::AsItWas).unwrap_err().to_string().contains("delay_off"));
    assert_eq!(machine.says(&format!("{led}/delay_on")), "100");
}

/// A file that not even root may write to stands in for a setting whose owner udev has yet to set.
#[test]
fn settings_of_a_trigger_may_be_given_to_us_later() {
    const NOBODYS: &str = "/proc/sys/kernel/ostype";
    let machine = Machine::new();
    let at = |file: &str| machine.at(&format!("sys/class/leds/green:status/{file}"));
    fs::write(at("trigger"), "none [timer] heartbeat\n").unwrap();
    fs::write(at("delay_on"), "100\n").unwrap();
    let mut light = machine.output("led:green:status", &OutputWish::default()).unwrap();
    fs::remove_file(at("delay_on")).unwrap();
    std::os::unix::fs::symlink(NOBODYS, at("delay_on")).unwrap();
    let refused = light.leave(Leave::AsItWas).unwrap_err();
    if !refused.is_permission() {
        // In some containers the file cannot be written to for another reason.
        return assert!(refused.to_string().contains("Read-only file system"), "{refused}");
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(30));
            fs::write(at("made"), "500\n").unwrap();
            fs::rename(at("made"), at("delay_on")).unwrap();
        });
        // On a slow machine the file may come after the patience for it, so that it is waited for again.
        assert!((0..30).any(|_| light.leave(Leave::AsItWas).is_ok()), "it is never waited for");
    });
    assert_eq!(fs::read_to_string(at("delay_on")).unwrap().trim(), "100");
}

#[test]
fn an_led_that_cannot_be_lit_keeps_its_trigger() {
    let machine = Machine::new();
    let led = machine.at("sys/class/leds/green:status");
    fs::remove_file(led.join("brightness")).unwrap();
    fs::create_dir(led.join("brightness")).unwrap();
    assert!(machine.output("led:green:status", &OutputWish::default()).is_err());
    assert_eq!(fs::read_to_string(led.join("trigger")).unwrap(), "none timer [heartbeat]\n");
    // A file that accepts no bytes fails after the trigger was changed.
    fs::remove_dir(led.join("brightness")).unwrap();
    std::os::unix::fs::symlink("/dev/full", led.join("brightness")).unwrap();
    assert!(machine.output("led:green:status", &OutputWish::default()).is_err());
    assert_eq!(fs::read_to_string(led.join("trigger")).unwrap(), "heartbeat");
}

#[test]
fn low_is_active_where_that_is_wished() {
    let machine = Machine::new();
    let wish = OutputWish { is_active_low: true, ..OutputWish::default() };
    let _light = machine.output("sysfs:5", &wish).unwrap();
    // A level that is written to `direction` is electrical, whatever the polarity.
    assert_eq!(machine.says("sys/class/gpio/gpio5/direction"), "high");
    assert_eq!(machine.says("sys/class/gpio/gpio5/active_low"), "1");
    let mut light = machine.output("led:green:status", &wish).unwrap();
    assert_eq!(machine.says("sys/class/leds/green:status/brightness"), "255");
    light.set(true).unwrap();
    assert_eq!(machine.says("sys/class/leds/green:status/brightness"), "0");
    let mut light = machine.output("sim:3", &wish).unwrap();
    assert!(machine.chips.simulated.is_high(3));
    light.set(true).unwrap();
    assert!(!machine.chips.simulated.is_high(3));
}

/// In sysfs a value is an electrical level only together with the polarity (`active_low`).
#[test]
fn a_light_is_left_with_the_polarity_by_which_it_was_read() {
    let machine = Machine::new();
    let [value, polarity] = ["value", "active_low"].map(|file| format!("sys/class/gpio/gpio6/{file}"));
    for (found, is_active_low) in [("0", true), ("1", false)] {
        fs::write(machine.at(&value), "1\n").unwrap();
        fs::write(machine.at(&polarity), found).unwrap();
        let wish = OutputWish { is_active_low, ..OutputWish::default() };
        let mut light = machine.output("sysfs:6", &wish).unwrap();
        assert_eq!((machine.says(&value).as_str(), machine.says(&polarity) == found), ("0", false));
        light.leave(Leave::AsItWas).unwrap();
        assert_eq!((machine.says(&value).as_str(), machine.says(&polarity).as_str()), ("1", found));
    }
}

#[test]
fn lines_that_were_there_get_their_settings_back() {
    let machine = Machine::new();
    let settings =
        || ["edge", "active_low"].map(|file| machine.says(&format!("sys/class/gpio/gpio5/{file}")));
    fs::write(machine.at("sys/class/gpio/gpio5/edge"), "rising\n").unwrap();
    let wish = InputWish { is_active_low: true, ..InputWish::default() };
    let button = machine.chips.input(&line("sysfs:5"), &wish).unwrap();
    assert_eq!(settings(), ["both", "1"]);
    drop(button);
    assert_eq!(settings(), ["rising", "0"]);

    let wish = OutputWish { is_active_low: true, ..OutputWish::default() };
    let mut light = machine.output("sysfs:5", &wish).unwrap();
    light.leave(Leave::Inactive).unwrap();
    assert_eq!(settings(), ["rising", "1"]);
    drop(light);
    assert_eq!(settings(), ["rising", "0"]);
    assert_eq!(
        machine.says("sys/class/gpio/gpio5/direction"),
        "high",
        "the level is that of a light that is off"
    );
}

#[test]
fn lines_that_cannot_be_had_say_why() {
    let machine = Machine::new();
    let (inputs, outputs) = (InputWish::default(), OutputWish::default());
    let held =
        machine.chips.input(&line("sim:2"), &InputWish { consumer: "somebody".into(), ..inputs }).unwrap();
    let of_output = |name: &str| machine.output(name, &outputs).unwrap_err().to_string();
    for (name, says) in [
        ("sim:2", "sim:2 is taken by somebody"),
        ("sim:99", "sim:99 is not there"),
        ("led:blue", "led:blue is not there"),
        ("key:event0:30", "cannot be driven"),
        ("gpiochip0:1", "gpiochip0:1 cannot be opened"),
        // Trees of plain files have no kernel that would make the folder of line 9.
        ("sysfs:9", "sysfs:9 cannot be opened"),
    ] {
        assert!(of_output(name).contains(says), "{name}: {}", of_output(name));
    }
    assert_eq!(machine.says("sys/class/gpio/export"), "9", "it was asked for");
    assert_eq!(machine.says("sys/class/gpio/unexport"), "9", "and given back");
    assert!(machine.input("led:green:status").unwrap_err().to_string().contains("no edges"));
    assert!(machine.input("key:event7:30").unwrap_err().to_string().contains("event7"));
    fs::write(machine.at("dev/gpiochip0"), "").unwrap();
    assert!(of_output("gpiochip0:1").contains("GPIO_GET_CHIPINFO_IOCTL"));
    drop(held);
    assert!(machine.output("sim:2", &outputs).is_ok(), "it was given back");
}

#[test]
fn the_simulated_chip_tells_edges_as_the_kernel_does() {
    let machine = Machine::new();
    let chip = &machine.chips.simulated;
    let mut input = machine.input("sim:1").unwrap();
    let low = InputWish { is_active_low: true, ..InputWish::default() };
    let mut inverse = machine.chips.input(&line("sim:4"), &low).unwrap();
    let first_ns = chip.drive(1, true).unwrap();
    chip.drive(1, true).unwrap();
    chip.drive(1, false).unwrap();
    let events = waited(input.as_mut());
    assert_eq!(
        events.iter().map(|event| event.is_active).collect::<Vec<_>>(),
        [true, false],
        "no edge, no event"
    );
    assert_eq!((events[0].at_ns, events[0].stamp), (first_ns, Stamp::Source));
    chip.drive(4, true).unwrap();
    assert!(!waited(inverse.as_mut())[0].is_active);
    // More events are sent than the socket has room for.
    for edge in 0..5000 {
        chip.drive(1, edge % 2 == 0).unwrap();
    }
    let mut events = waited(input.as_mut());
    chip.drive(1, true).unwrap();
    input.take(&mut events).unwrap();
    assert_eq!(events.len() as u64 + input.lost(), 5001, "{} were lost", input.lost());
    assert!(input.lost() > 0, "a queue without an end");
    chip.unplug(1);
    assert!(input.take(&mut events).unwrap_err().is_gone());
    assert!(chip.drive(1, true).unwrap_err().is_gone());
    assert!(machine.input("sim:1").unwrap_err().to_string().contains("vanished"));
}

#[test]
fn a_light_that_vanishes_is_told() {
    let machine = Machine::new();
    let mut light = machine.output("sim:3", &OutputWish::default()).unwrap();
    machine.chips.simulated.unplug(3);
    assert!(light.set(true).unwrap_err().is_gone() && light.leave(Leave::Inactive).is_err());
    // A pipe without a reader stands in for the file of a device that has vanished.
    let brightness = machine.at("sys/class/leds/green:status/brightness");
    fs::remove_file(&brightness).unwrap();
    make_pipe(&brightness).unwrap();
    let reader = fauxplat_sys::pipes::open_pipe(&brightness).unwrap();
    let mut light = machine.output("led:green:status", &OutputWish::default()).unwrap();
    light.set(true).unwrap();
    drop(reader);
    // A child process of another test has the reader open too, until it executes another program.
    let refused = || {
        light.set(false).err().or_else(|| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            None
        })
    };
    let gone = std::iter::repeat_with(refused).take(3000).find_map(|refused| refused).unwrap();
    assert!(gone.is_gone() && gone.to_string().starts_with("led:green:status has vanished"), "{gone}");
}

/// Writes key events into a pipe that stands in for an input device.
fn press(device: &mut File, code: u16, is_down: bool) {
    device.write_all(&InputEvent::write(KeyEvent { at_ns: 5, code, is_down })).unwrap();
}

#[test]
fn keys_are_told_by_their_codes() {
    let machine = Machine::new();
    let path = machine.at("dev/input/event0");
    make_pipe(&path).unwrap();
    let mut input = machine.input("key:event0:30").unwrap();
    let mut device = File::options().write(true).open(&path).unwrap();
    press(&mut device, 31, true);
    press(&mut device, 30, true);
    press(&mut device, 30, false);
    let events = waited(input.as_mut());
    assert_eq!(events.iter().map(|event| event.is_active).collect::<Vec<_>>(), [true, false]);
    // A pipe has no clock that could be set, so events get the time of the reading.
    assert!(events[0].stamp == Stamp::Reader && events[0].at_ns > 5);
    drop(device);
    let poller = set_of(input.as_ref());
    let mut ready = Vec::new();
    poller.wait(&mut ready, Some(20_000)).unwrap();
    assert!(matches!(ready[0], Ready { is_over: true, .. }), "{ready:?}");
    assert!(machine.input("key:event0:70000").unwrap_err().to_string().contains("65535"));
}

/// File that stands in for the value of a line. Files of sysfs can be polled and plain files cannot; the file of the
/// kernel's domain name can, with the same events. The test writes to it in a UTS namespace of its own.
const VALUE: &str = "/proc/sys/kernel/domainname";
const INNER: &str = "FAUXPLAT_GPIO_INNER";

#[test]
fn edges_by_the_old_interface_are_waited_for() {
    if std::env::var_os(INNER).is_none() {
        return outside();
    }
    let machine = Machine::new();
    let value = machine.at("sys/class/gpio/gpio5/value");
    fs::remove_file(&value).unwrap();
    std::os::unix::fs::symlink(VALUE, &value).unwrap();
    fs::write(VALUE, "0").unwrap();
    let mut input = machine.input("sysfs:5").unwrap();
    assert_eq!(
        (machine.says("sys/class/gpio/gpio5/direction"), machine.says("sys/class/gpio/gpio5/edge")),
        ("in".into(), "both".into())
    );
    // Unlike files of sysfs this file reports a change only once, so the file is added to the poller before the change.
    let set = set_of(input.as_ref());
    for round in 0..5 {
        let is_high = round % 2 == 0;
        fs::write(VALUE, if is_high { "1" } else { "0" }).unwrap();
        let events = waited_in(&set, input.as_mut());
        assert_eq!(events.len(), 1);
        assert_eq!((events[0].is_active, events[0].stamp), (is_high, Stamp::Reader), "round {round}");
    }
    println!("edges were waited for");
}

/// Runs this test in a UTS namespace of its own. Root may create such a namespace, and other users only within a user
/// namespace, where that is permitted.
fn outside() {
    let own = std::env::current_exe().unwrap();
    let names: &[&str] =
        if fauxplat_sys::process::is_root() { &["--uts"] } else { &["--uts", "--user", "--map-root-user"] };
    let words = ["--exact", "edges_by_the_old_interface_are_waited_for", "--nocapture"];
    let done =
        std::process::Command::new("unshare").args(names).arg(own).args(words).env(INNER, "1").output();
    let Ok(done) = done else { return eprintln!("skipped: there is no unshare (package util-linux)") };
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    if err.starts_with("unshare:") {
        return eprintln!("skipped: {}", err.trim());
    }
    if err.contains("Read-only file system") || err.contains("Permission denied") {
        return eprintln!("skipped: {VALUE} cannot be written to here");
    }
    assert!(done.status.success() && out.contains("edges were waited for"), "{out}{err}");
}

#[test]
fn the_folder_is_only_looked_at_below_the_root() {
    let elsewhere = Chips::below(Path::new("/nonexistent"));
    assert!(
        elsewhere
            .output(&line("led:green:status"), &OutputWish::default())
            .unwrap_err()
            .to_string()
            .contains("/nonexistent/sys")
    );
}
