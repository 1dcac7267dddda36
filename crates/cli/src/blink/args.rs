//! Options of `fauxplat-blink`, on the command line and in a settings file.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Parser, ValueEnum};
use fauxplat_blink::{Change, Press};
use fauxplat_gpio::{Bias, Leave, LineName};
use fauxplat_units::Nanos;
use serde::{Deserialize, Deserializer};

/// Blinks a light, and lets buttons change how fast
#[derive(Debug, Parser)]
#[command(name = "fauxplat-blink", version, max_term_width = 100, after_help = AFTER)]
pub(crate) struct Cli {
    /// File of settings: a key for each option, such as period = "500ms"; options on the command line override it
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Press a button of the simulated chip at this time after the start: halve, reset or double (repeatable)
    #[arg(long, value_name = "TIME:BUTTON", value_parser = timed_press)]
    pub(crate) press: Vec<(Nanos, Press)>,
    /// End after this time
    #[arg(long, value_name = "TIME", value_parser = Nanos::with_unit)]
    pub(crate) max_time: Option<Nanos>,
    /// At the end, write what happened to standard output as a JSON document
    #[arg(long)]
    pub(crate) json: bool,
    /// Where messages go
    #[arg(long, value_name = "WHERE", value_enum, default_value_t = LogTo::System)]
    pub(crate) log: LogTo,
    /// Look for /sys and /dev below this folder
    #[arg(long, value_name = "FOLDER", default_value = "/")]
    pub(crate) sysroot: PathBuf,
    /// Print the manual page
    #[arg(long, hide = true, exclusive = true)]
    pub(crate) man: bool,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

const AFTER: &str = "\
Lines:
  gpiochip0:17    a GPIO character device, by number or name of the line
  sysfs:17        the old interface below /sys/class/gpio
  led:NAME        an LED below /sys/class/leds, a light only
  key:event3:28   a key of an input device by its code, a button only
  sim:0           a chip that is simulated in this process, lines 0 to 15

Examples:
  fauxplat-blink --led gpiochip0:17 --halve gpiochip0:22 --reset gpiochip0:23 --double gpiochip0:24
  fauxplat-blink --led led:input0::capslock --period 1s --halve key:event0:30
  fauxplat-blink --led sim:0 --halve sim:1 --press 1s:halve --press 2s:halve --max-time 3s --json --log stderr

Notes:
  The first event of each button's line is no press (see --first-event): in the last example only the second press counts.
  A signal (INT, TERM, HUP) ends it in order.

Exit codes:
  0  it ended as it was asked to
  2  bad usage or bad input
  3  a line cannot be had, or has vanished";

// Options of the command line and keys of the settings file: one definition for both, with the same names.
#[derive(Clone, Debug, Default, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Settings {
    /// The light
    #[arg(long, value_name = "LINE")]
    #[serde(deserialize_with = "from_text")]
    pub(crate) led: Option<LineName>,
    /// The button that halves the period
    #[arg(long, value_name = "LINE")]
    #[serde(deserialize_with = "from_text")]
    pub(crate) halve: Option<LineName>,
    /// The button that brings the first period back
    #[arg(long, value_name = "LINE")]
    #[serde(deserialize_with = "from_text")]
    pub(crate) reset: Option<LineName>,
    /// The button that doubles the period
    #[arg(long, value_name = "LINE")]
    #[serde(deserialize_with = "from_text")]
    pub(crate) double: Option<LineName>,
    /// Time for on and off together [default: 500ms, which is 2 Hz]
    #[arg(long, value_name = "TIME", value_parser = Nanos::with_unit)]
    pub(crate) period: Option<Nanos>,
    /// Shortest period that presses can reach [default: 1us]; 2ns at least
    #[arg(long, value_name = "TIME", value_parser = Nanos::with_unit)]
    pub(crate) shortest: Option<Nanos>,
    /// Longest period that presses can reach [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = Nanos::with_unit)]
    pub(crate) longest: Option<Nanos>,
    /// When a press takes effect [default: now]
    #[arg(long, value_name = "WHEN", value_enum)]
    pub(crate) change: Option<ChangeWord>,
    /// Time without edges on a line after which its next edge counts as a press [default: 10ms]; 0: every edge counts
    #[arg(long, value_name = "TIME", value_parser = Nanos::with_unit)]
    pub(crate) debounce: Option<Nanos>,
    /// What the first event of a button's line is [default: ignored]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) first_event: Option<FirstWord>,
    /// The light is on when its line is low
    #[arg(long)]
    pub(crate) led_active_low: bool,
    /// Buttons pull their lines down
    #[arg(long)]
    pub(crate) buttons_active_low: bool,
    /// What pulls the lines of buttons, on character devices [default: as-it-is]
    #[arg(long, value_name = "WHERE", value_enum)]
    pub(crate) pull: Option<PullWord>,
    /// How the light is left at the end [default: off]
    #[arg(long, value_name = "HOW", value_enum)]
    pub(crate) at_end: Option<EndWord>,
    /// Read the clock and the buttons in a busy loop instead of sleeping, as the published experiment does
    #[arg(long)]
    pub(crate) busy: bool,
}

/// Where messages go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogTo {
    /// To the system's log (/dev/log), and to standard error where there is none
    System,
    /// To standard error
    Stderr,
    /// Nowhere, except the line that says why the program failed
    Nowhere,
}

/// Words for `fauxplat_blink::Change`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ChangeWord {
    /// At once, counted from the last edge
    Now,
    /// With the next period
    AfterPeriod,
}

/// Words for what the first event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FirstWord {
    /// No press
    Ignored,
    /// A press like any other
    Counts,
}

/// Words for `fauxplat_gpio::Bias`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PullWord {
    /// The present setting of the line
    AsItIs,
    /// Up
    Up,
    /// Down
    Down,
}

/// Words for `fauxplat_gpio::Leave`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EndWord {
    /// Off
    Off,
    /// On
    On,
    /// As it was found, with its trigger
    AsItWas,
}

impl Settings {
    /// The settings of the command line, completed by those of a settings file: for each setting the command line comes
    /// first.
    pub(crate) fn over(self, file: Settings) -> Settings {
        Settings {
            led: self.led.or(file.led),
            halve: self.halve.or(file.halve),
            reset: self.reset.or(file.reset),
            double: self.double.or(file.double),
            period: self.period.or(file.period),
            shortest: self.shortest.or(file.shortest),
            longest: self.longest.or(file.longest),
            change: self.change.or(file.change),
            debounce: self.debounce.or(file.debounce),
            first_event: self.first_event.or(file.first_event),
            led_active_low: self.led_active_low || file.led_active_low,
            buttons_active_low: self.buttons_active_low || file.buttons_active_low,
            pull: self.pull.or(file.pull),
            at_end: self.at_end.or(file.at_end),
            busy: self.busy || file.busy,
        }
    }

    /// The settings of a file.
    ///
    /// # Errors
    /// Fails where the file cannot be read or is not a valid settings file; the message is one line.
    pub(crate) fn read(path: &Path) -> Result<Settings, String> {
        let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = fauxplat_sys::text::read_text(path, 1 << 20).map_err(|error| fail(&error))?;
        toml::from_str(&text).map_err(|error| {
            let line =
                error.span().map_or(0, |span| text[..span.start.min(text.len())].matches('\n').count());
            fail(&format!("line {}: {}", line + 1, error.message().replace('\n', " ")))
        })
    }

    pub(crate) fn change(&self) -> Change {
        match self.change {
            Some(ChangeWord::AfterPeriod) => Change::AfterPeriod,
            _ => Change::Now,
        }
    }

    pub(crate) fn bias(&self) -> Bias {
        match self.pull {
            Some(PullWord::Up) => Bias::PullUp,
            Some(PullWord::Down) => Bias::PullDown,
            _ => Bias::AsItIs,
        }
    }

    pub(crate) fn leave(&self) -> Leave {
        match self.at_end {
            Some(EndWord::On) => Leave::Active,
            Some(EndWord::AsItWas) => Leave::AsItWas,
            _ => Leave::Inactive,
        }
    }

    /// The line of a button; `None` if it has none.
    pub(crate) fn button(&self, press: Press) -> Option<&LineName> {
        match press {
            Press::Halve => self.halve.as_ref(),
            Press::Reset => self.reset.as_ref(),
            Press::Double => self.double.as_ref(),
        }
    }
}

/// Deserialises a value that the settings file holds as text, in the form that the command line has.
fn from_text<'de, T: FromStr<Err: std::fmt::Display>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

fn timed_press(text: &str) -> Result<(Nanos, Press), String> {
    let (time, button) = text.split_once(':').ok_or("a time and a button, such as 1s:halve")?;
    let named = |press: &Press| press.name() == button;
    let press = Press::ALL.into_iter().find(named).ok_or("the buttons are halve, reset and double")?;
    Ok((Nanos::with_unit(time)?, press))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_setting_is_an_option_and_a_key() {
        Cli::command().debug_assert();
        let file = "led = 'sim:0'\nhalve = 'sim:1'\nreset = 'sim:2'\ndouble = 'sim:3'\nperiod = '2s'\nshortest = '5ms'\n\
                    longest = '1m'\nchange = 'after-period'\ndebounce = '1ms'\nfirst-event = 'counts'\n\
                    led-active-low = true\nbuttons-active-low = true\npull = 'up'\nat-end = 'as-it-was'\nbusy = true\n";
        let read: Settings = toml::from_str(file).unwrap();
        assert_eq!(
            (read.period, read.busy, read.leave()),
            (Some(Nanos(2_000_000_000)), true, Leave::AsItWas)
        );
        assert_eq!(
            Press::ALL.map(|press| read.button(press).unwrap().to_string()),
            ["sim:1", "sim:2", "sim:3"]
        );
        assert_eq!((read.change(), read.bias()), (Change::AfterPeriod, Bias::PullUp));
        // The file has a key for each option, and no other key.
        let keys = file.lines().map(|line| line.split_once(" = ").unwrap().0);
        let mut flags: Vec<String> = keys.map(|key| format!("--{key}")).collect();
        flags.retain(|flag| {
            !Cli::command().get_arguments().any(|it| it.get_long() == flag.strip_prefix("--"))
        });
        assert_eq!(flags, Vec::<String>::new());
    }

    #[test]
    fn options_come_before_the_file() {
        let file: Settings = toml::from_str("period = '2s'\nlongest = '1m'\nled = 'sim:0'").unwrap();
        let given = Settings { period: Some(Nanos(7)), ..Settings::default() };
        let both = given.over(file);
        assert_eq!((both.period, both.longest), (Some(Nanos(7)), Some(Nanos(60_000_000_000))));
        assert_eq!((both.change(), both.leave()), (Change::Now, Leave::Inactive));
    }

    #[test]
    fn times_of_presses() {
        assert_eq!(timed_press("1.5s:double"), Ok((Nanos(1_500_000_000), Press::Double)));
        for wrong in ["1s", "1s:", "1:halve", "halve:1s", "1s:treble"] {
            assert!(timed_press(wrong).is_err(), "{wrong}");
        }
    }
}
