//! Lines of GPIO chips, by the second version of the kernel's interface: `linux/gpio.h`, and
//! `Documentation/userspace-api/gpio/chardev.rst` of Linux.
#![expect(unsafe_code, reason = "ioctl(2) has no safe form in std")]

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::{Result, SysError};

/// Size of a name with its terminating zero, in bytes.
const NAME_BYTES: usize = 32;
const LINES_MAX: usize = 64;
const ATTRIBUTES_MAX: usize = 10;

/// Flags of a line: `enum gpio_v2_line_flag`.
pub mod flag {
    pub const USED: u64 = 1;
    /// The line is active at low level.
    pub const ACTIVE_LOW: u64 = 1 << 1;
    pub const INPUT: u64 = 1 << 2;
    pub const OUTPUT: u64 = 1 << 3;
    /// Edges from inactive to active are reported as events.
    pub const RISING: u64 = 1 << 4;
    /// Edges from active to inactive are reported as events.
    pub const FALLING: u64 = 1 << 5;
    pub const PULL_UP: u64 = 1 << 8;
    pub const PULL_DOWN: u64 = 1 << 9;
}

#[repr(C)]
#[derive(Clone, Copy)]
struct ChipInfo {
    name: [u8; NAME_BYTES],
    label: [u8; NAME_BYTES],
    lines: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct LineValues {
    bits: u64,
    mask: u64,
}

/// `struct gpio_v2_line_attribute`. The kernel's union is the 64-bit word `value`, of which the debounce period takes
/// the first half.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Attribute {
    id: u32,
    padding: u32,
    value: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct ConfigAttribute {
    attribute: Attribute,
    mask: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct LineConfig {
    flags: u64,
    attributes: u32,
    padding: [u32; 5],
    attribute: [ConfigAttribute; ATTRIBUTES_MAX],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct LineRequest {
    offsets: [u32; LINES_MAX],
    consumer: [u8; NAME_BYTES],
    config: LineConfig,
    lines: u32,
    event_buffer_size: u32,
    padding: [u32; 5],
    fd: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct LineInfo {
    name: [u8; NAME_BYTES],
    consumer: [u8; NAME_BYTES],
    offset: u32,
    attributes: u32,
    flags: u64,
    attribute: [Attribute; ATTRIBUTES_MAX],
    padding: [u32; 4],
}

/// `enum gpio_v2_line_attr_id`.
const ATTRIBUTE_VALUES: u32 = 2;
const ATTRIBUTE_DEBOUNCE: u32 = 3;

/// Type byte that all ioctl numbers of GPIO chips contain.
const FAMILY: u32 = 0xB4;
const GET_CHIP_INFO: libc::Ioctl = libc::_IOR::<ChipInfo>(FAMILY, 0x01);
const GET_LINE_INFO: libc::Ioctl = libc::_IOWR::<LineInfo>(FAMILY, 0x05);
const GET_LINE: libc::Ioctl = libc::_IOWR::<LineRequest>(FAMILY, 0x07);
const SET_CONFIG: libc::Ioctl = libc::_IOWR::<LineConfig>(FAMILY, 0x0D);
const GET_VALUES: libc::Ioctl = libc::_IOWR::<LineValues>(FAMILY, 0x0E);
const SET_VALUES: libc::Ioctl = libc::_IOWR::<LineValues>(FAMILY, 0x0F);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineFacts {
    /// Name of the line; empty if it has none.
    pub name: String,
    /// Label of the line's user; empty if the line is free or its user gave none.
    pub consumer: String,
    /// Flags of the line, see [`flag`].
    pub flags: u64,
}

/// # Errors
/// Fails where the file is not a GPIO chip.
pub fn line_count(chip: &File) -> Result<u32> {
    let mut info = ChipInfo { name: [0; NAME_BYTES], label: [0; NAME_BYTES], lines: 0 };
    call(chip.as_fd(), GET_CHIP_INFO, &mut info, "GPIO_GET_CHIPINFO_IOCTL")?;
    Ok(info.lines)
}

/// # Errors
/// Fails where the chip has no such line, or where the file is not a GPIO chip.
pub fn line_facts(chip: &File, offset: u32) -> Result<LineFacts> {
    let mut info = LineInfo {
        name: [0; NAME_BYTES],
        consumer: [0; NAME_BYTES],
        offset,
        attributes: 0,
        flags: 0,
        attribute: [Attribute::default(); ATTRIBUTES_MAX],
        padding: [0; 4],
    };
    call(chip.as_fd(), GET_LINE_INFO, &mut info, "GPIO_V2_GET_LINEINFO_IOCTL")?;
    Ok(LineFacts { name: text(&info.name), consumer: text(&info.consumer), flags: info.flags })
}

/// A line that this process has requested. Dropping the value releases the line, whose level is then undefined.
#[derive(Debug)]
pub struct Line(File);

/// Configuration of a requested line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineWish {
    /// Flags of the line, see [`flag`].
    pub flags: u64,
    /// Whether an output is active at first.
    pub is_active: bool,
    /// Debounce period in microseconds, for which a level must be stable; 0 for none.
    pub debounce_us: u32,
}

impl LineWish {
    fn config(self) -> LineConfig {
        let mut config = LineConfig { flags: self.flags, ..LineConfig::default() };
        let mut add = |id, value| {
            let attribute = Attribute { id, padding: 0, value };
            config.attribute[config.attributes as usize] = ConfigAttribute { attribute, mask: 1 };
            config.attributes += 1;
        };
        if self.flags & flag::OUTPUT != 0 {
            add(ATTRIBUTE_VALUES, u64::from(self.is_active));
        }
        if self.debounce_us > 0 {
            // The period is the first half of the union in memory, whatever the byte order.
            let [a, b, c, d] = self.debounce_us.to_ne_bytes();
            add(ATTRIBUTE_DEBOUNCE, u64::from_ne_bytes([a, b, c, d, 0, 0, 0, 0]));
        }
        config
    }
}

impl Line {
    /// Requests a line of a chip, with a label that other users of the chip see.
    ///
    /// # Errors
    /// Fails where the line does not exist (`EINVAL`), is in use (`EBUSY`), or does not support the configuration.
    pub fn request(chip: &File, offset: u32, consumer: &str, wish: LineWish) -> Result<Self> {
        let mut request = LineRequest {
            offsets: [0; LINES_MAX],
            consumer: name(consumer),
            config: wish.config(),
            lines: 1,
            event_buffer_size: 0,
            padding: [0; 5],
            fd: -1,
        };
        request.offsets[0] = offset;
        call(chip.as_fd(), GET_LINE, &mut request, "GPIO_V2_GET_LINE_IOCTL")?;
        // SAFETY: the kernel has just made this descriptor for us, and it belongs to nobody else.
        let fd = unsafe { OwnedFd::from_raw_fd(request.fd) };
        nonblocking(fd.as_fd())?;
        Ok(Line(fd.into()))
    }

    /// # Errors
    /// Fails where the line does not support the configuration, or is gone.
    pub fn set_wish(&self, wish: LineWish) -> Result<()> {
        call(self.0.as_fd(), SET_CONFIG, &mut wish.config(), "GPIO_V2_LINE_SET_CONFIG_IOCTL")
    }

    /// # Errors
    /// Fails where the line is an input, or is gone (`ENODEV`).
    pub fn set(&self, is_active: bool) -> Result<()> {
        let mut values = LineValues { bits: u64::from(is_active), mask: 1 };
        call(self.0.as_fd(), SET_VALUES, &mut values, "GPIO_V2_LINE_SET_VALUES_IOCTL")
    }

    /// Returns whether the line is active.
    ///
    /// # Errors
    /// Fails where the line is gone.
    pub fn get(&self) -> Result<bool> {
        let mut values = LineValues { bits: 0, mask: 1 };
        call(self.0.as_fd(), GET_VALUES, &mut values, "GPIO_V2_LINE_GET_VALUES_IOCTL")?;
        Ok(values.bits & 1 == 1)
    }
}

/// Reads events of the line, to be decoded by [`EdgeEvent::read`].
impl Read for Line {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// An edge as reported by the kernel: `struct gpio_v2_line_event`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeEvent {
    /// Time of `CLOCK_MONOTONIC` when the kernel saw the edge.
    pub at_ns: u64,
    /// Whether the line became active.
    pub is_rising: bool,
    /// Offset of the line in its chip.
    pub offset: u32,
    /// Sequence number among the events of this line, from 1. A gap means lost events.
    pub number: u32,
}

pub const EVENT_BYTES: usize = 48;

const RISING_EDGE: u32 = 1;
const FALLING_EDGE: u32 = 2;

impl EdgeEvent {
    /// Decodes an event; `None` if it is no edge.
    pub fn read(bytes: &[u8; EVENT_BYTES]) -> Option<Self> {
        let id = word(bytes, 8);
        let is_edge = [RISING_EDGE, FALLING_EDGE].contains(&id);
        is_edge.then(|| EdgeEvent {
            at_ns: u64::from_ne_bytes(std::array::from_fn(|at| bytes[at])),
            is_rising: id == RISING_EDGE,
            offset: word(bytes, 12),
            number: word(bytes, 20),
        })
    }

    /// Encodes the event, for tests that stand in for the kernel.
    pub fn write(self) -> [u8; EVENT_BYTES] {
        let mut bytes = [0; EVENT_BYTES];
        bytes[..8].copy_from_slice(&self.at_ns.to_ne_bytes());
        let id = if self.is_rising { RISING_EDGE } else { FALLING_EDGE };
        for (at, word) in [(8, id), (12, self.offset), (16, self.number), (20, self.number)] {
            bytes[at..at + 4].copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }
}

fn word(bytes: &[u8; EVENT_BYTES], at: usize) -> u32 {
    u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Converts a text to a name with its terminating zero, truncated if it is too long.
fn name(words: &str) -> [u8; NAME_BYTES] {
    let mut name = [0; NAME_BYTES];
    let room = name.iter_mut().take(NAME_BYTES - 1);
    room.zip(words.bytes()).for_each(|(place, byte)| *place = byte);
    name
}

fn text(name: &[u8; NAME_BYTES]) -> String {
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(NAME_BYTES);
    String::from_utf8_lossy(&name[..end]).into_owned()
}

fn call<T>(fd: BorrowedFd<'_>, number: libc::Ioctl, argument: &mut T, name: &str) -> Result<()> {
    // SAFETY: each number of this file carries the size of the structure that it is called with, which is laid out as
    // the kernel's, valid for the call, and of integers, so that whatever the kernel writes there is a value.
    match unsafe { libc::ioctl(fd.as_raw_fd(), number, std::ptr::from_mut(argument)) } {
        -1 => Err(SysError::last(name)),
        _ => Ok(()),
    }
}

fn nonblocking(fd: BorrowedFd<'_>) -> Result<()> {
    // SAFETY: no pointer is passed, and the descriptor is open.
    let flags = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) };
    // SAFETY: as above.
    match unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK) } {
        -1 => Err(SysError::last("fcntl")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn structures_lie_as_the_kernel_has_them() {
        assert_eq!(size_of::<ChipInfo>(), 68);
        assert_eq!(size_of::<LineValues>(), 16);
        assert_eq!((size_of::<Attribute>(), size_of::<ConfigAttribute>()), (16, 24));
        assert_eq!(
            (size_of::<LineConfig>(), size_of::<LineRequest>(), size_of::<LineInfo>()),
            (272, 592, 256)
        );
        assert_eq!((offset_of!(LineConfig, attributes), offset_of!(LineConfig, attribute)), (8, 32));
        assert_eq!((offset_of!(LineRequest, consumer), offset_of!(LineRequest, config)), (256, 288));
        assert_eq!((offset_of!(LineRequest, lines), offset_of!(LineRequest, fd)), (560, 588));
        assert_eq!((offset_of!(LineInfo, offset), offset_of!(LineInfo, flags)), (64, 72));
        // An ioctl number contains size and direction of its argument, at positions that depend on the architecture; on
        // these two architectures the numbers are equal.
        if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
            let numbers = [GET_CHIP_INFO, GET_LINE_INFO, GET_LINE, SET_CONFIG, GET_VALUES, SET_VALUES];
            let known = [0x8044_b401, 0xc100_b405, 0xc250_b407, 0xc110_b40d, 0xc010_b40e, 0xc010_b40f];
            assert_eq!(numbers.map(|number| number as u32), known);
        }
    }

    /// Sizes, offsets and numbers are compared with those of `linux/gpio.h`, if the header and a compiler are
    /// installed.
    #[test]
    #[expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "nothing is measured by a test")]
    fn the_header_agrees() {
        use std::process::Command;
        let folder = std::env::temp_dir().join(format!("fauxplat-gpio-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let (source, program) = (folder.join("sizes.c"), folder.join("sizes"));
        std::fs::write(&source, SIZES).unwrap();
        let built = Command::new("cc").arg(&source).arg("-o").arg(&program).output();
        let said = match built {
            Ok(done) if done.status.success() => Command::new(&program).output().unwrap().stdout,
            _ => {
                eprintln!("skipped: no compiler, or no linux/gpio.h of Linux 5.10 or later");
                return std::fs::remove_dir_all(folder).unwrap();
            }
        };
        std::fs::remove_dir_all(folder).unwrap();
        let ours = [
            size_of::<LineRequest>() as u64,
            offset_of!(LineRequest, config) as u64,
            offset_of!(LineRequest, fd) as u64,
            size_of::<LineInfo>() as u64,
            offset_of!(LineInfo, flags) as u64,
            size_of::<LineConfig>() as u64,
            size_of::<ConfigAttribute>() as u64,
            EVENT_BYTES as u64,
            8,
            20,
            u64::from(GET_CHIP_INFO as u32),
            u64::from(GET_LINE_INFO as u32),
            u64::from(GET_LINE as u32),
            u64::from(SET_CONFIG as u32),
            u64::from(GET_VALUES as u32),
            u64::from(SET_VALUES as u32),
            flag::RISING,
            flag::PULL_DOWN,
            ATTRIBUTE_DEBOUNCE.into(),
        ];
        let text = String::from_utf8(said).unwrap();
        let theirs: Vec<u64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
        assert_eq!(theirs, ours);
    }

    const SIZES: &str = r#"
#include <linux/gpio.h>
#include <stddef.h>
#include <stdio.h>
#define SAY(what) printf("%llu\n", (unsigned long long)(what))
int main(void) {
    SAY(sizeof(struct gpio_v2_line_request));
    SAY(offsetof(struct gpio_v2_line_request, config));
    SAY(offsetof(struct gpio_v2_line_request, fd));
    SAY(sizeof(struct gpio_v2_line_info));
    SAY(offsetof(struct gpio_v2_line_info, flags));
    SAY(sizeof(struct gpio_v2_line_config));
    SAY(sizeof(struct gpio_v2_line_config_attribute));
    SAY(sizeof(struct gpio_v2_line_event));
    SAY(offsetof(struct gpio_v2_line_event, id));
    SAY(offsetof(struct gpio_v2_line_event, line_seqno));
    SAY(GPIO_GET_CHIPINFO_IOCTL);
    SAY(GPIO_V2_GET_LINEINFO_IOCTL);
    SAY(GPIO_V2_GET_LINE_IOCTL);
    SAY(GPIO_V2_LINE_SET_CONFIG_IOCTL);
    SAY(GPIO_V2_LINE_GET_VALUES_IOCTL);
    SAY(GPIO_V2_LINE_SET_VALUES_IOCTL);
    SAY(GPIO_V2_LINE_FLAG_EDGE_RISING);
    SAY(GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN);
    SAY(GPIO_V2_LINE_ATTR_ID_DEBOUNCE);
    return 0;
}
"#;

    #[test]
    fn an_event_comes_back_as_it_was() {
        for is_rising in [true, false] {
            let event = EdgeEvent { at_ns: u64::MAX - 5, is_rising, offset: 3, number: u32::MAX };
            assert_eq!(EdgeEvent::read(&event.write()), Some(event));
        }
        assert_eq!(EdgeEvent::read(&[0; EVENT_BYTES]), None);
        assert_eq!(EdgeEvent::read(&[0xff; EVENT_BYTES]), None);
    }

    #[test]
    fn a_wish_has_one_attribute_for_each_thing_that_it_says() {
        let wish = LineWish { flags: flag::OUTPUT, is_active: true, debounce_us: 0 };
        let config = wish.config();
        assert_eq!((config.attributes, config.attribute[0].attribute.value), (1, 1));
        let wish = LineWish { flags: flag::INPUT, is_active: true, debounce_us: 10_000 };
        let config = wish.config();
        let period = config.attribute[0].attribute.value.to_ne_bytes();
        assert_eq!((config.attributes, config.attribute[0].attribute.id), (1, ATTRIBUTE_DEBOUNCE));
        assert_eq!(u32::from_ne_bytes([period[0], period[1], period[2], period[3]]), 10_000);
        assert_eq!(LineWish::default().config().attributes, 0);
    }

    #[test]
    fn what_is_no_chip_says_so() {
        let file = File::open("/dev/null").unwrap();
        assert!(line_count(&file).unwrap_err().to_string().contains("GPIO_GET_CHIPINFO_IOCTL"));
        assert!(line_facts(&file, 0).is_err());
        assert!(Line::request(&file, 0, "nobody", LineWish::default()).is_err());
        assert_eq!(text(&name(&"n".repeat(99))).len(), NAME_BYTES - 1);
    }
}
