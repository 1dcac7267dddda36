//! The address space of a process, as far as it contains code.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fauxplat_model::Weight;
use fauxplat_sys::sampling::Mapping;
use framehop::{ExplicitModuleSectionInfo, Module, Unwinder as _, UnwinderNative};

use crate::elf::{Bytes, Elf};
use crate::objects::{ObjectId, Objects, Source, UNKNOWN};
use crate::stacks::CodeAddress;

pub(crate) type Unwinder = UnwinderNative<Bytes, framehop::MayAllocateDuringUnwind>;

/// A memory range that contains code.
#[derive(Clone, Copy, Debug)]
struct Mapped {
    end: u64,
    object: ObjectId,
    /// Number to add to an address in memory to get the address in the file, modulo 2⁶⁴.
    to_file: u64,
}

/// A live process, or the last state of a process that has ended.
#[derive(Clone)]
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) threads: BTreeSet<i32>,
    pub(crate) weight: Weight,
    /// Mapped code, shared with child processes until one of them maps something: most children soon execute another
    /// program.
    code: Arc<Code>,
}

/// The code that is mapped into a process, by address.
#[derive(Clone)]
struct Code {
    unwinder: Unwinder,
    mapped: BTreeMap<u64, Mapped>,
}

impl Default for Code {
    fn default() -> Self {
        Code { unwinder: Unwinder::new(), mapped: BTreeMap::new() }
    }
}

impl Process {
    pub(crate) fn new(name: &str) -> Self {
        Process {
            name: name.to_owned(),
            threads: BTreeSet::new(),
            weight: Weight::default(),
            code: Arc::default(),
        }
    }

    pub(crate) fn unwinder(&self) -> &Unwinder {
        &self.code.unwinder
    }

    /// Returns the state of a new child process, which begins with its parent's memory map.
    pub(crate) fn child(&self) -> Self {
        Process { threads: BTreeSet::new(), weight: Weight::default(), ..self.clone() }
    }

    /// Forgets all mappings, since the process executes another program.
    pub(crate) fn forget_code(&mut self) {
        self.code = Arc::default();
    }

    /// Adds a mapping of code, and removes the mappings that it replaces.
    pub(crate) fn map(&mut self, mapping: &Mapping, objects: &mut Objects) {
        let end = mapping.start.saturating_add(mapping.bytes);
        let Code { unwinder, mapped } = Arc::make_mut(&mut self.code);
        let over: Vec<u64> =
            mapped.range(..end).filter(|(_, old)| old.end > mapping.start).map(|(&at, _)| at).collect();
        for at in over {
            mapped.remove(&at);
            unwinder.remove_module(at);
        }
        let id = objects.of(mapping);
        let object = objects.get(id);
        let address = match (&object.source, &object.elf) {
            // The vDSO is an image in memory, whose file offset 0 is the start of the mapping.
            (Source::Vdso, Some(elf)) => elf.address_of(0),
            (_, Some(elf)) => elf.address_of(mapping.file_offset),
            // Generated code has no file, so its address in memory is used.
            (Source::Jit { .. }, None) => Some(mapping.start),
            // For a file whose headers cannot be read, the offset in the file is used as address.
            (_, None) => Some(mapping.file_offset),
        };
        let Some(address) = address else { return };
        let to_file = address.wrapping_sub(mapping.start);
        mapped.insert(mapping.start, Mapped { end, object: id, to_file });
        if let Some(elf) = &object.elf {
            let base = mapping.start.wrapping_sub(address);
            unwinder.add_module(module(&object.path, mapping.start..end, base, elf));
        }
    }

    /// Returns whether an address is in the first instructions of a program or its loader.
    pub(crate) fn is_entry(&self, address: u64, objects: &Objects) -> bool {
        let place = self.place(address);
        objects.get(place.object).elf.as_ref().is_some_and(|elf| elf.is_entry(place.address))
    }

    /// Returns the object of an address, and the address within it.
    pub(crate) fn place(&self, address: u64) -> CodeAddress {
        let below = self.code.mapped.range(..=address).next_back().filter(|(_, mapped)| address < mapped.end);
        match below {
            Some((_, mapped)) => {
                CodeAddress { object: mapped.object, address: address.wrapping_add(mapped.to_file) }
            }
            None => CodeAddress { object: UNKNOWN, address },
        }
    }
}

fn module(path: &str, range: std::ops::Range<u64>, base: u64, elf: &Elf) -> Module<Bytes> {
    let is_there = |range: &std::ops::Range<u64>| (!range.is_empty()).then(|| range.clone());
    let sections = ExplicitModuleSectionInfo {
        base_svma: 0,
        text_svma: is_there(&elf.text),
        got_svma: is_there(&elf.got),
        eh_frame_svma: is_there(&elf.eh_frame.address),
        eh_frame: elf.eh_frame.data.clone(),
        eh_frame_hdr_svma: is_there(&elf.eh_frame_hdr.address),
        eh_frame_hdr: elf.eh_frame_hdr.data.clone(),
        debug_frame: elf.debug_frame.clone(),
        ..ExplicitModuleSectionInfo::default()
    };
    Module::new(path.to_owned(), range, base, sections)
}
