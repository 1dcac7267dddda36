//! Rows that are found once and read many times.

use std::ffi::c_int;

use fauxplat_table::AnyTable;

use crate::{ABSENT, Handle, OK, on, put};

/// A row as the header declares it: its dense keys are read in the caller's own code.
#[repr(C)]
#[derive(Debug)]
struct CRow {
    table: *const Handle,
    object: u64,
    cells: *const u8,
    keys: u64,
    value_bytes: u32,
}

#[unsafe(no_mangle)]
extern "C" fn fxt_row_open(table: *const Handle, object: u64, row: *mut CRow) -> c_int {
    on(table, |open| {
        let cells = match open {
            AnyTable::Wide(table) => table.row(object).map(|row| row.cells()),
            AnyTable::Narrow(table) => table.row(object).map(|row| row.cells()),
        };
        let Some((cells, keys)) = cells else { return Ok(ABSENT) };
        put(row, CRow { table, object, cells, keys, value_bytes: open.info().value_bytes });
        Ok(OK)
    })
}
