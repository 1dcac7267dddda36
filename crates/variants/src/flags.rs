//! Flags and files of a build command, as a variation requires them.

use std::path::{Path, PathBuf};

use fauxplat_model::{Build, Padding, Variation};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::VariantError;
use crate::error::at;
use crate::pad::{self, Amounts};
use crate::toolchain::{Linker, Toolchain};

/// Words that replace the placeholders of a build command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) seed: String,
    pub(crate) objects: String,
    pub(crate) link_flags: String,
    pub(crate) compile_flags: String,
}

/// Streams of the random generator, one for each way of varying the layout, so that the draws of a way do not depend on
/// the other ways.
const OBJECTS: u64 = 0;
const PADS: u64 = 1;

/// Upper bound of padding, in bytes: a displacement by more than a page has the effects of a smaller one again.
const PAGE_BYTES: u64 = 4096;
/// Granularity of padding, in bytes: the alignment of the code or data after the padding rounds smaller displacements
/// away.
const STEP_BYTES: u64 = 16;
/// Maximum number of objects before which padding is put, so that thousands of objects do not make the program too
/// large.
const PADS_MAX: usize = 64;

fn random(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(stream);
    random
}

fn amounts(padding: Padding, places: usize) -> Vec<Amounts> {
    match padding {
        Padding::Bytes(bytes) => {
            let bytes = u64::from(bytes);
            vec![Amounts {
                code_bytes: bytes,
                constants_bytes: bytes,
                data_bytes: bytes,
                zeroes_bytes: bytes,
            }]
        }
        Padding::Drawn(seed) => {
            let mut random = random(seed, PADS);
            let mut bytes = || random.random_range(0..PAGE_BYTES / STEP_BYTES) * STEP_BYTES;
            let mut one = || Amounts {
                code_bytes: bytes(),
                constants_bytes: bytes(),
                data_bytes: bytes(),
                zeroes_bytes: bytes(),
            };
            (0..places.clamp(1, PADS_MAX)).map(|_| one()).collect()
        }
    }
}

fn order(objects: &[String], seed: Option<u64>) -> Vec<String> {
    let mut order = objects.to_vec();
    if let Some(seed) = seed {
        order.shuffle(&mut random(seed, OBJECTS));
    }
    order
}

fn write_pads(variation: &Variation, places: usize, folder: &Path) -> Result<Vec<PathBuf>, VariantError> {
    let amounts = variation.padding.map(|padding| amounts(padding, places)).unwrap_or_default();
    let write = |(number, amounts): (usize, &Amounts)| {
        let path = folder.join(format!("pad-{number:02}.o"));
        std::fs::write(&path, pad::object(*amounts)).map_err(at(&path))?;
        Ok(path)
    };
    amounts.iter().enumerate().map(write).collect()
}

/// Texts of the placeholders for a variation of a build. Padding objects are written into `folder`.
pub(crate) fn words(
    build: &Build,
    variation: &Variation,
    toolchain: &Toolchain,
    folder: &Path,
) -> Result<Words, VariantError> {
    let takes_objects = !build.objects.is_empty();
    let pads = write_pads(variation, if takes_objects { build.objects.len() } else { 1 }, folder)?;
    let pads: Vec<String> = pads.iter().map(|path| quoted(&path.display().to_string())).collect();
    let objects = order(&build.objects, variation.object_order);
    let mut link = Vec::new();
    let mut listed = Vec::new();
    match takes_objects {
        true => listed = interleaved(&pads, objects.iter().map(|object| quoted(object))),
        false => link.clone_from(&pads),
    }
    link.extend(section_flags(variation, toolchain));
    Ok(Words {
        seed: variation.seed.unwrap_or(0).to_string(),
        objects: listed.join(" "),
        link_flags: link.join(" "),
        compile_flags: compile_flags(variation).join(" "),
    })
}

fn interleaved(pads: &[String], objects: impl Iterator<Item = String>) -> Vec<String> {
    let mut pads = pads.iter().cloned();
    objects.flat_map(|object| pads.next().into_iter().chain([object]).collect::<Vec<_>>()).collect()
}

/// Flags by which the compiler driver makes the linker shuffle or pad sections.
fn section_flags(variation: &Variation, toolchain: &Toolchain) -> Vec<String> {
    let mut flags = Vec::new();
    if variation.section_order.is_some() || variation.section_padding.is_some() {
        flags.extend(toolchain.linker.map(|linker| format!("-fuse-ld={}", linker.name())));
    }
    if let Some(seed) = variation.section_order {
        // Seeds of lld and mold have 32 bits.
        let seed = seed as u32;
        match toolchain.linker {
            Some(Linker::Mold) => flags.push(format!("-Wl,--shuffle-sections={seed}")),
            // Only the named sections are shuffled, since sections of initialisers must keep their order. The stars are
            // not quoted: the flags often stand within quotes already, and no file has such a name.
            _ => flags.extend(
                [".text*", ".rodata*", ".data*", ".bss*"]
                    .map(|sections| format!("-Wl,--shuffle-sections={sections}={seed}")),
            ),
        }
    }
    flags.extend(
        variation.section_padding.map(|seed| format!("-Wl,--randomize-section-padding={}", seed as u32)),
    );
    flags
}

fn compile_flags(variation: &Variation) -> Vec<String> {
    let mut flags = Vec::new();
    if variation.section_order.is_some() || variation.section_padding.is_some() {
        // A section per function and per variable gives the linker units to shuffle.
        flags.extend(["-ffunction-sections".to_owned(), "-fdata-sections".to_owned()]);
    }
    flags.extend(variation.alignment_bytes.map(|bytes| format!("-falign-functions={bytes}")));
    flags
}

/// Quotes a text as one word of a shell line.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=,:@%".contains(c);
    match text.chars().all(plain) && !text.is_empty() {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use fauxplat_launch::words::split;

    use super::*;

    #[test]
    fn the_seed_alone_decides() {
        let objects: Vec<String> = (0..8).map(|number| format!("{number}.o")).collect();
        assert_eq!(order(&objects, Some(3)), order(&objects, Some(3)));
        assert_ne!(order(&objects, Some(3)), order(&objects, Some(4)));
        assert_eq!(order(&objects, None), objects);
        assert_eq!(amounts(Padding::Drawn(5), 3), amounts(Padding::Drawn(5), 3));
        assert_ne!(amounts(Padding::Drawn(5), 3), amounts(Padding::Drawn(6), 3));
    }

    #[test]
    fn padding_stands_before_each_object() {
        let folder = tempfile::tempdir().unwrap();
        let build = Build { line: "cc {objects}".into(), objects: vec!["a.o".into(), "b c.o".into()] };
        let variation = Variation { padding: Some(Padding::Drawn(1)), ..Variation::default() };
        let words = words(&build, &variation, &Toolchain::default(), folder.path()).unwrap();
        let paths = split(&words.objects).unwrap();
        let names: Vec<&str> = paths.iter().map(|path| path.rsplit('/').next().unwrap()).collect();
        assert_eq!(names, ["pad-00.o", "a.o", "pad-01.o", "b c.o"]);
        assert_eq!(words.link_flags, "");
    }

    #[test]
    fn flags_name_the_linker_that_understands_them() {
        let folder = tempfile::tempdir().unwrap();
        let build = Build { line: "cc {link_flags}".into(), objects: vec![] };
        let variation =
            Variation { section_order: Some(7), alignment_bytes: Some(32), ..Variation::default() };
        let with = |linker| {
            let toolchain = Toolchain { linker: Some(linker), ..Toolchain::default() };
            words(&build, &variation, &toolchain, folder.path()).unwrap()
        };
        assert_eq!(with(Linker::Mold).link_flags, "-fuse-ld=mold -Wl,--shuffle-sections=7");
        assert!(with(Linker::Lld).link_flags.contains("-Wl,--shuffle-sections=.text*=7 "));
        assert_eq!(
            with(Linker::Lld).compile_flags,
            "-ffunction-sections -fdata-sections -falign-functions=32"
        );
    }

    #[test]
    fn words_survive_the_shell() {
        for text in ["a b", "it's", "$HOME", "", "*"] {
            let echoed =
                fauxplat_launch::Capture::shell(&format!("printf %s {}", quoted(text))).run().unwrap();
            assert_eq!(echoed.output.whole(), Some(text.as_bytes()));
        }
    }

    #[test]
    fn no_object_is_lost_however_they_are_ordered_and_padded() {
        let folder = tempfile::tempdir().unwrap();
        for count in [1, 2, PADS_MAX - 1, PADS_MAX, PADS_MAX + 10] {
            let objects: Vec<String> = (0..count).map(|number| format!("{number}.o")).collect();
            let build = Build { line: "cc {objects}".into(), objects: objects.clone() };
            let variation = Variation {
                object_order: Some(count as u64),
                padding: Some(Padding::Drawn(1)),
                ..Variation::default()
            };
            let words = words(&build, &variation, &Toolchain::default(), folder.path()).unwrap();
            let (pads, mut own): (Vec<String>, Vec<String>) =
                split(&words.objects).unwrap().into_iter().partition(|word| word.contains("/pad-"));
            own.sort_unstable();
            let mut expected = objects;
            expected.sort_unstable();
            assert_eq!((own, pads.len()), (expected, count.min(PADS_MAX)), "{count}");
        }
    }

    #[test]
    fn what_one_way_draws_does_not_depend_on_the_others() {
        let objects: Vec<String> = (0..20).map(|number| format!("{number}.o")).collect();
        let folder = tempfile::tempdir().unwrap();
        let build = Build { line: "cc {objects}".into(), objects };
        let drawn = |padding| {
            let variation = Variation { object_order: Some(5), padding, ..Variation::default() };
            let words = words(&build, &variation, &Toolchain::default(), folder.path()).unwrap();
            let mut own = split(&words.objects).unwrap();
            own.retain(|word| !word.contains("/pad-"));
            own
        };
        assert_eq!(drawn(None), drawn(Some(Padding::Drawn(5))));
        assert_ne!(random(5, OBJECTS).random::<u64>(), random(5, PADS).random::<u64>());
    }

    #[test]
    fn padding_stays_within_a_page_in_steps_that_are_not_rounded_away() {
        for seed in 0..50 {
            for Amounts { code_bytes, constants_bytes, data_bytes, zeroes_bytes } in
                amounts(Padding::Drawn(seed), 4)
            {
                for bytes in [code_bytes, constants_bytes, data_bytes, zeroes_bytes] {
                    assert!(bytes < PAGE_BYTES && bytes.is_multiple_of(STEP_BYTES), "{seed}: {bytes}");
                }
            }
        }
        assert_eq!(amounts(Padding::Drawn(1), 0).len(), 1, "a build without objects has one place");
        let stated = Amounts { code_bytes: 48, constants_bytes: 48, data_bytes: 48, zeroes_bytes: 48 };
        assert_eq!(amounts(Padding::Bytes(48), 9), [stated]);
    }

    #[test]
    fn without_any_variation_nothing_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let build = Build { line: "cc {objects}".into(), objects: vec!["b.o".into(), "a.o".into()] };
        let told = words(&build, &Variation::default(), &Toolchain::default(), folder.path()).unwrap();
        let nothing = String::new();
        let plain = Words {
            seed: "0".into(),
            objects: "b.o a.o".into(),
            link_flags: nothing.clone(),
            compile_flags: nothing,
        };
        assert_eq!(told, plain);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn where_no_objects_are_named_the_linker_gets_the_padding() {
        let folder = tempfile::tempdir().unwrap();
        let build = Build { line: "cc {link_flags}".into(), objects: Vec::new() };
        let variation = Variation {
            padding: Some(Padding::Bytes(32)),
            section_padding: Some(u64::from(u32::MAX) + 8),
            ..Variation::default()
        };
        let toolchain = Toolchain { linker: Some(Linker::Lld), ..Toolchain::default() };
        let told = words(&build, &variation, &toolchain, folder.path()).unwrap();
        let words = split(&told.link_flags).unwrap();
        assert!(words[0].ends_with("/pad-00.o") && Path::new(&words[0]).is_file(), "{words:?}");
        assert_eq!(words[1..], ["-fuse-ld=lld", "-Wl,--randomize-section-padding=7"]);
        assert!(told.compile_flags.contains("-fdata-sections") && told.objects.is_empty());
    }
}
