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

/// A function at an address, with its source line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
}

/// Names that a file gives to some of its addresses.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// For each address its functions: inlined functions first, the function that holds the code last.
    pub(crate) at: HashMap<u64, Vec<Named>>,
    pub(crate) known: ObjectNames,
    /// Why no more names are known; `None` if nothing is missing.
    pub(crate) missing: Option<String>,
}

/// Looks up addresses of a file. `readable` is the path at which the file can be read now, `path` the one that was
/// mapped.
pub(crate) fn of_file(elf: &Elf, readable: &Path, path: &str, places: &[u64]) -> Names {
    let stripped = if elf.has_lines { None } else { debug_file(elf, Path::new(path)) };
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
    let mut symbols = symbols(readable, &unnamed);
    if let Some(debug) = with_lines.as_ref().filter(|path| *path != readable) {
        symbols.extend(self::symbols(debug, &unnamed));
    }
    symbols.extend(stubs(readable, &unnamed));
    for (place, symbol) in symbols {
        let line = loader.as_ref().and_then(|loader| loader.find_location(place).ok().flatten());
        let file = line.as_ref().and_then(|line| line.file).map(str::to_owned);
        let named = Named { name: readable_name(&symbol), file, line: line.and_then(|line| line.line) };
        names.at.insert(place, vec![named]);
    }
    for &place in unnamed.iter().filter(|place| elf.is_entry(**place)) {
        let begin = || vec![Named { name: "_start".to_owned(), ..Named::default() }];
        names.at.entry(place).or_insert_with(begin);
    }
    names.missing = names.missing.take().or_else(|| missing(elf, names.known));
    names
}

/// Names of the few functions in the vDSO.
pub(crate) fn of_vdso(places: &[u64]) -> Names {
    let image = own_vdso().unwrap_or_default();
    let symbols =
        object::File::parse(image.as_slice()).map(|file| symbols_of(&file, places)).unwrap_or_default();
    let named = |(place, name)| (place, vec![Named { name, ..Named::default() }]);
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
            "it has no lines, and inlined functions are part of those that hold them: compile with -g, or install its debug symbols{id}"
        )),
        ObjectNames::Exported | ObjectNames::None => Some(format!(
            "it was stripped, so that only exported functions have names: install its debug symbols (-dbgsym, -debuginfo{id})"
        )),
    }
}

/// The separate debug file, if it is installed and belongs to this build.
fn debug_file(elf: &Elf, path: &Path) -> Option<PathBuf> {
    debug_files(elf, path).into_iter().find(|candidate| {
        let other = open_regular(candidate).ok().and_then(|file| Elf::of_file(&file));
        other.is_some_and(|other| {
            other.has_lines && (elf.build_id.is_none() || other.build_id == elf.build_id)
        })
    })
}

/// The functions at an address by debug information, with lines; empty where it knows none.
fn inlined(loader: &Loader, place: u64) -> Option<Vec<Named>> {
    let mut frames = loader.find_frames(place).ok()?;
    let mut all = Vec::new();
    while let Ok(Some(frame)) = frames.next() {
        let Some(function) = frame.function else { break };
        let name = function.raw_name().ok()?.into_owned();
        let (file, line) = frame.location.map_or((None, None), |at| (at.file.map(str::to_owned), at.line));
        all.push(Named { name: readable_name(&name), file, line });
    }
    (!all.is_empty()).then_some(all)
}

/// The symbols that contain the addresses.
fn symbols(path: &Path, places: &[u64]) -> HashMap<u64, String> {
    let found = || {
        let file = open_regular(path).ok()?;
        let cache = ReadCache::new(file);
        let file = object::File::parse(&cache).ok()?;
        Some(symbols_of(&file, places))
    };
    if places.is_empty() { HashMap::new() } else { found().unwrap_or_default() }
}

/// Names of PLT stubs, for which there are no symbols.
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
    /// End of the symbol's section, beyond which a symbol without a length does not reach.
    section_end: u64,
    is_dynamic: bool,
    index: SymbolIndex,
}

impl Span {
    /// The span of a symbol, if it is a function that is defined in this file.
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
) -> HashMap<u64, String> {
    let mut ends = Vec::new();
    for section in file.sections() {
        ends.resize(section.index().0 + 1, u64::MAX);
        ends[section.index().0] = section.address().saturating_add(section.size());
    }
    let exported = file.dynamic_symbols().filter_map(|symbol| Span::of(&symbol, true, &ends));
    let mut spans: Vec<Span> =
        file.symbols().filter_map(|symbol| Span::of(&symbol, false, &ends)).chain(exported).collect();
    // Of several names for one address, the longest function is taken, and then one of the file's own symbol table.
    spans.sort_by_key(|span| (span.start, span.bytes, !span.is_dynamic));
    let name = |span: &Span| {
        let symbol = match span.is_dynamic {
            true => file.dynamic_symbol_table().and_then(|table| table.symbol_by_index(span.index).ok()),
            false => file.symbol_by_index(span.index).ok(),
        };
        symbol.and_then(|symbol| symbol.name().ok().map(str::to_owned))
    };
    let of = |place: u64| {
        let after = spans.partition_point(|span| span.start <= place);
        let span = spans.get(after.checked_sub(1)?)?;
        // A symbol without a length, as in assembly, reaches to the next symbol.
        let is_in = if span.bytes == 0 { place < span.section_end } else { place - span.start < span.bytes };
        if is_in { name(span) } else { None }
    };
    places.iter().filter_map(|&place| Some((place, of(place)?))).collect()
}

/// A name for readers: demangled if that is possible.
pub(crate) fn readable_name(symbol: &str) -> String {
    demangle(symbol).unwrap_or_else(|| symbol.to_owned())
}
