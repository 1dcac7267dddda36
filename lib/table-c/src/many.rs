//! Many pairs in one call, whose memory accesses overlap.

use std::ffi::c_int;

use crate::{Handle, OK, fail, on};

/// An object and a key: `fxt_pair` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Pair {
    object: u64,
    key: u64,
}

/// A pair and its value: `fxt_entry` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Entry {
    object: u64,
    key: u64,
    value: i64,
}

/// Number of pairs that are copied at a time, so that no call needs memory in proportion to its size.
const AT_A_TIME: usize = 256;

#[unsafe(no_mangle)]
extern "C" fn fxt_set_many(table: *const Handle, entries: *const Entry, count: usize) -> c_int {
    if count == 0 {
        return on(table, |_| Ok(OK));
    }
    if entries.is_null() {
        return fail("the entries are null");
    }
    // SAFETY: the header asks for `count` elements behind the pointer.
    let entries = unsafe { std::slice::from_raw_parts(entries, count) };
    on(table, |table| {
        let mut some = [(0, 0, 0); AT_A_TIME];
        for entries in entries.chunks(AT_A_TIME) {
            for (one, entry) in some.iter_mut().zip(entries) {
                *one = (entry.object, entry.key, entry.value);
            }
            table.set_many(&some[..entries.len()])?;
        }
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
extern "C" fn fxt_get_many(
    table: *const Handle,
    pairs: *const Pair,
    count: usize,
    values: *mut i64,
    present: *mut u8,
) -> c_int {
    if count == 0 {
        return on(table, |_| Ok(OK));
    }
    if pairs.is_null() || values.is_null() || present.is_null() {
        return fail("the pairs, the values or their marks are null");
    }
    on(table, |table| {
        let (mut some, mut found) = ([(0, 0); AT_A_TIME], [None; AT_A_TIME]);
        for first in (0..count).step_by(AT_A_TIME) {
            let here = AT_A_TIME.min(count - first);
            for (n, one) in some[..here].iter_mut().enumerate() {
                // SAFETY: the header asks for `count` elements behind the pointer, and first + n is below.
                let pair = unsafe { pairs.add(first + n).read() };
                *one = (pair.object, pair.key);
            }
            table.get_many(&some[..here], &mut found[..here]);
            for (n, value) in found[..here].iter().enumerate() {
                // SAFETY: the header asks for `count` elements behind each of these two pointers, and first + n is
                // below.
                unsafe {
                    values.add(first + n).write(value.unwrap_or(0));
                    present.add(first + n).write(u8::from(value.is_some()));
                }
            }
        }
        Ok(OK)
    })
}
