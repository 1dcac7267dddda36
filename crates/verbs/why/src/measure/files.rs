//! Facts about the files of both programs.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use fauxplat_sys::files::{open_regular, read_bounded};
use object::{Object, ObjectSymbol};

use crate::evidence::Files;

/// Size in bytes of the largest executable whose imports are read.
const BYTES_MAX: u64 = 256 << 20;

/// Facts about the files of the faster and of the slower program; `hashes` are those of their contents, if known, and
/// `words` their argument vectors.
pub(super) fn files(programs: [&Path; 2], hashes: [Option<&str>; 2], words: [&[String]; 2]) -> Files {
    let are_equal = hashes[0].zip(hashes[1]).map(|(a, b)| a == b);
    let [own, other] = [1, 0].map(|side: usize| imports(programs[side]));
    Files {
        are_equal: are_equal.or_else(|| same(programs).then_some(true)),
        have_equal_words: words[0].get(1..) == words[1].get(1..),
        bytes: programs.map(|path| open_regular(path).ok()?.metadata().ok().map(|it| it.len())),
        imported: own.difference(&other).cloned().collect(),
    }
}

fn same([a, b]: [&Path; 2]) -> bool {
    let whole = |path: &Path| File::open(path).and_then(|file| file.metadata()).ok();
    let id = |path| {
        whole(path)
            .map(|it| (std::os::unix::fs::MetadataExt::dev(&it), std::os::unix::fs::MetadataExt::ino(&it)))
    };
    id(a).is_some() && id(a) == id(b)
}

/// Names of functions that a program imports from libraries; none for a script or an unreadable file.
fn imports(program: &Path) -> BTreeSet<String> {
    let bytes = read_bounded(program, BYTES_MAX).unwrap_or_default();
    let Ok(file) = object::File::parse(bytes.as_slice()) else { return BTreeSet::new() };
    let undefined = file.dynamic_symbols().filter(|symbol| symbol.is_undefined());
    let names = undefined.filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    names.filter(|name| !name.is_empty()).collect()
}
