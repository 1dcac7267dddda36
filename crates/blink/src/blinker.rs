//! The loop of a blinking light, which waits for the light's next edge, buttons and signals together, or polls them.

use std::ops::ControlFlow;
use std::os::fd::AsFd;

use fauxplat_gpio::{Input, Leave, LineEvent, Output};
use fauxplat_sys::clock;
use fauxplat_sys::poll::{Interest, Poller, Ready, SignalFile, TimerFile};

use crate::{BlinkError, Controller, Press, Said, Why};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Sleeps until an event.
    Event,
    /// Polls the clock and the buttons without sleeping.
    Busy,
}

/// How a loop waits and when it ends.
#[derive(Debug)]
pub struct How<'a> {
    pub style: Style,
    /// Time at which the loop ends by itself, by the monotonic clock; `None` for no limit.
    pub until_ns: Option<u64>,
    /// Signals that end the loop; `None` for none.
    pub signals: Option<&'a SignalFile>,
    /// Returns whether the loop has to end; called before every wait.
    pub stop: fn() -> bool,
}

/// An event of the loop. Times are nanoseconds of the monotonic clock.
#[derive(Clone, Copy, Debug)]
pub enum Happening<'a> {
    /// The light went on or off.
    Edge {
        due_ns: u64,
        /// Time at which the line was set.
        at_ns: u64,
        is_on: bool,
        /// Number of edges that were left out because the loop was late.
        missed: u64,
    },
    Press {
        press: Press,
        /// Time of the button's event.
        at_ns: u64,
        /// Period before the press.
        from_ns: u64,
        /// Period after the press; the rules decide whether it holds at once or from the next period on.
        to_ns: u64,
    },
    NoPress {
        press: Press,
        /// Time of the button's event.
        at_ns: u64,
        why: Why,
    },
    /// Events of a button's line were lost because their buffer was full.
    Lost {
        line: &'a str,
        /// Total number of lost events of the line.
        events: u64,
    },
}

/// Why a loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A signal arrived; its number.
    Signal(i32),
    TimeIsUp,
    /// `How::stop` returned true, or the listener ended the loop.
    Asked,
}

#[derive(Debug)]
pub struct Button {
    pub press: Press,
    pub line: Box<dyn Input>,
}

/// A light that blinks, with its buttons. However the loop ends, even by an error or a panic, the light is left in the
/// state that [`Blinker::new`] was given.
#[derive(Debug)]
pub struct Blinker {
    light: Box<dyn Output>,
    buttons: Vec<Button>,
    controller: Controller,
    leave: Option<Leave>,
}

const TIMER: u64 = 0;
const SIGNALS: u64 = 1;
const FIRST_BUTTON: u64 = 2;

impl Blinker {
    pub fn new(light: Box<dyn Output>, buttons: Vec<Button>, controller: Controller, leave: Leave) -> Self {
        Blinker { light, buttons, controller, leave: Some(leave) }
    }

    /// Blinks until the end, and reports events to the listener, which may end the loop.
    ///
    /// # Errors
    /// Fails if a line vanishes or is taken by another program, or if waiting fails.
    pub fn run(
        &mut self,
        how: &How<'_>,
        tell: &mut dyn FnMut(Happening<'_>) -> ControlFlow<()>,
    ) -> Result<Ending, BlinkError> {
        let (poller, timer) = (Poller::new()?, TimerFile::new()?);
        if how.style == Style::Event {
            poller.add(timer.as_fd(), TIMER, Interest::Readable)?;
        }
        if let Some(signals) = how.signals {
            poller.add(signals.as_fd(), SIGNALS, Interest::Readable)?;
        }
        for (token, button) in (FIRST_BUTTON..).zip(&self.buttons) {
            poller.add(button.line.fd(), token, button.line.interest())?;
        }
        let (mut ready, mut events) = (Vec::new(), Vec::new());
        loop {
            if let Some(ending) = self.look(how, tell)? {
                return Ok(ending);
            }
            let limit_ms = match how.style {
                Style::Event => {
                    // Setting the timer clears an earlier expiry, so the expiry need not be read from the timer's file
                    // descriptor.
                    timer.set_ns(self.controller.due_ns().min(how.until_ns.unwrap_or(u64::MAX)))?;
                    None
                }
                Style::Busy => Some(0),
            };
            poller.wait(&mut ready, limit_ms)?;
            for one in &ready {
                if let Some(ending) = self.serve(one, how, &mut events, tell)? {
                    return Ok(ending);
                }
            }
        }
    }

    /// Reads the clock, and switches the light if an edge is due.
    fn look(
        &mut self,
        how: &How<'_>,
        tell: &mut dyn FnMut(Happening<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Ending>, BlinkError> {
        let now_ns = clock::monotonic_ns();
        if (how.stop)() {
            return Ok(Some(Ending::Asked));
        }
        if how.until_ns.is_some_and(|until_ns| now_ns >= until_ns) {
            return Ok(Some(Ending::TimeIsUp));
        }
        let Some(edge) = self.controller.edge(now_ns) else { return Ok(None) };
        let at_ns = self.light.set(edge.is_on)?;
        let told =
            tell(Happening::Edge { due_ns: edge.due_ns, at_ns, is_on: edge.is_on, missed: edge.missed });
        Ok(told.is_break().then_some(Ending::Asked))
    }

    fn serve(
        &mut self,
        ready: &Ready,
        how: &How<'_>,
        events: &mut Vec<LineEvent>,
        tell: &mut dyn FnMut(Happening<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Ending>, BlinkError> {
        match ready.token {
            TIMER => Ok(None),
            SIGNALS => {
                let signal = how.signals.map(SignalFile::take).transpose()?.flatten();
                Ok(signal.map(Ending::Signal))
            }
            token => {
                let Some(button) = self.buttons.get_mut((token - FIRST_BUTTON) as usize) else {
                    return Ok(None);
                };
                let lost_before = button.line.lost();
                button.line.take(events)?;
                if ready.is_over && events.is_empty() {
                    let (line, why) = (button.line.name().to_owned(), "its other end was closed".to_owned());
                    return Err(fauxplat_gpio::GpioError::Gone { line, why }.into());
                }
                let lost = button.line.lost();
                if lost > lost_before
                    && tell(Happening::Lost { line: button.line.name(), events: lost }).is_break()
                {
                    return Ok(Some(Ending::Asked));
                }
                Ok(self.heard(token, events, tell))
            }
        }
    }

    fn heard(
        &mut self,
        token: u64,
        events: &mut Vec<LineEvent>,
        tell: &mut dyn FnMut(Happening<'_>) -> ControlFlow<()>,
    ) -> Option<Ending> {
        let press = self.buttons[(token - FIRST_BUTTON) as usize].press;
        for event in events.drain(..) {
            let at_ns = event.at_ns;
            let happened = match self.controller.event(press, &event) {
                Said::Pressed { from_ns, to_ns } => Happening::Press { press, at_ns, from_ns, to_ns },
                Said::NoPress(why) => Happening::NoPress { press, at_ns, why },
            };
            if tell(happened).is_break() {
                return Some(Ending::Asked);
            }
        }
        None
    }

    /// The period in nanoseconds, including presses that take effect with the next period.
    pub fn period_ns(&self) -> u64 {
        self.controller.period_ns()
    }

    /// Ends the blinking, with the light in the state that [`Blinker::new`] was given.
    ///
    /// # Errors
    /// Fails if the light has vanished or cannot be driven.
    pub fn end(mut self) -> Result<(), BlinkError> {
        let leave = self.leave.take();
        leave.map_or(Ok(()), |leave| self.light.leave(leave).map_err(BlinkError::from))
    }
}

impl Drop for Blinker {
    fn drop(&mut self) {
        if let Some(leave) = self.leave.take() {
            // The light is dropped without [`Blinker::end`] only after an error or a panic, which is reported already.
            let _ = self.light.leave(leave);
        }
    }
}
