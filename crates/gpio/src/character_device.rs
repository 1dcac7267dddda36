//! Lines of GPIO character devices.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use fauxplat_sys::clock;
use fauxplat_sys::gpio::{Line, LineWish, flag, line_count, line_facts};

use crate::events::Edges;
use crate::{Bias, Chip, GpioError, Input, InputWish, Leave, LineEvent, Output, OutputWish, Result};

/// A chip that is a file such as `/dev/gpiochip0`.
#[derive(Debug)]
pub struct CharacterDevice {
    path: PathBuf,
    /// Name given by the user, for messages.
    name: String,
}

impl CharacterDevice {
    pub fn new(path: &Path, name: &str) -> Self {
        CharacterDevice { path: path.to_owned(), name: name.to_owned() }
    }

    /// Opens the chip and finds a line by its number or its name.
    fn find(&self, line: &str) -> Result<(File, u32, String)> {
        let whole = format!("{}:{line}", self.name);
        let open = File::options().read(true).write(true).open(&self.path);
        let chip =
            open.map_err(|error| GpioError::opening(&whole, self.path.display().to_string(), error))?;
        let lines =
            line_count(&chip).map_err(|error| GpioError::opening(&whole, error.call, error.source))?;
        let is_named = |offset: &u32| {
            line_facts(&chip, *offset).is_ok_and(|facts| facts.name == line && !line.is_empty())
        };
        let offset = match line.parse::<u32>() {
            Ok(offset) => Some(offset).filter(|offset| *offset < lines),
            Err(_) => (0..lines).find(is_named),
        };
        let why = || format!("the chip has {lines} lines, and none has this number or name");
        let offset = offset.ok_or_else(|| GpioError::Missing { line: whole.clone(), why: why() })?;
        Ok((chip, offset, whole))
    }

    /// Requests a line; if it is in use, the error names the user.
    fn request(chip: &File, offset: u32, whole: &str, consumer: &str, wish: LineWish) -> Result<Line> {
        Line::request(chip, offset, consumer, wish).map_err(|error| {
            match GpioError::opening(whole, error.call, error.source) {
                GpioError::Taken { line, .. } => {
                    let by = line_facts(chip, offset).map(|facts| facts.consumer).unwrap_or_default();
                    GpioError::Taken { line, by }
                }
                other => other,
            }
        })
    }
}

fn active_low(is_active_low: bool) -> u64 {
    if is_active_low { flag::ACTIVE_LOW } else { 0 }
}

impl Chip for CharacterDevice {
    fn input(&self, line: &str, wish: &InputWish) -> Result<Box<dyn Input>> {
        let (chip, offset, name) = self.find(line)?;
        let bias = match wish.bias {
            Bias::AsItIs => 0,
            Bias::PullUp => flag::PULL_UP,
            Bias::PullDown => flag::PULL_DOWN,
        };
        let flags = flag::INPUT | flag::RISING | flag::FALLING | active_low(wish.is_active_low) | bias;
        let with = |debounce_us| {
            let wish_ = LineWish { flags, is_active: false, debounce_us };
            CharacterDevice::request(&chip, offset, &name, &wish.consumer, wish_)
        };
        // A kernel that cannot debounce is no reason to fail, since the crate `blink` debounces too.
        let line = match with(wish.debounce_us) {
            Err(GpioError::Open { .. }) if wish.debounce_us > 0 => with(0)?,
            line => line?,
        };
        Ok(Box::new(DeviceInput { line, edges: Edges::default(), name }))
    }

    fn output(&self, line: &str, wish: &OutputWish) -> Result<Box<dyn Output>> {
        let (chip, offset, name) = self.find(line)?;
        let facts = line_facts(&chip, offset).map_err(|error| GpioError::of_call(&name, error))?;
        let low = active_low(wish.is_active_low);
        // The line is first requested without a change, so that its original state can be read.
        let as_is = LineWish { flags: low, ..LineWish::default() };
        let line = CharacterDevice::request(&chip, offset, &name, &wish.consumer, as_is)?;
        let was = match facts.flags & flag::OUTPUT != 0 {
            true => {
                LineWish { flags: flag::OUTPUT | low, is_active: line.get().unwrap_or(false), debounce_us: 0 }
            }
            false => LineWish { flags: flag::INPUT | low, ..LineWish::default() },
        };
        let driven = LineWish { flags: flag::OUTPUT | low, is_active: wish.is_active, debounce_us: 0 };
        line.set_wish(driven).map_err(|error| GpioError::opening(&name, error.call, error.source))?;
        Ok(Box::new(DeviceOutput { line, was, name }))
    }
}

#[derive(Debug)]
struct DeviceInput {
    line: Line,
    edges: Edges,
    name: String,
}

impl Input for DeviceInput {
    fn fd(&self) -> BorrowedFd<'_> {
        self.line.as_fd()
    }

    fn take(&mut self, into: &mut Vec<LineEvent>) -> Result<()> {
        self.edges.take(&self.name, &mut self.line, into)
    }

    fn lost(&self) -> u64 {
        self.edges.lost
    }

    fn name(&self) -> &str {
        &self.name
    }
}

#[derive(Debug)]
struct DeviceOutput {
    line: Line,
    was: LineWish,
    name: String,
}

impl Output for DeviceOutput {
    fn set(&mut self, is_active: bool) -> Result<u64> {
        self.line.set(is_active).map_err(|error| GpioError::of_call(&self.name, error))?;
        Ok(clock::monotonic_ns())
    }

    fn leave(&mut self, way: Leave) -> Result<()> {
        match way {
            Leave::Inactive => self.set(false).map(drop),
            Leave::Active => self.set(true).map(drop),
            Leave::AsItWas => {
                self.line.set_wish(self.was).map_err(|error| GpioError::of_call(&self.name, error))
            }
        }
    }

    fn name(&self) -> &str {
        &self.name
    }
}
