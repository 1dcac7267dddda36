//! Tests on lines restore the state that they change, as simulated files show.

use std::fs;
use std::path::PathBuf;

use fauxplat_gpio::Chips;
use fauxplat_latency::{Drive, Lines, ThreadPlacement, edge, line};
use fauxplat_model::Policy;

/// A temporary directory, removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fauxplat-latency-{name}-{}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _nothing_depends_on_it = fs::remove_dir_all(&self.0);
    }
}

fn place() -> ThreadPlacement {
    let cpu = fauxplat_sys::sched::affinity(0).unwrap().first().unwrap();
    ThreadPlacement { cpu, policy: Policy::Other, slack_ns: None }
}

#[test]
fn an_led_has_its_trigger_again() {
    let root = Folder::new("led");
    let led = root.0.join("sys/class/leds/green");
    fs::create_dir_all(&led).unwrap();
    let files = [("brightness", "7\n"), ("max_brightness", "255\n"), ("trigger", "none [heartbeat]\n")];
    files.iter().for_each(|(file, text)| fs::write(led.join(file), text).unwrap());
    let chips = Chips::below(&root.0);
    let edges = edge(&place(), &chips, &"led:green".parse().unwrap(), 100_000, 5).unwrap();
    assert!(edges.count() > 0);
    // Unlike a file of the kernel, a simulated file keeps the end of longer previous contents.
    let says = |file: &str| fs::read_to_string(led.join(file)).unwrap().lines().next().map(str::to_owned);
    assert_eq!((says("trigger").as_deref(), says("brightness").as_deref()), (Some("heartbeat"), Some("7")));
}

#[test]
fn a_simulated_line_of_the_kernel_is_pulled_as_it_was() {
    let root = Folder::new("pull");
    let pull = root.0.join("pull");
    for (was, then) in [("pull-down\n", "pull-down"), ("", "pull-up")] {
        fs::write(&pull, was).unwrap();
        let lines = Lines {
            chips: Chips::below(&root.0),
            event: "sim:0".parse().unwrap(),
            answer: "sim:1".parse().unwrap(),
            drive: Drive::Pull(pull.clone()),
        };
        // Writing the simulated file moves no line, so there is no edge to answer, and the driver's last edge goes up.
        let ways = line([&place(), &place()], &lines, 100_000, 5).unwrap();
        assert_eq!(ways.map(|way| way.count()), [0; 3]);
        assert_eq!(fs::read_to_string(&pull).unwrap(), then);
    }
}
