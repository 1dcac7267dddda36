//! Names of addresses in the code of a file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use addr2line::Loader;
use fauxplat_model::ObjectNames;
use fauxplat_sys::files::open_regular;
use object::read::ReadCache;
use object::{Object as _, ObjectSection, ObjectSymbol, ObjectSymbolTable, SymbolIndex, SymbolKind};

use crate::demangle::demangle;
use crate::elf::{Elf, debug_files};
use crate::objects::own_vdso;
use crate::stubs::Stubs;
use crate::symbol::{self, Symbol};
use crate::unwound;

/// A function at an address, with its source line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    /// Other names of the function.
    pub(crate) aliases: Vec<String>,
    /// Whether only the start of the function is known, and not its name.
    pub(crate) is_nameless: bool,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
}

impl Named {
    /// Names the function by the first of these symbols, and makes the other names aliases. A name from debug
    /// information stays, unless the first symbol is exported and not mangled, and the name is either among the symbols
    /// or begins with `__`.
    fn call(&mut self, all: &[Symbol]) {
        let readable = |symbol: &Symbol| readable_name(&symbol.name);
        let is_known = !self.name.is_empty();
        let first = all.first().filter(|first| !is_known || (first.is_exported && !first.is_mangled()));
        // A name that is in debug information but not among the symbols belongs to another function, of which this one
        // is a part.
        let is_among = all.iter().any(|it| readable(it) == self.name);
        let former = std::mem::take(&mut self.name);
        self.name = match first.filter(|_| !is_known || is_among || former.starts_with("__")) {
            Some(first) => readable(first),
            None => former.clone(),
        };
        let mut aliases: Vec<String> = all.iter().map(readable).chain(is_known.then_some(former)).collect();
        aliases.retain(|name| *name != self.name);
        aliases.sort_unstable();
        aliases.dedup();
        self.aliases = aliases;
    }
}

#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The functions at each address: inlined functions first, the function that contains the code last.
    pub(crate) at: HashMap<u64, Vec<Named>>,
    pub(crate) known: ObjectNames,
    /// The reason why names are missing; `None` if none are.
    pub(crate) missing: Option<String>,
}

/// Looks up the functions at these addresses of a file. `readable` is the path at which the file can be read now,
/// `path` the one under which the program mapped the file.
pub(crate) fn of_file(elf: &Elf, readable: &Path, path: &str, places: &[u64]) -> Names {
    let (stripped, refused) = if elf.has_lines { (None, None) } else { debug_file(elf, Path::new(path)) };
    let with_lines = if elf.has_lines { Some(readable.to_owned()) } else { stripped };
    let mut names = Names { known: known(elf, with_lines.is_some()), ..Names::default() };
    let loader = with_lines.as_ref().and_then(|path| Loader::new(path).ok());
    if with_lines.is_some() && loader.is_none() {
        names.known = if elf.has_symbols { ObjectNames::Symbols } else { ObjectNames::Exported };
        names.missing = Some("its debug information cannot be read".to_owned());
    }
    if let Some(loader) = &loader {
        names.at.extend(places.iter().filter_map(|&place| Some((place, inlined(loader, place)?))));
    }
    let unnamed: Vec<u64> = places.iter().copied().filter(|place| !names.at.contains_key(place)).collect();
    let mut symbols = symbols(readable, places);
    if let Some(debug) = with_lines.as_ref().filter(|path| *path != readable) {
        for (place, found) in self::symbols(debug, places) {
            symbols.entry(place).or_default().extend(found);
        }
    }
    for (place, all) in &mut symbols {
        symbol::prefer(all);
        names.at.get_mut(place).and_then(|named| named.last_mut()).into_iter().for_each(|it| it.call(all));
    }
    let stubs = stubs(readable, &unnamed);
    for &place in &unnamed {
        let all = match (stubs.get(&place), symbols.get(&place)) {
            (Some(stub), _) => vec![Symbol::plain(stub)],
            (None, Some(all)) => all.clone(),
            (None, None) => continue,
        };
        let line = loader.as_ref().and_then(|loader| loader.find_location(place).ok().flatten());
        let file = line.as_ref().and_then(|line| line.file).map(str::to_owned);
        let mut named = Named { file, line: line.and_then(|line| line.line), ..Named::default() };
        named.call(&all);
        names.at.insert(place, vec![named]);
    }
    for &place in unnamed.iter().filter(|place| elf.is_entry(**place)) {
        let begin = || vec![Named { name: "_start".to_owned(), ..Named::default() }];
        names.at.entry(place).or_insert_with(begin);
    }
    let nameless: Vec<u64> = unnamed.into_iter().filter(|place| !names.at.contains_key(place)).collect();
    let by_place = |name| vec![Named { name, is_nameless: true, ..Named::default() }];
    names.at.extend(
        unwound::functions(elf, path, &nameless).into_iter().map(|(place, name)| (place, by_place(name))),
    );
    names.missing = names.missing.take().or(refused).or_else(|| missing(elf, names.known));
    names
}

/// Returns the names of the few functions in the vDSO.
pub(crate) fn of_vdso(places: &[u64]) -> Names {
    let image = own_vdso().unwrap_or_default();
    let symbols =
        object::File::parse(image.as_slice()).map(|file| symbols_of(&file, places)).unwrap_or_default();
    let named = |(place, mut all): (u64, Vec<Symbol>)| {
        symbol::prefer(&mut all);
        let mut named = Named::default();
        named.call(&all);
        (place, vec![named])
    };
    Names { at: symbols.into_iter().map(named).collect(), known: ObjectNames::Exported, missing: None }
}

fn known(elf: &Elf, has_lines: bool) -> ObjectNames {
    match (has_lines, elf.has_symbols) {
        (true, _) => ObjectNames::Lines,
        (false, true) => ObjectNames::Symbols,
        (false, false) => ObjectNames::Exported,
    }
}

fn missing(elf: &Elf, known: ObjectNames) -> Option<String> {
    let id = elf.build_id.as_deref().map(|id| format!(", build id {id}")).unwrap_or_default();
    match known {
        ObjectNames::Lines => None,
        ObjectNames::Symbols => Some(format!(
            "it has no line numbers, and inlined functions count for their callers: compile with -g, or \
             install its debug symbols{id}"
        )),
        ObjectNames::Exported | ObjectNames::None => Some(format!(
            "it was stripped, so that only exported functions have names: install its debug symbols (-dbgsym, -debuginfo{id})"
        )),
    }
}

/// Returns the separate debug file, if it is installed and belongs to this file; otherwise the reason why an existing
/// candidate is not used.
fn debug_file(elf: &Elf, path: &Path) -> (Option<PathBuf>, Option<String>) {
    let mut refused = None;
    for candidate in debug_files(elf, path) {
        let other = open_regular(&candidate).ok().and_then(|file| Elf::of_file(&file));
        let Some(other) = other.filter(|other| other.has_lines) else { continue };
        let is_of_this = match &elf.build_id {
            Some(_) => other.build_id == elf.build_id,
            // Without a build id, the checksum distinguishes a file from an older file with the same name.
            None => elf.debug_link.as_ref().is_some_and(|(_, sum)| sum_of(&candidate) == Some(*sum)),
        };
        if is_of_this {
            return (Some(candidate), None);
        }
        refused.get_or_insert_with(|| {
            format!(
                "its debug information {} is of another build, and its names are not believed: install that of this build, \
                 or strip it again",
                candidate.display()
            )
        });
    }
    (None, refused)
}

/// Returns the checksum of a file by which a debug link identifies it (CRC-32 as in `.gnu_debuglink` of GDB's manual,
/// "Separate debug files").
fn sum_of(path: &Path) -> Option<u32> {
    let mut file = open_regular(path).ok()?;
    let (mut sum, mut buffer) = (crc32fast::Hasher::new(), vec![0; 1 << 16]);
    loop {
        match std::io::Read::read(&mut file, &mut buffer).ok()? {
            0 => return Some(sum.finalize()),
            bytes => sum.update(&buffer[..bytes]),
        }
    }
}

/// Returns the functions at an address by debug information, with lines; `None` if the address is unknown there.
fn inlined(loader: &Loader, place: u64) -> Option<Vec<Named>> {
    let mut frames = loader.find_frames(place).ok()?;
    let mut all = Vec::new();
    while let Ok(Some(frame)) = frames.next() {
        let Some(function) = frame.function else { break };
        let name = function.raw_name().ok()?.into_owned();
        let (file, line) = frame.location.map_or((None, None), |at| (at.file.map(str::to_owned), at.line));
        all.push(Named { name: readable_name(&name), file, line, ..Named::default() });
    }
    (!all.is_empty()).then_some(all)
}

/// Returns all symbols of the file that contain each of these addresses.
fn symbols(path: &Path, places: &[u64]) -> HashMap<u64, Vec<Symbol>> {
    let found = || {
        let file = open_regular(path).ok()?;
        let cache = ReadCache::new(file);
        let file = object::File::parse(&cache).ok()?;
        Some(symbols_of(&file, places))
    };
    if places.is_empty() { HashMap::new() } else { found().unwrap_or_default() }
}

/// Returns the names of the PLT stubs at these addresses; stubs have no symbols.
fn stubs(path: &Path, places: &[u64]) -> HashMap<u64, String> {
    let found = || {
        let cache = ReadCache::new(open_regular(path).ok()?);
        let file = object::File::parse(&cache).ok()?;
        let stubs = Stubs::of(&file);
        Some(places.iter().filter_map(|&place| Some((place, stubs.name(place)?))).collect())
    };
    if places.is_empty() { HashMap::new() } else { found().unwrap_or_default() }
}

/// Address and length of a symbol.
struct Span {
    start: u64,
    bytes: u64,
    /// End of the symbol's section, which limits a symbol without a length.
    section_end: u64,
    is_dynamic: bool,
    index: SymbolIndex,
}

impl Span {
    /// Returns the span of a symbol, if it is a function that is defined in this file.
    fn of<'d>(symbol: &impl ObjectSymbol<'d>, is_dynamic: bool, ends: &[u64]) -> Option<Self> {
        let section_end =
            symbol.section_index().and_then(|section| ends.get(section.0)).copied().unwrap_or(u64::MAX);
        let is_code = symbol.is_definition() && matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Label);
        let span = Span {
            start: symbol.address(),
            bytes: symbol.size(),
            section_end,
            is_dynamic,
            index: symbol.index(),
        };
        is_code.then_some(span)
    }
}

fn symbols_of<'d, R: object::ReadRef<'d>>(
    file: &object::File<'d, R>,
    places: &[u64],
) -> HashMap<u64, Vec<Symbol>> {
    let mut ends = Vec::new();
    for section in file.sections() {
        ends.resize(section.index().0 + 1, u64::MAX);
        ends[section.index().0] = section.address().saturating_add(section.size());
    }
    let exported = file.dynamic_symbols().filter_map(|symbol| Span::of(&symbol, true, &ends));
    let mut spans: Vec<Span> =
        file.symbols().filter_map(|symbol| Span::of(&symbol, false, &ends)).chain(exported).collect();
    // The longest of several functions with one start comes last, and `of` finds that one.
    spans.sort_by_key(|span| (span.start, span.bytes, !span.is_dynamic));
    let symbol = |span: &Span| {
        let symbol = match span.is_dynamic {
            true => file.dynamic_symbol_table().and_then(|table| table.symbol_by_index(span.index).ok()),
            false => file.symbol_by_index(span.index).ok(),
        }?;
        let name = symbol.name().ok().filter(|name| !name.is_empty())?.to_owned();
        Some(Symbol { name, is_exported: span.is_dynamic, is_global: symbol.is_global() })
    };
    let of = |place: u64| {
        let after = spans.partition_point(|span| span.start <= place);
        let span = spans.get(after.checked_sub(1)?)?;
        // A symbol without a length, as in assembly, extends to the next symbol.
        let is_in = if span.bytes == 0 { place < span.section_end } else { place - span.start < span.bytes };
        // A function with several names has several symbols, with one start and with the same length or none.
        let same = spans[..after].iter().rev().take_while(|other| other.start == span.start);
        let same = same.filter(|other| other.bytes == span.bytes || other.bytes == 0);
        is_in.then(|| same.filter_map(symbol).collect::<Vec<Symbol>>()).filter(|all| !all.is_empty())
    };
    places.iter().filter_map(|&place| Some((place, of(place)?))).collect()
}

/// Returns a readable name: demangled if possible.
pub(crate) fn readable_name(symbol: &str) -> String {
    demangle(symbol).unwrap_or_else(|| symbol.to_owned())
}
