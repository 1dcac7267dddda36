//! Functions of stripped files, found by their start addresses in the unwind tables.

use std::collections::HashMap;

use addr2line::gimli::{BaseAddresses, CieOrFde, EhFrame, LittleEndian, UnwindSection};

use crate::elf::Elf;
use crate::foreign::unless_it_panics;

/// Maximum number of functions that are read from a file, more than any file has.
const FUNCTIONS_MAX: usize = 16 << 20;

/// Returns the functions that contain these addresses of a file, by address; each is named by the file and its start:
/// `git+0x5e1c0`.
pub(crate) fn functions(elf: &Elf, path: &str, places: &[u64]) -> HashMap<u64, String> {
    if places.is_empty() {
        return HashMap::new();
    }
    let spans = unless_it_panics(|| spans(elf)).unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or(path);
    let function = |&place: &u64| {
        let after = spans.partition_point(|&(start, _)| start <= place);
        let &(start, bytes) = spans.get(after.checked_sub(1)?)?;
        (place - start < bytes).then(|| (place, format!("{file}+{start:#x}")))
    };
    places.iter().filter_map(function).collect()
}

/// Returns the start and length of each function, by ascending address.
fn spans(elf: &Elf) -> Vec<(u64, u64)> {
    let Some(data) = &elf.eh_frame.data else { return Vec::new() };
    // The supported architectures, x86-64 and arm64, are little-endian.
    let table = EhFrame::new(data, LittleEndian);
    let bases = BaseAddresses::default()
        .set_eh_frame(elf.eh_frame.address.start)
        .set_text(elf.text.start)
        .set_got(elf.got.start);
    let (mut spans, mut entries) = (Vec::new(), table.entries(&bases));
    while let Ok(Some(entry)) = entries.next() {
        if spans.len() > FUNCTIONS_MAX {
            break;
        }
        let CieOrFde::Fde(partial) = entry else { continue };
        if let Ok(function) = partial.parse(EhFrame::cie_from_offset) {
            spans.push((function.initial_address(), function.len()));
        }
    }
    spans.sort_unstable();
    spans
}
