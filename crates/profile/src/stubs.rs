//! The procedure linkage table: a stub for each called function of another file.

use std::ops::Range;

use object::elf::{R_AARCH64_JUMP_SLOT, R_X86_64_JUMP_SLOT};
use object::{Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationFlags, RelocationTarget};

/// Size of a stub in bytes, on the supported processors.
const STUB_BYTES: u64 = 16;

/// The stubs of a file's procedure linkage table, and the names of the functions that they call.
#[derive(Debug, Default)]
pub(crate) struct Stubs {
    /// Sections of stubs, each with the number of stubs at its beginning that call no function of `names`; `u64::MAX`
    /// for a section of which none does.
    sections: Vec<(Range<u64>, u64)>,
    /// Called functions, in the order of their stubs.
    names: Vec<String>,
}

impl Stubs {
    pub(crate) fn of<'d, R: object::ReadRef<'d>>(file: &object::File<'d, R>) -> Self {
        let section = |(name, before): (&str, u64)| {
            let section = file.section_by_name(name)?;
            Some((section.address()..section.address().checked_add(section.size())?, before))
        };
        // With CET, the called stubs are in `.plt.sec`. `.plt` begins with a stub that resolves functions at their
        // first call; on arm64 that stub is as long as two others.
        let first = if file.architecture() == object::Architecture::Aarch64 { 2 } else { 1 };
        let sections =
            [(".plt.sec", 0), (".plt", first), (".plt.got", u64::MAX)].into_iter().filter_map(section);
        Stubs { sections: sections.collect(), names: names(file) }
    }

    /// Returns the name of a stub: the name of the called function, with `@plt`. `None` for an address outside of the
    /// stubs.
    pub(crate) fn name(&self, place: u64) -> Option<String> {
        let (section, before) = self.sections.iter().find(|(section, _)| section.contains(&place))?;
        let number = ((place - section.start) / STUB_BYTES).checked_sub(*before);
        // Names are used only if there is one for each stub: otherwise the order of the stubs is unknown.
        let is_whole =
            (section.end - section.start) / STUB_BYTES == before.saturating_add(self.names.len() as u64);
        let name =
            number.filter(|_| is_whole).and_then(|number| self.names.get(usize::try_from(number).ok()?));
        Some(name.map_or_else(|| "[plt]".to_owned(), |name| format!("{name}@plt")))
    }
}

/// Returns the functions for which the linker made stubs, in the order of the stubs.
fn names<'d, R: object::ReadRef<'d>>(file: &object::File<'d, R>) -> Vec<String> {
    let symbols = file.dynamic_symbol_table();
    let name = |target: RelocationTarget| {
        let RelocationTarget::Symbol(index) = target else { return None };
        symbols.as_ref()?.symbol_by_index(index).ok()?.name().ok().map(str::to_owned)
    };
    let relocations = file.dynamic_relocations().into_iter().flatten();
    let mut slots: Vec<(u64, String)> = relocations
        .filter(|(_, one)| {
            matches!(one.flags(), RelocationFlags::Elf { r_type: R_X86_64_JUMP_SLOT | R_AARCH64_JUMP_SLOT })
        })
        .map(|(slot, one)| (slot, name(one.target()).unwrap_or_else(|| "?".to_owned())))
        .collect();
    slots.sort();
    slots.into_iter().map(|(_, name)| name).collect()
}
