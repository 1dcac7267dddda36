//! Real builds with the compiler of this machine.
#![expect(clippy::disallowed_macros, reason = "a skipped test says so")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use fauxplat_launch::Capture;
use fauxplat_model::{Build, Condition, Outcome, Variation, Way};
use fauxplat_variants::{Builder, Built, ProgramSlots, Question, Recipe, VariantError};
use tempfile::TempDir;

/// A folder with a small program in two files, and a cache beside it.
struct Yard {
    folder: TempDir,
    builder: Builder,
}

const MAIN: &str =
    "#include <stdio.h>\nint work(int);\nint main(void) { printf(\"%d\\n\", work(20)); return 0; }\n";
const WORK: &str = "int work(int x) { return 2 * x + 2; }\n";
const LINE: &str = "cc -O1 {compile_flags} {link_flags} -o {out} main.c work.c";

fn yard() -> Yard {
    // Permissions for the owner only, whatever the umask: a cache to which others may write is refused.
    let for_us = fs::Permissions::from_mode(0o700);
    let folder = tempfile::Builder::new().permissions(for_us).tempdir().unwrap();
    fs::write(folder.path().join("main.c"), MAIN).unwrap();
    fs::write(folder.path().join("work.c"), WORK).unwrap();
    let builder = Builder::open(&folder.path().join("cache"), &[]).unwrap();
    Yard { folder, builder }
}

impl Yard {
    fn recipe(&mut self, line: &str, objects: &[&str]) -> Result<Recipe, VariantError> {
        let objects = objects.iter().map(|&object| object.to_owned()).collect();
        self.builder.recipe(&Build { line: line.to_owned(), objects }, self.folder.path())
    }

    fn asked(&mut self, line: &str, objects: &[&str]) -> Recipe {
        let mut recipe = self.recipe(line, objects).unwrap();
        let question = Question { argv: vec!["{program}".into()], ..Question::default() };
        recipe.ask(question).unwrap();
        recipe
    }

    fn hash(&mut self, recipe: &mut Recipe, seed: u64) -> String {
        let variation = self.builder.drawn(recipe, seed);
        self.builder.build(recipe, &variation).unwrap().sha256
    }
}

fn output(program: &Path) -> Vec<u8> {
    Capture { program: program.to_owned(), ..Capture::default() }
        .run()
        .unwrap()
        .output
        .whole()
        .unwrap()
        .to_vec()
}

#[test]
fn seeds_give_other_layouts_of_the_same_program() {
    let mut yard = yard();
    let mut recipe = yard.asked(LINE, &[]);
    let built: Vec<_> = (0..4)
        .map(|seed| {
            let variation = yard.builder.drawn(&recipe, seed);
            assert!(variation.padding.is_some() && variation.alignment_bytes.is_some());
            yard.builder.build(&mut recipe, &variation).unwrap()
        })
        .collect();
    for (number, one) in built.iter().enumerate() {
        assert!(built[..number].iter().all(|other| other.sha256 != one.sha256));
        assert_eq!(one.path.as_os_str().len(), built[0].path.as_os_str().len());
        assert_eq!(output(&one.path), b"42\n");
        assert!(one.took_ns.is_some());
    }
    let variation = yard.builder.drawn(&recipe, 2);
    let again = yard.builder.build(&mut recipe, &variation).unwrap();
    assert_eq!((again.sha256, again.took_ns), (built[2].sha256.clone(), None), "from the cache");
}

#[test]
fn objects_are_permuted_and_padded_by_the_ordinary_linker() {
    let mut yard = yard();
    let compiled = Capture { cwd: Some(yard.folder.path().into()), ..Capture::shell("cc -c main.c work.c") };
    assert_eq!(compiled.run().unwrap().outcome, Outcome::Exited(0));
    let mut recipe = yard.asked("cc {objects} -o {out}", &["main.o", "work.o"]);
    let ordered = |seed| Variation { object_order: Some(seed), ..Variation::default() };
    let hashes: Vec<String> =
        (0..8).map(|seed| yard.builder.build(&mut recipe, &ordered(seed)).unwrap().sha256).collect();
    let distinct: std::collections::HashSet<_> = hashes.iter().collect();
    assert_eq!(distinct.len(), 2, "two objects have two orders");
    assert_ne!(yard.hash(&mut recipe, 1), yard.hash(&mut recipe, 2), "and padding besides");
    let missing = yard.recipe("cc {objects} -o {out}", &["main.o", "gone.o"]).unwrap_err().to_string();
    assert!(missing.contains("gone.o"), "{missing}");
}

#[test]
fn flags_may_come_from_the_environment() {
    let mut yard = yard();
    let line = "cc $FAUXPLAT_COMPILE_FLAGS $FAUXPLAT_LINK_FLAGS -o \"$FAUXPLAT_OUT\" main.c work.c";
    let mut recipe = yard.asked(line, &[]);
    assert_ne!(yard.hash(&mut recipe, 1), yard.hash(&mut recipe, 2));
}

/// A compiler that is killed leaves its temporary files behind.
#[test]
fn what_a_build_leaves_in_its_temporary_folder_goes_with_it() {
    let mut yard = yard();
    yard.asked(&format!("echo $TMPDIR > where && : > $TMPDIR/left && {LINE}"), &[]);
    let place = fs::read_to_string(yard.folder.path().join("where")).unwrap();
    assert!(place.trim_end().starts_with('/') && !Path::new(place.trim_end()).exists(), "{place}");
}

#[test]
fn sections_are_shuffled_where_a_linker_can() {
    let mut yard = yard();
    if !yard.builder.toolchain().ways.contains(&Way::SectionOrder) {
        let refused = Builder::open(&yard.folder.path().join("cache"), &[Way::SectionOrder]).unwrap_err();
        assert!(refused.to_string().contains("install lld or mold"), "{refused}");
        eprintln!("skipped: neither lld nor mold is installed here");
        return;
    }
    let mut recipe = yard.asked(LINE, &[]);
    let shuffled = |seed| Variation { section_order: Some(seed), ..Variation::default() };
    let one = yard.builder.build(&mut recipe, &shuffled(1)).unwrap();
    assert!(
        (2..6).any(|seed| yard.builder.build(&mut recipe, &shuffled(seed)).unwrap().sha256 != one.sha256)
    );
}

#[test]
fn a_changed_source_is_not_found_in_the_cache() {
    let mut yard = yard();
    let mut recipe = yard.asked(LINE, &[]);
    let before = yard.hash(&mut recipe, 1);
    fs::write(yard.folder.path().join("work.c"), "int work(int x) { return 3 * x - 18; }\n").unwrap();
    let mut recipe = yard.asked(LINE, &[]);
    assert_ne!(yard.hash(&mut recipe, 1), before);
    fs::write(yard.folder.path().join("work.c"), WORK).unwrap();
    let mut recipe = yard.asked(LINE, &[]);
    let variation = yard.builder.drawn(&recipe, 1);
    let back = yard.builder.build(&mut recipe, &variation).unwrap();
    assert_eq!((back.sha256, back.took_ns), (before, None));
}

#[test]
fn what_goes_wrong_is_told_with_the_output() {
    let mut yard = yard();
    match yard.recipe("echo oops; cc {out} no-such.c", &[]).unwrap_err() {
        VariantError::Failed { status, output, .. } => {
            assert_eq!(status, 1);
            assert!(output.contains("oops") && output.contains("no-such.c"), "{output}");
        }
        other => panic!("{other}"),
    }
    assert!(matches!(yard.recipe("true", &[]), Err(VariantError::NoProgram { .. })));
}

#[test]
fn a_variant_with_another_answer_is_refused() {
    let mut yard = yard();
    fs::write(yard.folder.path().join("work.c"), "int work(int x) { return x + SEED; }\n").unwrap();
    let mut recipe = yard.asked("cc -DSEED={seed} -o {out} main.c work.c", &[]);
    let variation = yard.builder.drawn(&recipe, 5);
    let refused = yard.builder.build(&mut recipe, &variation).unwrap_err();
    assert!(refused.to_string().contains("another output"), "{refused}");
}

#[test]
fn the_same_program_for_every_seed_has_one_hash() {
    let mut yard = yard();
    let mut recipe = yard.asked("cc -o {out} main.c work.c", &[]);
    assert_eq!(yard.hash(&mut recipe, 1), yard.hash(&mut recipe, 2));
}

#[test]
fn two_builders_share_a_cache() {
    let yard = yard();
    let cache = yard.folder.path().join("cache");
    let hashes: Vec<String> = std::thread::scope(|scope| {
        let build = || {
            let mut builder = Builder::open(&cache, &[]).unwrap();
            let build = Build { line: LINE.to_owned(), objects: vec![] };
            let mut recipe = builder.recipe(&build, yard.folder.path()).unwrap();
            let variation = builder.drawn(&recipe, 1);
            builder.build(&mut recipe, &variation).unwrap().sha256
        };
        let workers: Vec<_> = (0..3).map(|_| scope.spawn(build)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert!(hashes.iter().all(|hash| *hash == hashes[0]));
}

#[test]
fn a_berth_keeps_its_path_and_changes_its_program() {
    let mut yard = yard();
    let mut recipe = yard.asked(LINE, &[]);
    let slots = ProgramSlots::new(&yard.builder, 2).unwrap();
    assert_eq!(slots.path(0).as_os_str().len(), slots.path(1).as_os_str().len());
    let mut hashes = Vec::new();
    for seed in [1, 2] {
        let variation = yard.builder.drawn(&recipe, seed);
        let built = yard.builder.build(&mut recipe, &variation).unwrap();
        slots.put(0, &built).unwrap();
        assert_eq!(output(slots.path(0)), b"42\n");
        hashes.push(fauxplat_launch::words::sha256(slots.path(0)).unwrap());
    }
    assert_ne!(hashes[0], hashes[1]);
}

#[test]
fn questions_are_asked_under_the_condition() {
    let mut yard = yard();
    fs::write(
        yard.folder.path().join("work.c"),
        "#include <stdlib.h>\nint work(int x) { return getenv(\"SET\") ? x : -x; }\n",
    )
    .unwrap();
    let mut recipe = yard.recipe(LINE, &[]).unwrap();
    let condition = Condition { env_set: vec!["SET=1".into()], ..Condition::default() };
    let check = Some("test \"$({program})\" = 20".to_owned());
    recipe.ask(Question { argv: vec!["{program}".into()], condition, check: check.clone() }).unwrap();
    yard.hash(&mut recipe, 1);
    let bare = Question { argv: vec!["{program}".into()], condition: Condition::default(), check };
    assert!(recipe.ask(bare).unwrap_err().to_string().contains("--check"));
}

/// A partial copy, after the disk is full or the program changed during the copy, is never put into the slot.
#[test]
fn what_is_not_copied_whole_is_not_put_in_its_place() {
    let mut yard = yard();
    let recipe = yard.asked(LINE, &[]);
    let slots = ProgramSlots::new(&yard.builder, 1).unwrap();
    slots.put(0, recipe.plain()).unwrap();
    let before = fs::read(slots.path(0)).unwrap();
    // Reading this file fails at once, although the destination file is created.
    let unreadable = Built { path: "/proc/self/mem".into(), ..recipe.plain().clone() };
    let another = yard.folder.path().join("another");
    fs::write(&another, &before[..before.len() / 2]).unwrap();
    let half = Built { path: another, ..recipe.plain().clone() };
    let missing = Built { path: yard.folder.path().join("none"), ..recipe.plain().clone() };
    for broken in [unreadable, half, missing] {
        let error = slots.put(0, &broken).unwrap_err();
        assert!(matches!(error, VariantError::NotCopied { .. }), "{error}");
        assert_eq!(fs::read(slots.path(0)).unwrap(), before);
    }
}
