//! The table's functions for C, C++ and every language that can call C. `include/fauxplat_table.h` documents them.
//!
//! Every function accepts a null table and catches panics, so that nothing unwinds into C. No function is public to
//! Rust, where a safe function must not trust a pointer; the symbols are exported nevertheless.
#![expect(unsafe_code, reason = "a C interface takes raw pointers; each block says what the header asks for")]

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use fauxplat_table::{AnyTable, Dense, Error, Table};

mod facts;
mod many;
mod open;
mod row;

/// The object to which the opaque `fxt_table` refers.
#[derive(Debug)]
struct Handle {
    table: AnyTable,
    /// Name, unit and help of each described key, as C strings.
    texts: Vec<[CString; 3]>,
}

const OK: c_int = 0;
const ABSENT: c_int = 1;
const DIFFERENT: c_int = 2;
const FAILED: c_int = -1;

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

fn fail(text: impl ToString) -> c_int {
    let text = CString::new(text.to_string().replace('\0', " ")).unwrap_or_default();
    LAST.with(|last| *last.borrow_mut() = text);
    FAILED
}

/// Runs a call on a table, keeps its error for `fxt_error`, and catches panics.
fn on(table: *const Handle, call: impl FnOnce(&AnyTable) -> Result<c_int, Error>) -> c_int {
    // SAFETY: the header asks for a pointer from fxt_create or fxt_open that was not closed, or null.
    let Some(handle) = (unsafe { table.as_ref() }) else { return fail("the table is null") };
    match catch_unwind(AssertUnwindSafe(|| call(&handle.table))) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => fail(error),
        Err(_) => fail("an internal error"),
    }
}

/// Stores through a pointer of the caller, unless it is null.
fn put<T>(at: *mut T, value: T) {
    if !at.is_null() {
        // SAFETY: the header asks for a valid pointer to the type, or null, which was excluded.
        unsafe { at.write(value) };
    }
}

#[unsafe(no_mangle)]
extern "C" fn fxt_close(table: *mut Handle) {
    if !table.is_null() {
        // SAFETY: the header asks for a pointer from fxt_create or fxt_open, closed once.
        drop(unsafe { Box::from_raw(table) });
    }
}

#[unsafe(no_mangle)]
extern "C" fn fxt_error() -> *const c_char {
    LAST.with(|last| last.borrow().as_ptr())
}

#[unsafe(no_mangle)]
extern "C" fn fxt_get(table: *const Handle, object: u64, key: u64, value: *mut i64) -> c_int {
    on(table, |table| {
        let Some(found) = table.get(object, key) else { return Ok(ABSENT) };
        put(value, found);
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
extern "C" fn fxt_set(table: *const Handle, object: u64, key: u64, value: i64) -> c_int {
    on(table, |table| table.set(object, key, value).map(|()| OK))
}

#[unsafe(no_mangle)]
extern "C" fn fxt_add(table: *const Handle, object: u64, key: u64, delta: i64, before: *mut i64) -> c_int {
    on(table, |table| {
        put(before, table.add(object, key, delta)?);
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
extern "C" fn fxt_compare_exchange(
    table: *const Handle,
    object: u64,
    key: u64,
    expected: *mut i64,
    new: i64,
) -> c_int {
    // SAFETY: the header asks for a valid pointer, or null for "absent".
    let old = unsafe { expected.as_ref() }.copied();
    on(table, |table| match table.compare_exchange(object, key, old, Some(new))? {
        Ok(()) => Ok(OK),
        Err(None) => Ok(ABSENT),
        Err(Some(found)) => {
            put(expected, found);
            Ok(DIFFERENT)
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn fxt_remove(table: *const Handle, object: u64, key: u64) -> c_int {
    on(table, |table| Ok(if table.remove(object, key)?.is_some() { OK } else { ABSENT }))
}

#[unsafe(no_mangle)]
extern "C" fn fxt_snapshot(
    table: *const Handle,
    object: u64,
    keys: *mut u64,
    values: *mut i64,
    room: usize,
    count: *mut usize,
) -> c_int {
    on(table, |table| {
        let pairs = table.snapshot(object)?;
        put(count, pairs.len());
        if keys.is_null() || values.is_null() {
            return Ok(OK);
        }
        for (n, (key, value)) in pairs.into_iter().take(room).enumerate() {
            // SAFETY: the header asks for `room` elements behind both pointers, and n is below `room`.
            unsafe {
                keys.add(n).write(key);
                values.add(n).write(value);
            }
        }
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
extern "C" fn fxt_publish(table: *const Handle, object: u64, values: *const i64, count: usize) -> c_int {
    if values.is_null() {
        return fail("the values are null");
    }
    // SAFETY: the header asks for `count` elements behind the pointer.
    let values = unsafe { std::slice::from_raw_parts(values, count) };
    on(table, |table| {
        let values: Vec<Option<i64>> = values.iter().copied().map(Some).collect();
        table.publish(object, &values).map(|()| OK)
    })
}

#[unsafe(no_mangle)]
extern "C" fn fxt_objects(table: *const Handle, objects: *mut u64, room: usize, count: *mut usize) -> c_int {
    on(table, |table| {
        let mut found = 0;
        for object in table.objects() {
            if !objects.is_null() && found < room {
                // SAFETY: the header asks for `room` elements behind the pointer.
                unsafe { objects.add(found).write(object) };
            }
            found += 1;
        }
        put(count, found);
        Ok(OK)
    })
}

/// A counter as the header declares it: additions are made in the caller's own code.
#[repr(C)]
#[derive(Debug)]
struct OwnedCounter {
    cell: *mut u8,
    value: i64,
    value_bytes: u32,
}

#[unsafe(no_mangle)]
extern "C" fn fxt_counter_open(
    table: *const Handle,
    object: u64,
    key: u64,
    counter: *mut OwnedCounter,
) -> c_int {
    fn cell<W: fauxplat_table::Width>(
        table: &Table<W>,
        object: u64,
        key: u64,
    ) -> Result<(*mut u8, i64), Error> {
        let counter = table.counter(object, key)?;
        Ok((counter.address().cast_mut(), counter.value()))
    }
    on(table, |table| {
        let (cell, value) = match table {
            AnyTable::Wide(table) => cell(table, object, key)?,
            AnyTable::Narrow(table) => cell(table, object, key)?,
        };
        put(counter, OwnedCounter { cell, value, value_bytes: table.info().value_bytes });
        Ok(OK)
    })
}

/// A reader as the header declares it: dense pairs are read in the caller's own code.
#[repr(C)]
#[derive(Debug)]
struct Reader {
    table: *const Handle,
    cells: *const u8,
    stride: usize,
    objects: u64,
    keys: u64,
    value_bytes: u32,
}

#[unsafe(no_mangle)]
extern "C" fn fxt_reader_open(table: *const Handle, reader: *mut Reader) -> c_int {
    on(table, |open| {
        let dense = match open {
            AnyTable::Wide(table) => table.dense(),
            AnyTable::Narrow(table) => table.dense(),
        };
        let nothing = Dense { cells: std::ptr::null(), stride: 0, objects: 0, keys: 0 };
        let Dense { cells, stride, objects, keys } = dense.unwrap_or(nothing);
        let (keys, value_bytes) = (u64::from(keys), open.info().value_bytes);
        put(reader, Reader { table, cells, stride, objects, keys, value_bytes });
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
extern "C" fn fxt_check(table: *const Handle) -> c_int {
    on(table, |table| table.check().map(|()| OK))
}

#[unsafe(no_mangle)]
extern "C" fn fxt_sync(table: *const Handle) -> c_int {
    on(table, |table| table.sync().map(|()| OK))
}
