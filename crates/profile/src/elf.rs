//! The parts of an executable file that are needed to unwind through it and to find its symbols.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fauxplat_model::hex;
use fauxplat_sys::files::open_regular;
use object::read::ReadCache;
use object::{Object, ObjectSection, ObjectSegment};

/// Bytes of a section, shared by all unwinders that use it.
pub(crate) type Bytes = Arc<[u8]>;

/// A segment, which is a part of a file that the loader maps as a whole: offset and length in the file, and the address
/// that the file states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) address: u64,
    /// Alignment of the segment. Its mapping starts at the multiple of the alignment, or of the smaller page size, at
    /// or before its start.
    pub(crate) align: u64,
    pub(crate) is_code: bool,
}

impl Segment {
    fn has(&self, offset: u64) -> bool {
        (self.offset..self.offset.saturating_add(self.bytes)).contains(&offset)
    }

    /// Returns whether a mapping that begins at this file offset can belong to the segment.
    fn may_begin(&self, offset: u64) -> bool {
        let first = self.offset - self.offset % self.align.max(1);
        (first..self.offset.saturating_add(self.bytes)).contains(&offset)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    pub(crate) address: Range<u64>,
    pub(crate) data: Option<Bytes>,
}

/// An executable file, as described by its headers and tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elf {
    pub(crate) segments: Vec<Segment>,
    pub(crate) build_id: Option<String>,
    /// The name of the separate debug file, if the file names one, and the CRC-32 of that file.
    pub(crate) debug_link: Option<(PathBuf, u32)>,
    pub(crate) eh_frame: Section,
    pub(crate) eh_frame_hdr: Section,
    pub(crate) debug_frame: Option<Bytes>,
    pub(crate) text: Range<u64>,
    pub(crate) got: Range<u64>,
    /// Entry point of the program; zero for a file without one.
    pub(crate) entry: u64,
    /// Whether the file has line tables.
    pub(crate) has_lines: bool,
    /// Whether the file has a symbol table of all functions, not only of dynamic ones.
    pub(crate) has_symbols: bool,
}

/// Number of bytes behind the entry point that count as first instructions of a program, up to the call of its first
/// function.
const ENTRY_BYTES: u64 = 64;

/// Maximum length of a section that is read, in bytes; the tables of compilers are shorter.
const SECTION_MAX: u64 = 512 << 20;

impl Elf {
    /// Reads the headers and tables of a file; `None` if it is no ELF file.
    pub(crate) fn of_file(file: &File) -> Option<Self> {
        let cache = ReadCache::new(file.try_clone().ok()?);
        Elf::of(&object::File::parse(&cache).ok()?)
    }

    pub(crate) fn of_image(image: &[u8]) -> Option<Self> {
        Elf::of(&object::File::parse(image).ok()?)
    }

    fn of<'d, R: object::ReadRef<'d>>(file: &object::File<'d, R>) -> Option<Self> {
        let segments = file.segments().map(|segment| {
            let (offset, bytes) = segment.file_range();
            let is_code = match segment.flags() {
                object::SegmentFlags::Elf { p_flags, .. } => p_flags.contains(object::elf::PF_X),
                _ => false,
            };
            Segment { offset, bytes, address: segment.address(), align: segment.align(), is_code }
        });
        let debug_link = file.gnu_debuglink().ok().flatten();
        let has = |name: &str| file.section_by_name(name).is_some_and(|section| section.size() > 0);
        Some(Elf {
            segments: segments.collect(),
            build_id: file.build_id().ok().flatten().map(hex),
            debug_link: debug_link
                .and_then(|(name, sum)| Some((PathBuf::from(std::str::from_utf8(name).ok()?), sum))),
            eh_frame: section(file, ".eh_frame"),
            eh_frame_hdr: section(file, ".eh_frame_hdr"),
            debug_frame: section(file, ".debug_frame").data,
            text: range(file, ".text"),
            got: range(file, ".got"),
            entry: file.entry(),
            has_lines: has(".debug_line") || has(".zdebug_line"),
            has_symbols: has(".symtab"),
        })
    }

    /// Returns whether an address lies in the first instructions of a program. They have no caller, which the unwind
    /// tables do not say.
    pub(crate) fn is_entry(&self, address: u64) -> bool {
        self.entry != 0 && (self.entry..self.entry + ENTRY_BYTES).contains(&address)
    }

    /// Returns the address that the file states for a file offset from which code is mapped. Linkers pack segments: the
    /// page in which code begins may begin with the end of the preceding segment, whose stated address is another.
    pub(crate) fn address_of(&self, offset: u64) -> Option<u64> {
        let code = || self.segments.iter().filter(|it| it.is_code);
        let segment = code().find(|it| it.has(offset)).or_else(|| code().find(|it| it.may_begin(offset)));
        let segment = segment.or_else(|| self.segments.iter().find(|it| it.has(offset)));
        segment.map(|it| it.address.wrapping_sub(it.offset).wrapping_add(offset))
    }
}

fn range<'d, R: object::ReadRef<'d>>(file: &object::File<'d, R>, name: &str) -> Range<u64> {
    let section = file.section_by_name(name);
    section.map_or(0..0, |section| section.address()..section.address().saturating_add(section.size()))
}

fn section<'d, R: object::ReadRef<'d>>(file: &object::File<'d, R>, name: &str) -> Section {
    let section = file.section_by_name(name).filter(|section| section.size() <= SECTION_MAX);
    let data = section.and_then(|section| section.uncompressed_data().ok().map(Bytes::from));
    Section { address: range(file, name), data }
}

/// Folder where distributions keep separate debug files; the folder of the file itself is searched too.
const DEBUG_ROOT: &str = "/usr/lib/debug";

/// Returns the build id of the file at this path; `None` if it has none, or is no ELF file.
pub fn build_id(path: &Path) -> Option<String> {
    Elf::of_file(&open_regular(path).ok()?)?.build_id
}

/// Returns candidates for the separate debug file of the file at `path`, most reliable first.
pub(crate) fn debug_files(elf: &Elf, path: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    if let Some((first, rest)) = elf.build_id.as_deref().and_then(|id| id.split_at_checked(2)) {
        all.push(Path::new(DEBUG_ROOT).join(".build-id").join(first).join(format!("{rest}.debug")));
    }
    if let (Some((link, _)), Some(folder)) = (&elf.debug_link, path.parent()) {
        // Only the file name of the debug link is used: its author must not choose the folder.
        if let Some(name) = link.file_name() {
            all.push(folder.join(name));
            all.push(folder.join(".debug").join(name));
            all.push(Path::new(DEBUG_ROOT).join(folder.strip_prefix("/").unwrap_or(folder)).join(name));
        }
    }
    all
}
