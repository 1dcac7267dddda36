//! Facts about an open table.

use std::ffi::c_int;
use std::mem::size_of;

use fauxplat_table::{Kind, TableFile};

use crate::open::{CKey, COUNTER, GAUGE};
use crate::{ABSENT, DIFFERENT, Handle, OK, fail, on, put};

/// Facts about an open table: `fxt_facts` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Facts {
    struct_bytes: usize,
    dense_objects: u64,
    max_hashed_objects: u64,
    hashed_rows: u64,
    index_slots: u64,
    file_bytes: u64,
    creator_pid: u64,
    described_keys: u64,
    dense_keys: u32,
    max_sparse_keys: u32,
    value_bytes: u32,
    records: u32,
    /// Whether the creator of the table still runs: 1, 0, or -1 if unknown.
    creator_alive: i32,
    reserved: u32,
}

#[unsafe(no_mangle)]
extern "C" fn fxt_info(table: *const Handle, facts: *mut Facts) -> c_int {
    // SAFETY: the header asks for a valid pointer whose first field is set.
    let asked = match unsafe { facts.as_ref() } {
        Some(facts) => facts.struct_bytes,
        None => return fail("the facts are null"),
    };
    if asked != size_of::<Facts>() {
        return fail(format!("fxt_facts has {} bytes here, not {asked}", size_of::<Facts>()));
    }
    on(table, |table| {
        let info = table.info();
        let found = Facts {
            struct_bytes: asked,
            dense_objects: info.dense_objects,
            max_hashed_objects: info.max_hashed_objects,
            hashed_rows: info.hashed_rows,
            index_slots: info.index_slots,
            file_bytes: info.file_bytes,
            creator_pid: info.creator_pid,
            described_keys: table.described().len() as u64,
            dense_keys: info.dense_keys,
            max_sparse_keys: info.max_sparse_keys,
            value_bytes: info.value_bytes,
            records: u32::from(info.records),
            creator_alive: info.creator_alive.map_or(-1, i32::from),
            reserved: 0,
        };
        put(facts, found);
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
extern "C" fn fxt_described(table: *const Handle, number: usize, key: *mut CKey) -> c_int {
    // SAFETY: the header asks for a table of fxt_create or fxt_open that was not closed, or for a null pointer.
    let texts = unsafe { table.as_ref() }.and_then(|handle| handle.texts.get(number));
    on(table, |table| {
        let (Some(described), Some([name, unit, help])) = (table.described().get(number), texts) else {
            return Ok(ABSENT);
        };
        let kind = match described.kind {
            Kind::Counter => COUNTER,
            Kind::Gauge => GAUGE,
        };
        let [name, unit, help] = [name, unit, help].map(|text| text.as_ptr());
        put(key, CKey { key: described.number, name, unit, help, kind, reserved: 0 });
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
extern "C" fn fxt_standing(table: *const Handle) -> c_int {
    on(table, |table| {
        Ok(match table.standing()? {
            TableFile::Same => OK,
            TableFile::Gone => ABSENT,
            TableFile::Replaced => DIFFERENT,
        })
    })
}
