//! Creates and opens tables.

use std::ffi::{CStr, CString, OsStr, c_char, c_int};
use std::mem::size_of;
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use fauxplat_table::{AnyTable, Error, Key, Narrow, Options, Wide, Width};

use crate::{Handle, fail};

/// Sizes of a new table: `fxt_sizes` of the header. Zero means the default, except for the dense objects.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Objects `0..n` that have a row from the beginning.
    dense_objects: u64,
    /// Maximum number of further objects with any number.
    max_hashed_objects: u64,
    /// Keys `0..n` that have a column from the beginning.
    dense_keys: u32,
    /// Maximum number of further keys with any number.
    max_sparse_keys: u32,
    /// Size of a value: 4 or 8.
    value_bytes: u32,
    /// Options that are on or off, as bits of [`KNOWN`].
    flags: u32,
}

/// Description of a key: `fxt_key` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CKey {
    pub(crate) key: u64,
    pub(crate) name: *const c_char,
    pub(crate) unit: *const c_char,
    pub(crate) help: *const c_char,
    pub(crate) kind: u32,
    pub(crate) reserved: u32,
}

/// All options for creating a table: `fxt_options` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct COptions {
    struct_bytes: usize,
    sizes: Sizes,
    expected_objects: u64,
    keys: *const CKey,
    key_count: usize,
    mode: u32,
    reserved: u32,
}

const EXCLUSIVE_ROWS: u32 = 1;
const RECORDS: u32 = 2;
const ON_DISK: u32 = 4;
const OF_OTHERS: u32 = 8;
const KNOWN: u32 = EXCLUSIVE_ROWS | RECORDS | ON_DISK | OF_OTHERS;
pub(crate) const COUNTER: u32 = 1;
pub(crate) const GAUGE: u32 = 2;

/// Opens or creates a table with `make` and returns a handle, null after an error. A path is bytes, which need not be
/// UTF-8.
fn open_with(path: *const c_char, make: impl FnOnce(&Path) -> Result<AnyTable, String>) -> *mut Handle {
    if path.is_null() {
        fail("the path is null");
        return std::ptr::null_mut();
    }
    // SAFETY: the header asks for a terminated string.
    let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()));
    match catch_unwind(AssertUnwindSafe(|| make(path).map(handle))) {
        Ok(Ok(handle)) => Box::into_raw(Box::new(handle)),
        Ok(Err(error)) => {
            fail(error);
            std::ptr::null_mut()
        }
        Err(_) => {
            fail("an internal error");
            std::ptr::null_mut()
        }
    }
}

fn handle(table: AnyTable) -> Handle {
    // The library allows no control character in a description, so none of these texts has a zero byte.
    let text = |text: &str| CString::new(text).unwrap_or_default();
    let texts = |key: &Key| [text(&key.name), text(&key.unit), text(&key.help)];
    let texts = table.described().iter().map(texts).collect();
    Handle { table, texts }
}

fn with_sizes(sizes: &Sizes) -> Result<Options, String> {
    if sizes.flags & !KNOWN != 0 {
        return Err(format!("there is no flag {:#x}", sizes.flags & !KNOWN));
    }
    if ![0, 4, 8].contains(&sizes.value_bytes) {
        return Err(format!("a value has 4 or 8 bytes, not {}", sizes.value_bytes));
    }
    let mut options = Options::new().dense_objects(sizes.dense_objects);
    if sizes.max_hashed_objects != 0 {
        options = options.max_hashed_objects(sizes.max_hashed_objects);
    }
    if sizes.dense_keys != 0 {
        options = options.dense_keys(sizes.dense_keys);
    }
    if sizes.max_sparse_keys != 0 {
        options = options.max_sparse_keys(sizes.max_sparse_keys);
    }
    let flag = |bit: u32| sizes.flags & bit != 0;
    let options = options.exclusive_rows(flag(EXCLUSIVE_ROWS)).records(flag(RECORDS));
    Ok(options.on_disk(flag(ON_DISK)).of_others(flag(OF_OTHERS)))
}

/// Returns a text of the caller; empty for null.
fn text(at: *const c_char) -> Result<String, String> {
    if at.is_null() {
        return Ok(String::new());
    }
    // SAFETY: the header asks for a terminated string, or null, which was excluded.
    let bytes = unsafe { CStr::from_ptr(at) }.to_bytes();
    String::from_utf8(bytes.to_vec()).map_err(|_| "the description of a key is not UTF-8".to_owned())
}

fn key(given: &CKey) -> Result<Key, String> {
    let (name, unit, help) = (text(given.name)?, text(given.unit)?, text(given.help)?);
    let key = match given.kind {
        COUNTER => Key::counter(given.key, name),
        GAUGE => Key::gauge(given.key, name),
        kind => return Err(format!("a key is a counter or a gauge, not of kind {kind}")),
    };
    Ok(key.unit(unit).help(help))
}

/// Returns the options, and the size of a value in bytes.
fn read(options: *const COptions) -> Result<(Options, u32), String> {
    // SAFETY: the header asks for a valid pointer to the options, or null for the defaults.
    let Some(given) = (unsafe { options.as_ref() }) else { return Ok((Options::new(), 8)) };
    if given.struct_bytes != size_of::<COptions>() {
        return Err(format!(
            "fxt_options has {} bytes here, not {}",
            size_of::<COptions>(),
            given.struct_bytes
        ));
    }
    if given.keys.is_null() && given.key_count > 0 {
        return Err("the descriptions of keys are null".to_owned());
    }
    let mut keys = Vec::new();
    for number in 0..given.key_count {
        // SAFETY: the header asks for `key_count` descriptions behind the pointer, which is not null.
        keys.push(key(unsafe { &*given.keys.add(number) })?);
    }
    let options = with_sizes(&given.sizes)?.expected_objects(given.expected_objects).describe(keys);
    let options = if given.mode == 0 { options } else { options.mode(given.mode) };
    Ok((options, given.sizes.value_bytes))
}

/// Calls the function in `make` for the width of the values; returns the table or the text of the error.
fn made(options: (Options, u32), path: &Path, make: (Make<Narrow>, Make<Wide>)) -> Result<AnyTable, String> {
    match options.1 {
        4 => (make.0)(&options.0, path).map(AnyTable::Narrow),
        _ => (make.1)(&options.0, path).map(AnyTable::Wide),
    }
    .map_err(|error| error.to_string())
}

type Make<W> = fn(&Options, &Path) -> Result<fauxplat_table::Table<W>, Error>;

fn create<W: Width>(options: &Options, path: &Path) -> Result<fauxplat_table::Table<W>, Error> {
    options.create(path)
}

fn open_or_create<W: Width>(options: &Options, path: &Path) -> Result<fauxplat_table::Table<W>, Error> {
    options.open_or_create(path)
}

#[unsafe(no_mangle)]
extern "C" fn fxt_create(path: *const c_char, sizes: *const Sizes) -> *mut Handle {
    // SAFETY: the header asks for a valid pointer to the sizes, or null for the defaults.
    let sizes = unsafe { sizes.as_ref() };
    open_with(path, |path| {
        let options = match sizes {
            None => (Options::new(), 8),
            Some(sizes) => (with_sizes(sizes)?, sizes.value_bytes),
        };
        made(options, path, (create, create))
    })
}

#[unsafe(no_mangle)]
extern "C" fn fxt_create_with(path: *const c_char, options: *const COptions) -> *mut Handle {
    open_with(path, |path| made(read(options)?, path, (create, create)))
}

#[unsafe(no_mangle)]
extern "C" fn fxt_open_or_create(path: *const c_char, options: *const COptions) -> *mut Handle {
    open_with(path, |path| made(read(options)?, path, (open_or_create, open_or_create)))
}

#[unsafe(no_mangle)]
extern "C" fn fxt_open(path: *const c_char, writable: c_int) -> *mut Handle {
    open_with(path, |path| {
        let table = match writable {
            0 => AnyTable::open_read_only(path),
            _ => AnyTable::open(path),
        };
        table.map_err(|error| error.to_string())
    })
}
