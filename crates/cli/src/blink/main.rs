//! `fauxplat-blink`: the light of the published experiment *busy loop or event loop* as a complete program. Any output
//! line of this machine can be the light; buttons change its period, messages go to the system's log, and signals end
//! the program in order.

mod account;
mod args;
mod log;

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Duration;

use account::Account;
use args::{Cli, FirstWord, Settings};
use clap::{CommandFactory, Parser};
use fauxplat_blink::{
    BlinkError, Blinker, Button, Controller, Happening, How, Limits, Period, Press, Rules, Style,
};
use fauxplat_gpio::{ChipName, Chips, InputWish, LineName, OutputWish, SimulatedChip};
use fauxplat_sys::poll::SignalFile;
use fauxplat_sys::{clock, signal};
use fauxplat_units::Nanos;
use log::{Log, Urgency, tell_stderr};

/// Exit codes, the same as those of `fauxplat`: bad usage or bad input, and a machine that refuses a line or a call.
const USAGE: u8 = 2;
const MACHINE: u8 = 3;

enum Failure {
    /// The options or the settings file are wrong.
    Usage(String),
    /// A line or a system call failed.
    Machine(String),
}

impl From<BlinkError> for Failure {
    fn from(error: BlinkError) -> Self {
        match error {
            BlinkError::Limits { .. } | BlinkError::Period { .. } => Failure::Usage(error.to_string()),
            BlinkError::Line(_) | BlinkError::Wait(_) => Failure::Machine(error.to_string()),
        }
    }
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version are answers and go to standard output.
        Err(error) if !error.use_stderr() => return done(answered(error.print())),
        Err(error) => return ended(&Failure::Usage(misuse(&error)), None),
    };
    if cli.man {
        let mut definition = Cli::command();
        definition.build();
        return done(answered(write!(io::stdout(), "{}", fauxplat_options::page(&definition))));
    }
    let mut log = Log::open(cli.log, &cli.sysroot);
    match blink(cli, &mut log) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ended(&failure, Some(&mut log)),
    }
}

/// The exit code after help, version or the manual page was printed. No log was opened by then.
fn done(answered: Result<(), Failure>) -> ExitCode {
    answered.map_or_else(|failure| ended(&failure, None), |()| ExitCode::SUCCESS)
}

/// Prints a failure as one line on standard error and writes it to the log; returns the exit code.
fn ended(failure: &Failure, log: Option<&mut Log>) -> ExitCode {
    let (Failure::Usage(text) | Failure::Machine(text)) = failure;
    // The message may quote a stranger's file, so control characters are made visible.
    let text = fauxplat_report::visible(text);
    tell_stderr(&text);
    if let Some(log) = log {
        log.say_elsewhere(Urgency::Error, &text);
    }
    ExitCode::from(if matches!(failure, Failure::Usage(_)) { USAGE } else { MACHINE })
}

/// The message of the option parser as one line.
fn misuse(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let said = text.split("\nUsage:").next().unwrap_or_default();
    let said = said.split("For more information").next().unwrap_or_default();
    let words: Vec<&str> = said.split_whitespace().skip_while(|word| *word == "error:").collect();
    format!("{} (see --help)", words.join(" "))
}

/// Default values of the period, the shortest period and the longest period: half a second, a microsecond, an hour.
const PERIOD: Nanos = Nanos(500_000_000);
const SHORTEST: Nanos = Nanos(1000);
const LONGEST: Nanos = Nanos(3_600_000_000_000);
/// Default time for which a button's line has to be quiet before an edge counts as a press: contacts of a push button
/// settle within milliseconds.
const DEBOUNCE: Nanos = Nanos(10_000_000);

fn blink(mut cli: Cli, log: &mut Log) -> Result<(), Failure> {
    let file = cli.config.as_deref().map(Settings::read).transpose().map_err(Failure::Usage)?;
    let settings = std::mem::take(&mut cli.settings).over(file.unwrap_or_default());
    let limits = Limits::new(settings.shortest.unwrap_or(SHORTEST).0, settings.longest.unwrap_or(LONGEST).0)?;
    let period = Period::new(settings.period.unwrap_or(PERIOD).0, limits)?;
    // Handlers are installed before any line is requested, so that a signal always ends the program in order.
    let signals = SignalFile::new(&signal::requests_to_end()).map_err(BlinkError::from)?;
    let chips = Chips::below(&cli.sysroot);
    let finger = finger(&cli, &settings)?;
    if settings.buttons_active_low {
        // With active-low buttons, the line of a button that is not pressed is high.
        finger.iter().for_each(|&(_, line, _)| drop(chips.simulated.drive(line, true)));
    }
    let (light, buttons) = lines(&settings, &chips)?;
    let begun_ns = clock::monotonic_ns();
    let name = light.name().to_owned();
    let controller = Controller::new(period, rules(&settings), begun_ns);
    let mut blinker = Blinker::new(light, buttons, controller, settings.leave());
    press_later(finger, chips.simulated, begun_ns)?;

    let style = if settings.busy { Style::Busy } else { Style::Event };
    log.say(Urgency::Info, &format!("{name} blinks every {}", Nanos(period.ns())));
    let mut account = Account::new(style, period.ns(), begun_ns);
    let until_ns = cli.max_time.map(|time| begun_ns.saturating_add(time.0));
    let how = How { style, until_ns, signals: Some(&signals), stop: || false };
    let ending = blinker.run(&how, &mut |happened| {
        account.note(&happened);
        tell(log, &happened);
        ControlFlow::Continue(())
    })?;
    blinker.end()?;
    log.say(Urgency::Info, &format!("{name} was left as configured after {}", account.sentence()));
    if cli.json {
        return answered(writeln!(io::stdout(), "{}", account.ended(ending)));
    }
    Ok(())
}

/// Turns the result of writing help, version or manual page to standard output into that of the program. A closed pipe
/// is no error: its reader has read enough.
fn answered(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Machine(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

fn rules(settings: &Settings) -> Rules {
    Rules {
        change: settings.change(),
        debounce_ns: settings.debounce.unwrap_or(DEBOUNCE).0,
        first_counts: settings.first_event == Some(FirstWord::Counts),
    }
}

/// Logs presses and lost events. Edges, and button events that were no presses, are only counted.
fn tell(log: &mut Log, happened: &Happening<'_>) {
    match *happened {
        Happening::Press { press, from_ns, to_ns, .. } if from_ns != to_ns => {
            let [from, to] = [from_ns, to_ns].map(Nanos);
            log.say(Urgency::Info, &format!("{}: the period was {from} and is {to}", press.name()));
        }
        Happening::Press { press, to_ns, .. } => {
            log.say(Urgency::Info, &format!("{}: the period stays {}", press.name(), Nanos(to_ns)));
        }
        Happening::Lost { line, events } => {
            let lost = format!("{line}: {events} events are lost so far, since the kernel's buffer was full");
            log.say(Urgency::Warning, &lost);
        }
        Happening::Edge { .. } | Happening::NoPress { .. } => {}
    }
}

const CONSUMER: &str = "fauxplat-blink";

type Lines = (Box<dyn fauxplat_gpio::Output>, Vec<Button>);

/// Opens the lines of the buttons and the light. The buttons come first, so that the light has not been touched where
/// one of them fails.
fn lines(settings: &Settings, chips: &Chips) -> Result<Lines, Failure> {
    let debounce_us = settings.debounce.unwrap_or(DEBOUNCE).0 / 1000;
    let wish = InputWish {
        consumer: CONSUMER.to_owned(),
        is_active_low: settings.buttons_active_low,
        bias: settings.bias(),
        debounce_us: debounce_us.try_into().unwrap_or(u32::MAX),
    };
    let mut buttons = Vec::new();
    for press in Press::ALL {
        if let Some(name) = settings.button(press) {
            let line = chips.input(name, &wish).map_err(BlinkError::from)?;
            buttons.push(Button { press, line });
        }
    }
    let Some(led) = &settings.led else {
        return Err(Failure::Usage(
            "there is no light: --led LINE, or led = \"LINE\" in the file (see --help)".into(),
        ));
    };
    let wish = OutputWish {
        consumer: CONSUMER.to_owned(),
        is_active_low: settings.led_active_low,
        is_active: false,
    };
    Ok((chips.output(led, &wish).map_err(BlinkError::from)?, buttons))
}

/// Moves of the simulated buttons that `--press` asks for: time after the start, number of the line, and whether the
/// line goes high.
fn finger(cli: &Cli, settings: &Settings) -> Result<Vec<(Nanos, u32, bool)>, Failure> {
    let mut moves = Vec::new();
    for &(at, press) in &cli.press {
        let line = match settings.button(press) {
            Some(LineName { chip: ChipName::Simulated, line }) => line.parse().ok(),
            _ => None,
        };
        let line = line.ok_or_else(|| {
            Failure::Usage(format!(
                "--press {}: the button is not on the simulated chip (--{0} sim:1 is)",
                press.name()
            ))
        })?;
        moves.push((at, line, !settings.buttons_active_low));
        moves.push((Nanos(at.0.saturating_add(HELD.0)), line, settings.buttons_active_low));
    }
    moves.sort_by_key(|it| it.0);
    Ok(moves)
}

/// Time for which a simulated press holds a button down.
const HELD: Nanos = Nanos(30_000_000);

/// Starts a thread that moves the lines of the simulated chip at their times; the thread ends with the process.
fn press_later(moves: Vec<(Nanos, u32, bool)>, chip: SimulatedChip, begun_ns: u64) -> Result<(), Failure> {
    if moves.is_empty() {
        return Ok(());
    }
    let pressed = move || {
        for (at, line, is_high) in moves {
            let wait_ns = begun_ns.saturating_add(at.0).saturating_sub(clock::monotonic_ns());
            std::thread::sleep(Duration::from_nanos(wait_ns));
            // Lines of the simulated chip exist as long as the chip.
            let _ = chip.drive(line, is_high);
        }
    };
    let thread = std::thread::Builder::new().name("finger".to_owned()).spawn(pressed);
    thread.map(drop).map_err(|error| Failure::Machine(format!("no thread for --press: {error}")))
}
