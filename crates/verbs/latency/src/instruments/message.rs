//! Latency of messages between two CPUs, there and back, through different channels.

use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::{fmt, str::FromStr};

use fauxplat_sys::wake::{EventCounter, futex_wait, futex_wake};
use fauxplat_sys::{clock, signal};
use fauxplat_threads::{ThreadPlacement, Turn};

use super::recording::Recording;
use super::stage::run_both;
use crate::LatencyError;

/// The mechanism by which a message goes from one thread to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// A word on a separate cache line that the receiver polls.
    Line,
    /// A word on which the receiver sleeps.
    Futex,
    /// A byte through a pipe.
    Pipe,
    /// An event counter (eventfd).
    Eventfd,
    /// A byte through a pair of Unix stream sockets.
    Socketpair,
}

impl Channel {
    pub const ALL: [Channel; 5] =
        [Channel::Line, Channel::Futex, Channel::Pipe, Channel::Eventfd, Channel::Socketpair];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Channel::Line => "line",
            Channel::Futex => "futex",
            Channel::Pipe => "pipe",
            Channel::Eventfd => "eventfd",
            Channel::Socketpair => "socketpair",
        }
    }

    /// Whether the receiver spins while it waits, so that two threads on one CPU would only block each other.
    pub fn spins(self) -> bool {
        self == Channel::Line
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Channel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Channel::ALL.into_iter().find(|channel| channel.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Channel::ALL.iter().map(|channel| channel.name()).collect();
            format!("there is no channel `{text}`; there are {}", names.join(", "))
        })
    }
}

/// A direction of a channel, with its sender and its receiver.
trait Way: Sync {
    /// Wakes the receiver; the sender has stored the time stamp of the message before.
    fn send(&self);
    /// Waits for the next message; the last message announces the end of the test.
    fn receive(&self);
}

/// A value at least 128 bytes from its neighbours, since processors may prefetch adjacent cache lines together.
#[repr(align(128))]
#[derive(Default)]
struct Apart<T>(T);

/// For each direction, the time at which the latest message was sent. `over` is set before the last message.
#[derive(Default)]
struct Stamps {
    there: Apart<AtomicU64>,
    back: Apart<AtomicU64>,
    over: AtomicBool,
}

#[derive(Default)]
struct Line {
    rung: Turn,
    heard: Apart<AtomicU32>,
}

impl Way for Line {
    fn send(&self) {
        self.rung.ring();
    }

    fn receive(&self) {
        let heard = self.heard.0.load(Ordering::Relaxed);
        self.rung.wait_past(heard);
        self.heard.0.store(heard.wrapping_add(1), Ordering::Relaxed);
    }
}

#[derive(Default)]
struct Futex(Line);

impl Way for Futex {
    fn send(&self) {
        self.0.send();
        futex_wake(self.0.rung.word());
    }

    fn receive(&self) {
        let heard = self.0.heard.0.load(Ordering::Relaxed);
        while self.0.rung.word().load(Ordering::Acquire) == heard {
            futex_wait(self.0.rung.word(), heard);
        }
        self.0.heard.0.store(heard.wrapping_add(1), Ordering::Relaxed);
    }
}

struct Pipe(PipeReader, PipeWriter);

impl Way for Pipe {
    fn send(&self) {
        // A write of one byte to a pipe with a reader does not fail.
        let _ = (&self.1).write_all(&[1]);
    }

    fn receive(&self) {
        let _ = (&self.0).read_exact(&mut [0]);
    }
}

struct Socket(UnixStream, UnixStream);

impl Way for Socket {
    fn send(&self) {
        let _ = (&self.1).write_all(&[1]);
    }

    fn receive(&self) {
        let _ = (&self.0).read_exact(&mut [0]);
    }
}

impl Way for EventCounter {
    fn send(&self) {
        self.add();
    }

    fn receive(&self) {
        while !self.take() {}
    }
}

fn ways(channel: Channel) -> Result<[Box<dyn Way>; 2], LatencyError> {
    let one = || -> Result<Box<dyn Way>, std::io::Error> {
        Ok(match channel {
            Channel::Line => Box::new(Line::default()),
            Channel::Futex => Box::new(Futex::default()),
            Channel::Pipe => {
                let (reader, writer) = std::io::pipe()?;
                Box::new(Pipe(reader, writer))
            }
            Channel::Eventfd => Box::new(EventCounter::new().map_err(|error| error.source)?),
            Channel::Socketpair => {
                let (reader, writer) = UnixStream::pair()?;
                Box::new(Socket(reader, writer))
            }
        })
    };
    let made = |source| LatencyError::Make { what: "a channel", source };
    Ok([one().map_err(made)?, one().map_err(made)?])
}

/// Sends `messages` messages from the first place to the second and back. Three latencies are recorded: one way there,
/// one way back, and the round trip. Each way includes one reading of the clock.
///
/// # Errors
/// Fails where a thread cannot be created or placed, or the channel cannot be created.
pub fn message(
    places: [&ThreadPlacement; 2],
    channel: Channel,
    messages: u64,
) -> Result<[Recording; 3], LatencyError> {
    let [there, back] = ways(channel)?;
    let stamps = Stamps::default();
    let ([back, round], there) = run_both(
        places,
        || Ok(lead(there.as_ref(), back.as_ref(), &stamps, messages)),
        || Ok(echo(there.as_ref(), back.as_ref(), &stamps)),
    )?;
    Ok([there, back, round])
}

fn lead(there: &dyn Way, back: &dyn Way, stamps: &Stamps, messages: u64) -> [Recording; 2] {
    let (mut returning, mut round) = (Recording::default(), Recording::default());
    let begun_ns = clock::monotonic_ns();
    for _ in 0..messages {
        if signal::stop_requested() {
            break;
        }
        let sent_ns = clock::monotonic_ns();
        stamps.there.0.store(sent_ns, Ordering::Relaxed);
        there.send();
        back.receive();
        let now_ns = clock::monotonic_ns();
        returning.record(now_ns.saturating_sub(stamps.back.0.load(Ordering::Relaxed)));
        round.record(now_ns - sent_ns);
    }
    stamps.over.store(true, Ordering::Release);
    there.send();
    round.wall_ns = clock::monotonic_ns() - begun_ns;
    returning.wall_ns = round.wall_ns;
    [returning, round]
}

fn echo(there: &dyn Way, back: &dyn Way, stamps: &Stamps) -> Recording {
    let mut going = Recording::default();
    let begun_ns = clock::monotonic_ns();
    loop {
        there.receive();
        let now_ns = clock::monotonic_ns();
        if stamps.over.load(Ordering::Acquire) {
            going.wall_ns = now_ns - begun_ns;
            return going;
        }
        going.record(now_ns.saturating_sub(stamps.there.0.load(Ordering::Relaxed)));
        stamps.back.0.store(clock::monotonic_ns(), Ordering::Relaxed);
        back.send();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::Policy;
    use fauxplat_sys::sched;
    use fauxplat_units::Cpu;

    #[test]
    fn every_message_arrives_by_every_channel() {
        let cpus: Vec<Cpu> = sched::affinity(0).unwrap().iter().collect();
        let place = |cpu| ThreadPlacement { cpu, policy: Policy::Other, slack_ns: None };
        let (a, b) = (place(cpus[0]), place(cpus[cpus.len() - 1]));
        for channel in Channel::ALL {
            if a == b && channel.spins() {
                continue;
            }
            let [there, back, round] = message([&a, &b], channel, 200).unwrap();
            assert_eq!([there.count(), back.count(), round.count()], [200; 3], "{channel}");
            assert!(round.raw().p50_ns >= there.raw().min_ns);
            assert_eq!(channel.to_string().parse::<Channel>().unwrap(), channel);
        }
        let nowhere = place(Cpu(99_999));
        assert!(message([&a, &nowhere], Channel::Line, 10).is_err());
        assert!("telegraph".parse::<Channel>().unwrap_err().contains("socketpair"));
    }
}
