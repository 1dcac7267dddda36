//! Reads the output of a command as it arrives, and keeps a bounded part of it.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::AsRawFd;

use fauxplat_sys::process::wait_readable;
use sha2::{Digest, Sha256};

/// Number of bytes at the beginning of an output that are kept. Documents and answers to compare are shorter, and a
/// failed build names its first error within this part.
const BEGINNING_BYTES: usize = 16 << 20;
/// Number of bytes at the end of an output that are kept where the middle is left out.
const END_BYTES: usize = 64 << 10;

/// Output of a command to one descriptor: all of it, or the beginning and the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Total number of bytes, kept or not.
    pub bytes: u64,
    /// SHA-256 of all bytes, kept or not.
    pub sha256: [u8; 32],
    beginning: Vec<u8>,
    end: Vec<u8>,
}

impl Written {
    /// The whole output; `None` if the middle of it was left out.
    pub fn whole(&self) -> Option<&[u8]> {
        (self.bytes == self.beginning.len() as u64).then_some(&self.beginning)
    }

    /// The output for display, with a line in place of a part that was left out.
    pub fn text(&self) -> Cow<'_, str> {
        let beginning = String::from_utf8_lossy(&self.beginning);
        if self.end.is_empty() {
            return beginning;
        }
        let left_out = self.bytes - (self.beginning.len() + self.end.len()) as u64;
        let end = String::from_utf8_lossy(&self.end);
        format!("{beginning}\n… {left_out} bytes are left out here …\n{end}").into()
    }
}

#[derive(Debug)]
pub(super) struct Stream {
    pipe: Option<PipeReader>,
    buffer: Vec<u8>,
    hash: Sha256,
    bytes: u64,
    beginning: Vec<u8>,
    end: VecDeque<u8>,
}

impl Stream {
    pub(super) fn new() -> io::Result<(Self, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        let stream = Stream {
            pipe: Some(reader),
            // Capacity of a pipe, see `pipe(7)`.
            buffer: vec![0; 64 << 10],
            hash: Sha256::new(),
            bytes: 0,
            beginning: Vec::new(),
            end: VecDeque::new(),
        };
        Ok((stream, writer))
    }

    /// Reads available bytes without waiting. Returns false when there are none.
    pub(super) fn take(&mut self) -> io::Result<bool> {
        let Some(pipe) = &mut self.pipe else { return Ok(false) };
        if !wait_readable(pipe.as_raw_fd(), 0).map_err(|error| error.source)? {
            return Ok(false);
        }
        match pipe.read(&mut self.buffer) {
            Ok(0) => self.pipe = None,
            Ok(read) => self.keep(read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(self.pipe.is_some())
    }

    pub(super) fn wait(&self, timeout_ms: i32) -> io::Result<()> {
        match &self.pipe {
            Some(pipe) => wait_readable(pipe.as_raw_fd(), timeout_ms).map(drop).map_err(|error| error.source),
            None => {
                std::thread::sleep(std::time::Duration::from_millis(timeout_ms.unsigned_abs().into()));
                Ok(())
            }
        }
    }

    /// Reads the rest of the pipe, at most 1 MiB: the default maximum capacity of a pipe, see
    /// `/proc/sys/fs/pipe-max-size`.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        const ROUNDS: usize = (1 << 20) / (64 << 10);
        for _ in 0..ROUNDS {
            if !self.take()? {
                break;
            }
        }
        Ok(())
    }

    fn keep(&mut self, read: usize) {
        let fresh = &self.buffer[..read];
        self.hash.update(fresh);
        self.bytes += read as u64;
        let (first, rest) = fresh.split_at(read.min(BEGINNING_BYTES - self.beginning.len()));
        self.beginning.extend_from_slice(first);
        self.end.extend(rest);
        self.end.drain(..self.end.len().saturating_sub(END_BYTES));
    }

    pub(super) fn into_written(self) -> Written {
        Written {
            bytes: self.bytes,
            sha256: self.hash.finalize().into(),
            beginning: self.beginning,
            end: self.end.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn of_much_the_beginning_and_the_end_are_kept() {
        let (mut stream, mut writer) = Stream::new().unwrap();
        let mut whole = Sha256::new();
        let lines = 600_000_u32;
        let feed = std::thread::spawn(move || {
            for line in 0..lines {
                let line = format!("line {line:06} {}\n", "x".repeat(60));
                whole.update(line.as_bytes());
                writer.write_all(line.as_bytes()).unwrap();
            }
            whole.finalize()
        });
        while stream.pipe.is_some() {
            stream.take().unwrap();
            stream.wait(10).unwrap();
        }
        let written = stream.into_written();
        assert_eq!((written.bytes, written.sha256), (73 * u64::from(lines), feed.join().unwrap().into()));
        assert_eq!(written.whole(), None);
        let text = written.text();
        assert!(text.starts_with("line 000000") && text.contains("bytes are left out"));
        assert!(text.trim_end().lines().last().unwrap().starts_with("line 599999"));
        assert!(written.beginning.len() + written.end.len() <= BEGINNING_BYTES + END_BYTES);
    }
}
