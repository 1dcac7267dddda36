//! Timer interrupts with their signals, and packets that the process sends to itself, whose reception is a softirq.

use std::io;
use std::net::UdpSocket;

use fauxplat_sys::{clock, timer};

use super::{Labour, plain};

/// Longest wait for a timer's signal, which may be blocked.
const LATE_NS: u64 = 1_000_000;

pub(super) struct Timers {
    /// Socket that sends to itself; `None` where the loopback device is down.
    socket: Option<UdpSocket>,
}

impl Timers {
    pub(super) fn new() -> Self {
        Timers { socket: loopback().ok() }
    }
}

fn loopback() -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    socket.connect(socket.local_addr()?)?;
    socket.set_nonblocking(true)?;
    socket.send(&[0])?;
    Ok(socket)
}

impl Labour for Timers {
    /// Waits for each timer before the next is set. A periodic timer would overwhelm the program where an interrupt
    /// takes longer than the period, as on many virtual machines.
    fn lap(&mut self, units: u64) -> io::Result<()> {
        let mut packet = [0];
        for _ in 0..units {
            let before = timer::storm_signals();
            timer::storm_once().map_err(plain)?;
            if let Some(socket) = &self.socket {
                // A lost packet is work all the same, and a signal may interrupt either call.
                let _lost = socket.send(&packet);
                let _empty = socket.recv(&mut packet);
            }
            let late_ns = clock::monotonic_ns() + LATE_NS;
            while timer::storm_signals() == before && clock::monotonic_ns() < late_ns {
                std::hint::spin_loop();
            }
        }
        Ok(())
    }

    /// Counts for each unit the timer interrupt and, with a socket, the softirq of a packet.
    fn operations(&self, units: u64) -> u64 {
        units * if self.socket.is_some() { 2 } else { 1 }
    }
}
