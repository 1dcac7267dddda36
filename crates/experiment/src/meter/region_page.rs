//! The page on which programs mark regions: a file that they map. The file is created anew for each run, so that
//! remaining processes of an earlier run write to a file that is no longer read. The layout of the page is documented
//! in docs/regions.md. Its content is untrusted.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fauxplat_launch::CounterEntry;
use fauxplat_sys::files::open_at_once;
use fauxplat_sys::workplace::Workplace;

/// Environment variable with the path of the page.
pub(super) const VARIABLE: &str = "FAUXPLAT_REGIONS";
/// Maximum number of events that are counted in regions.
pub(super) const EVENTS: usize = 8;

const MAGIC: &[u8; 8] = b"FPREGION";
const VERSION: u64 = 1;
/// Size of the header in 64-bit words; `WORDS` is the size of a slot.
const HEADER: usize = 64;
const WORDS: usize = 32;
/// Number of slots: 256 shared by all processes, and 256 owned by single processes.
const SLOTS: usize = 256 + 256;
const BYTES: usize = (HEADER + SLOTS * WORDS) * 8;
/// Kinds of kernel events and numbers of the two clocks, as perf_event_open(2) defines them: `PERF_TYPE_SOFTWARE`, its
/// `PERF_COUNT_SW_CPU_CLOCK` and `_TASK_CLOCK`, and `PERF_TYPE_TRACEPOINT`.
const SOFTWARE: u32 = 1;
const CLOCKS: [u64; 2] = [0, 1];
const TRACEPOINT: u32 = 2;
/// Indices of 64-bit words: `LOST` within the header, `NAME` and `CALLS` within a slot. The first word of a slot is
/// `NAMED` once its name is complete.
const LOST: usize = 2;
const NAME: usize = 2;
const CALLS: usize = 10;
const NAMED: u64 = 2;

/// The path of the page's file, and a blank page whose header tells programs which events to count.
#[derive(Debug)]
pub(super) struct Page {
    folder: Workplace,
    path: PathBuf,
    blank: Vec<u8>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    pub regions: BTreeMap<String, Slot>,
    /// Number of begin and end marks for which the page had no free slot.
    pub lost: u64,
}

/// Totals of one region over all processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Number of calls, each from a begin mark to an end mark.
    pub calls: u64,
    pub wall_ns: u64,
    /// Number of calls that were begun and not ended when the page was read.
    pub open: u64,
    /// Number of begin marks without an end mark, or the reverse.
    pub unpaired: u64,
    /// Number of calls in which all events were counted.
    pub counted: u64,
    pub counts: [u64; EVENTS],
}

impl Page {
    /// Creates a page in memory, or in the folder for temporary files if `/dev/shm` is full or does not exist.
    ///
    /// # Errors
    /// Fails if neither place has room for the file.
    pub(super) fn new(events: &[CounterEntry]) -> io::Result<Self> {
        let blank = blank(events);
        Page::within(Path::new("/dev/shm"), blank.clone())
            .or_else(|_| Page::within(&std::env::temp_dir(), blank))
    }

    fn within(place: &Path, blank: Vec<u8>) -> io::Result<Self> {
        let folder = Workplace::make("regions", place)?;
        let page = Page { path: folder.path().join("page"), folder, blank };
        page.renew()?;
        Ok(page)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the page of the last run by a blank one. The whole file is written at once, because a program that
    /// touches a hole for which there is no room later would be killed.
    pub(super) fn renew(&self) -> io::Result<()> {
        let fresh = self.folder.path().join("fresh");
        File::create(&fresh)?.write_all(&self.blank)?;
        std::fs::rename(fresh, &self.path)
    }

    /// Reads the page, which a program may have replaced by any other file.
    pub(super) fn read(&self) -> io::Result<Marked> {
        let file = open_at_once(&self.path, false)?;
        let found = file.metadata()?;
        if !found.is_file() || found.len() != BYTES as u64 {
            return Err(io::Error::other(format!("{} bytes instead of {BYTES}", found.len())));
        }
        let mut bytes = vec![0; BYTES];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(marked(&bytes))
    }
}

fn blank(events: &[CounterEntry]) -> Vec<u8> {
    let mut words = vec![0_u64; HEADER];
    words[0] = u64::from_ne_bytes(*MAGIC);
    words[1] = VERSION;
    words[3] = events.len() as u64;
    for (at, place) in words[4..].chunks_exact_mut(5).enumerate().take(events.len()) {
        let event = events[at];
        let [config, config1, config2] = event.config;
        // The fourth bit marks an event that is counted only on cores of one kind.
        let excluded =
            [event.excludes_user, event.excludes_kernel, event.excludes_hypervisor, event.is_partial];
        let excluded: u64 = excluded.iter().enumerate().map(|(bit, &is_set)| u64::from(is_set) << bit).sum();
        let leader = (leader(events, at) as u64) << 8;
        place.copy_from_slice(&[u64::from(event.kind), config, config1, config2, excluded | leader]);
    }
    let mut blank: Vec<u8> = words.into_iter().flat_map(u64::to_ne_bytes).collect();
    blank.resize(BYTES, 0);
    blank
}

/// Index of the event that leads the group in which an event is read: the first event of the same device. Events
/// without a hardware counter count as one device. The kernel's clocks are read alone, because in a group they are
/// updated only at a switch or tick (Linux 6.18).
fn leader(events: &[CounterEntry], at: usize) -> usize {
    let is_clock = |event: &CounterEntry| event.kind == SOFTWARE && CLOCKS.contains(&event.config[0]);
    let device = |event: &CounterEntry| if event.kind > TRACEPOINT { event.kind } else { 0 };
    let group =
        |event: &CounterEntry| event.group.map_or_else(|| (None, device(event)), |group| (Some(group), 0));
    let first = |other: &CounterEntry| !is_clock(other) && group(other) == group(&events[at]);
    if is_clock(&events[at]) { at } else { events.iter().position(first).unwrap_or(at) }
}

pub fn marked(bytes: &[u8]) -> Marked {
    let words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|&word| u64::from_ne_bytes(word)).collect();
    let (header, slots) = words.split_at(HEADER.min(words.len()));
    let mut found = Marked { lost: header.get(LOST).copied().unwrap_or(0), ..Marked::default() };
    // A page shorter than its header has no slots.
    let raw_slots = bytes.get(HEADER * 8..).unwrap_or_default().chunks_exact(WORDS * 8);
    for (slot, raw) in slots.chunks_exact(WORDS).zip(raw_slots) {
        if let Some(name) = name(&raw[NAME * 8..CALLS * 8]).filter(|_| slot[0] == NAMED) {
            found.regions.entry(name).or_default().add(&slot[CALLS..]);
        }
    }
    found
}

/// The text before the first zero byte; `None` if it is no valid name of a region.
fn name(raw: &[u8]) -> Option<String> {
    let end = raw.iter().position(|&byte| byte == 0)?;
    let name = String::from_utf8(raw[..end].to_vec()).ok()?;
    fauxplat_model::check_region(&name).ok().map(|()| name)
}

impl Slot {
    fn add(&mut self, words: &[u64]) {
        let sum = |mine: &mut u64, more: u64| *mine = mine.saturating_add(more);
        let all = [&mut self.calls, &mut self.wall_ns, &mut self.open, &mut self.unpaired, &mut self.counted];
        all.into_iter().chain(&mut self.counts).zip(words).for_each(|(mine, &more)| sum(mine, more));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slot(name: &str, words: &[u64]) -> Vec<u8> {
        let mut bytes = vec![0; WORDS * 8];
        bytes[..8].copy_from_slice(&NAMED.to_ne_bytes());
        bytes[NAME * 8..NAME * 8 + name.len()].copy_from_slice(name.as_bytes());
        for (place, word) in bytes[CALLS * 8..].chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    #[test]
    fn processes_add_up_and_only_names_are_regions() {
        let mut bytes = vec![0; HEADER * 8];
        for (name, calls) in
            [("parse", 3), ("Parse", 5), ("", 7), ("parse", 4), ("sort", u64::MAX), ("sort", 1)]
        {
            bytes.extend(slot(name, &[calls, 10, 0, 0, calls, 1, 2]));
        }
        let found = marked(&bytes);
        assert_eq!(found.regions.keys().collect::<Vec<_>>(), ["parse", "sort"]);
        let parse = &found.regions["parse"];
        assert_eq!(
            (parse.calls, parse.wall_ns, parse.counted, &parse.counts[..3]),
            (7, 20, 7, &[2, 4, 0][..])
        );
        assert_eq!(found.regions["sort"].calls, u64::MAX, "a sum that has no room is no small one");
    }

    #[test]
    fn each_run_has_a_file_of_its_own() {
        let page = Page::new(&[]).unwrap();
        let mut left_behind = File::options().write(true).open(page.path()).unwrap();
        page.renew().unwrap();
        left_behind.write_all(&[0xff; BYTES]).unwrap();
        assert_eq!(page.read().unwrap(), Marked::default());
        File::options().write(true).open(page.path()).unwrap().set_len(9).unwrap();
        assert!(page.read().unwrap_err().to_string().starts_with("9 bytes"));
    }

    proptest! {
        /// Any content that a program may write is parsed or ignored.
        #[test]
        fn any_page_is_read(bytes in proptest::collection::vec(any::<u8>(), HEADER * 8..HEADER * 8 + 3 * WORDS * 8)) {
            prop_assert!(marked(&bytes).regions.len() <= 3);
        }
    }
}
