//! Exit records of all tasks, from the kernel's `taskstats` interface (`Documentation/accounting/taskstats.rst`).
//!
//! A record arrives for each thread that ends anywhere on the machine; the caller selects those of its tree. No other
//! source has the run-queue wait of processes that have ended. Needs `CAP_NET_ADMIN`, and `CONFIG_TASKSTATS` in the
//! kernel.
#![expect(unsafe_code, reason = "netlink sockets are reached through C calls")]

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::{Result, SysError, check};

/// Accounting of one task (thread) at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitRecord {
    pub tid: i32,
    pub pid: i32,
    /// Process id of the parent when the task ended.
    pub parent: i32,
    /// CPU time up to the last tick: the record is written before the kernel charges the time since that tick.
    pub cpu_ns: u64,
    /// Time spent runnable but waiting for a CPU.
    pub run_delay_ns: u64,
    /// Largest resident set of the process's last program image.
    pub peak_memory_bytes: u64,
}

/// A netlink socket on which exit records arrive.
#[derive(Debug)]
pub struct Listener {
    socket: OwnedFd,
    buffer: Vec<u8>,
}

// Constants of `<linux/genetlink.h>` and `<linux/taskstats.h>`.
const GENL_ID_CTRL: u16 = 16;
const CTRL_CMD_GETFAMILY: u8 = 3;
const CTRL_ATTR_FAMILY_ID: u16 = 1;
const CTRL_ATTR_FAMILY_NAME: u16 = 2;
const TASKSTATS_CMD_GET: u8 = 1;
const TASKSTATS_CMD_ATTR_REGISTER_CPUMASK: u16 = 3;
const TASKSTATS_TYPE_STATS: u16 = 3;
const TASKSTATS_TYPE_AGGR_PID: u16 = 4;
/// Size in bytes of the netlink header and the generic netlink header.
const HEADERS: usize = 16 + 4;
/// Size of the receive buffer, for bursts: a run of many processes must not lose records while the reader waits for the
/// run's first process. The buffer has room for about thirty thousand records.
pub const ROOM_BYTES: i32 = 32 << 20;

impl Listener {
    /// Opens a listener for the tasks that end on these CPUs (a list such as `0-3`), with a receive buffer of
    /// `room_bytes`.
    pub fn open(cpus: &str, room_bytes: i32) -> Result<Self> {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
        // SAFETY: no pointer is passed.
        let fd = check(
            unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_GENERIC) },
            "socket(AF_NETLINK)",
        )?;
        // SAFETY: the descriptor was just created and belongs to nobody else.
        let socket = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: the option is one integer that outlives the call. Failure leaves the smaller default buffer,
        // which only makes a lost record more likely, and a loss is noticed.
        unsafe {
            let value: *const i32 = &room_bytes;
            libc::setsockopt(fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, value.cast(), 4);
        }
        let mut listener = Listener { socket, buffer: vec![0; 4096] };
        let family = listener.family()?;
        listener.send(
            family,
            TASKSTATS_CMD_GET,
            TASKSTATS_CMD_ATTR_REGISTER_CPUMASK,
            cpus.as_bytes(),
            true,
        )?;
        listener.expect_acknowledgement()?;
        Ok(listener)
    }

    /// Asks the generic netlink controller for the number of the TASKSTATS family.
    fn family(&mut self) -> Result<u16> {
        self.send(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, b"TASKSTATS", false)?;
        let length = self.receive(0)?.unwrap_or(0);
        let answer = self.buffer.get(HEADERS..length).unwrap_or_default();
        let id = attributes(answer)
            .find(|(kind, _)| *kind == CTRL_ATTR_FAMILY_ID)
            .and_then(|(_, data)| u16_at(data, 0));
        id.ok_or_else(|| SysError {
            call: "look-up of the TASKSTATS netlink family".into(),
            source: std::io::Error::from(std::io::ErrorKind::Unsupported),
        })
    }

    fn send(&self, kind: u16, command: u8, attribute: u16, data: &[u8], acknowledge: bool) -> Result<()> {
        // String attributes end with a null byte.
        let attribute_bytes = 4 + data.len() + 1;
        let total = HEADERS + attribute_bytes.next_multiple_of(4);
        let flags = libc::NLM_F_REQUEST | if acknowledge { libc::NLM_F_ACK } else { 0 };
        let mut message = Vec::with_capacity(total);
        message.extend((total as u32).to_ne_bytes());
        message.extend(kind.to_ne_bytes());
        message.extend((flags as u16).to_ne_bytes());
        message.extend([0; 8]);
        message.extend([command, 1, 0, 0]);
        message.extend((attribute_bytes as u16).to_ne_bytes());
        message.extend(attribute.to_ne_bytes());
        message.extend(data);
        message.resize(total, 0);
        // SAFETY: the pointer and length describe `message`. An unconnected netlink socket sends to the kernel.
        let sent = unsafe { libc::send(self.socket.as_raw_fd(), message.as_ptr().cast(), total, 0) };
        check(sent as libc::c_int, "send on the taskstats socket").map(drop)
    }

    fn expect_acknowledgement(&mut self) -> Result<()> {
        let length = self.receive(0)?.unwrap_or(0);
        let errno =
            i32::from_ne_bytes(self.buffer.get(16..20).and_then(|b| b.try_into().ok()).unwrap_or_default());
        if length >= 20 && u16_at(&self.buffer, 4) == Some(libc::NLMSG_ERROR as u16) && errno != 0 {
            let source = std::io::Error::from_raw_os_error(-errno);
            return Err(SysError { call: "registration for taskstats".into(), source });
        }
        Ok(())
    }

    /// Receives one message into the buffer and returns its size in bytes; `None` if there is no message and the flags
    /// say not to wait.
    fn receive(&mut self, flags: i32) -> Result<Option<usize>> {
        // SAFETY: the pointer and length describe the buffer, which is writable.
        let got = unsafe {
            libc::recv(self.socket.as_raw_fd(), self.buffer.as_mut_ptr().cast(), self.buffer.len(), flags)
        };
        if got >= 0 {
            return Ok(Some(got as usize));
        }
        let error = SysError::last("recv on the taskstats socket");
        if error.source.kind() == std::io::ErrorKind::WouldBlock { Ok(None) } else { Err(error) }
    }

    /// Calls `each` with all records that have arrived; returns false if records were lost because the buffer was full.
    ///
    /// # Errors
    /// Fails where the socket cannot be read.
    pub fn drain(&mut self, mut each: impl FnMut(ExitRecord)) -> Result<bool> {
        let mut whole = true;
        loop {
            match self.receive(libc::MSG_DONTWAIT) {
                Ok(None) => return Ok(whole),
                Ok(Some(length)) => records(&self.buffer, length).for_each(&mut each),
                // The kernel reports the loss once, and the remaining records can still be read. Records that stay in
                // the socket would be attributed to another run.
                Err(error) if error.source.raw_os_error() == Some(libc::ENOBUFS) => whole = false,
                Err(error) => return Err(error),
            }
        }
    }
}

fn records(buffer: &[u8], length: usize) -> impl Iterator<Item = ExitRecord> {
    let message = attributes(buffer.get(HEADERS..length).unwrap_or_default());
    let of_tasks = message.filter(|(kind, _)| *kind == TASKSTATS_TYPE_AGGR_PID);
    of_tasks.filter_map(|(_, nested)| {
        let (_, stats) = attributes(nested).find(|(kind, _)| *kind == TASKSTATS_TYPE_STATS)?;
        decode(stats)
    })
}

/// Decodes `struct taskstats` by the offsets that its header fixes for all versions since 12 (Linux 5.19).
fn decode(stats: &[u8]) -> Option<ExitRecord> {
    let version = u16_at(stats, 0)?;
    let tid = u32_at(stats, 128)? as i32;
    // The thread group id was added in version 12; before that, a thread cannot be distinguished from a process.
    let pid = if version >= 12 { u32_at(stats, 368)? as i32 } else { tid };
    Some(ExitRecord {
        tid,
        pid,
        parent: u32_at(stats, 132)? as i32,
        cpu_ns: u64_at(stats, 72)?,
        run_delay_ns: u64_at(stats, 24)?,
        peak_memory_bytes: u64_at(stats, 200)?.saturating_mul(1024),
    })
}

/// Iterates over netlink attributes: type and payload.
fn attributes(mut data: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16_at(data, 0)?);
        let kind = u16_at(data, 2)? & 0x3fff;
        let payload = data.get(4..length)?;
        data = data.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, payload))
    })
}

fn u16_at(data: &[u8], offset: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(data.get(offset..offset + 2)?.try_into().ok()?))
}

fn u32_at(data: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(data.get(offset..offset + 4)?.try_into().ok()?))
}

fn u64_at(data: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(data.get(offset..offset + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn attributes_never_run_past_the_end() {
        // A length of zero, a length past the end, and a truncated header all end the iteration.
        for bad in [&[0u8, 0, 1, 0][..], &[200, 0, 1, 0, 1], &[4], &[3, 0, 1, 0, 9, 9]] {
            assert_eq!(attributes(bad).count(), 0, "{bad:?}");
        }
        let two = [5, 0, 1, 0, 9, 0, 0, 0, 4, 0, 2, 0];
        let seen: Vec<(u16, &[u8])> = attributes(&two).collect();
        assert_eq!(seen, [(1, &[9u8][..]), (2, &[][..])]);
    }

    /// Returns a listener; `None` if this user may not have one.
    fn listener(room_bytes: i32) -> Option<Listener> {
        let cpus = crate::sched::affinity(0).unwrap().to_string();
        let listener = Listener::open(&cpus, room_bytes);
        assert!(listener.is_ok() || !crate::process::is_root(), "{listener:?}");
        listener.ok()
    }

    /// Runs `true` this many times; returns the last process id.
    fn run(times: usize) -> i32 {
        let mut image = crate::spawn::Image::new("/bin/true", &["true".into()], &[]).unwrap();
        let setup = crate::spawn::ChildSetup { stdio: [0, 1, 2], ..Default::default() };
        let start = |_| {
            let started = crate::spawn::start(&mut image, &setup, None, &mut Default::default()).unwrap();
            crate::process::wait(started.pid, true);
            started.pid
        };
        (0..times).map(start).last().unwrap()
    }

    #[test]
    fn a_child_leaves_its_record() {
        let Some(mut listener) = listener(ROOM_BYTES) else { return };
        let pid = run(1);
        let mut found = None;
        let whole = listener.drain(|record| found = Some(record).filter(|it| it.pid == pid).or(found.take()));
        // CPU time and resident set may be zero: the kernel counts them only by ticks and by batches of pages.
        let record = found.expect("the kernel reports every task that ends");
        assert_eq!((record.tid, record.parent), (pid, std::process::id() as i32));
        assert!(whole.unwrap());
    }

    #[test]
    fn a_loss_is_told_once_and_leaves_nothing_behind() {
        let Some(mut listener) = listener(4096) else { return };
        run(200);
        let mut records = 0;
        assert!(!listener.drain(|_| records += 1).unwrap(), "200 records fit into 4 KiB");
        assert!(records < 200, "{records}");
        let mut late = Vec::new();
        // Other processes may fill so small a buffer again meanwhile, so whether the second call reports a loss proves
        // nothing.
        listener.drain(|record| late.push(record.parent)).unwrap();
        assert!(!late.contains(&(std::process::id() as i32)), "a record of the run before was left");
    }

    /// Returns a record in the kernel's layout, with these values.
    fn laid_out(version: u16, tid: u32, pid: u32) -> Vec<u8> {
        let mut stats = vec![0; 376];
        stats[..2].copy_from_slice(&version.to_ne_bytes());
        stats[24..32].copy_from_slice(&11u64.to_ne_bytes());
        stats[72..80].copy_from_slice(&22u64.to_ne_bytes());
        stats[128..132].copy_from_slice(&tid.to_ne_bytes());
        stats[132..136].copy_from_slice(&1u32.to_ne_bytes());
        stats[200..208].copy_from_slice(&33u64.to_ne_bytes());
        stats[368..372].copy_from_slice(&pid.to_ne_bytes());
        stats
    }

    fn attribute(kind: u16, payload: &[u8]) -> Vec<u8> {
        let length = 4 + payload.len();
        let mut bytes = (length as u16).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(payload);
        bytes.resize(length.next_multiple_of(4), 0);
        bytes
    }

    fn message(parts: &[Vec<u8>]) -> Vec<u8> {
        [vec![0; HEADERS], parts.concat()].concat()
    }

    #[test]
    fn a_thread_is_told_from_its_process_where_the_kernel_does() {
        let of = |version| decode(&laid_out(version, 7, 5)).unwrap();
        assert_eq!((of(12).tid, of(12).pid, of(11).pid), (7, 5, 7));
        let all = of(14);
        assert_eq!((all.parent, all.run_delay_ns, all.cpu_ns, all.peak_memory_bytes), (1, 11, 22, 33 * 1024));
        let short = laid_out(12, 7, 5);
        assert!(decode(&short[..360]).is_none() && decode(&[]).is_none(), "what is cut has no figures");
        assert!(decode(&laid_out(11, 7, 5)[..208]).is_some(), "older kernels say less");
    }

    #[test]
    fn records_are_found_among_other_attributes() {
        let stats = attribute(TASKSTATS_TYPE_STATS, &laid_out(12, 7, 5));
        let of_pid =
            attribute(TASKSTATS_TYPE_AGGR_PID, &[attribute(1, &[7, 0, 0, 0]), stats.clone()].concat());
        let bytes = message(&[attribute(99, b"x"), of_pid.clone(), attribute(5, &stats), of_pid]);
        let found: Vec<i32> = records(&bytes, bytes.len()).map(|record| record.tid).collect();
        assert_eq!(found, [7, 7], "what is of a whole group stands under another kind");
        assert_eq!(records(&bytes, HEADERS).count(), 0);
        assert_eq!(records(&bytes, 3).count(), 0, "shorter than its headers");
    }

    #[test]
    fn a_peak_that_no_machine_has_is_no_overflow() {
        let mut stats = laid_out(12, 7, 5);
        stats[200..208].fill(0xff);
        assert_eq!(decode(&stats).unwrap().peak_memory_bytes, u64::MAX);
    }

    proptest! {
        /// For any bytes from the socket, decoding ends, and nothing beyond the buffer is read.
        #[test]
        fn any_bytes_are_records_or_nothing(bytes in proptest::collection::vec(any::<u8>(), 0..600), length in 0usize..700) {
            let _any = records(&bytes, length).count();
        }

        #[test]
        fn a_message_that_is_damaged_or_cut_is_read_or_left(at in 0usize..400, byte in any::<u8>(), length in 0usize..420) {
            let stats = attribute(TASKSTATS_TYPE_STATS, &laid_out(12, 7, 5));
            let mut bytes = message(&[attribute(TASKSTATS_TYPE_AGGR_PID, &stats)]);
            let place = at % bytes.len();
            bytes[place] = byte;
            prop_assert!(records(&bytes, length.min(bytes.len())).count() <= 1);
        }
    }
}
