//! Builds each variant once, and keeps it in the cache.

use std::cell::Cell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use fauxplat_launch::Capture;
use fauxplat_launch::words::sha256;
use fauxplat_model::{Build, Outcome, Padding, Variation, Way};
use fauxplat_sys::clock;
use fauxplat_sys::supervisor::Leftovers;
use fauxplat_sys::text::read_regular_text;
use fauxplat_sys::workplace::Workplace;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::VariantError;
use crate::answer::{Answer, Question};
use crate::cache::{Cache, Key, NOTE_BYTES_MAX};
use crate::error::at;
use crate::flags::{self, Words};
use crate::toolchain::Toolchain;

#[derive(Debug)]
pub struct Builder {
    cache: Cache,
    toolchain: Toolchain,
    fingerprint: String,
    ways: Vec<Way>,
    leftovers: Cell<Leftovers>,
}

/// A program that is built in variants, with the results of its unvaried build.
#[derive(Clone, Debug)]
pub struct Recipe {
    build: Build,
    cwd: PathBuf,
    plain: Built,
    questions: Vec<(Question, Answer)>,
    /// Hashes of the programs that have given the right answer.
    verified: HashSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// Path, valid until this process ends. The paths of all variants are equally long.
    pub path: PathBuf,
    /// SHA-256 of the program, in hexadecimal.
    pub sha256: String,
    /// Build time in nanoseconds; `None` if the program was in the cache.
    pub took_ns: Option<u64>,
}

/// Alignments of functions to choose from, in bytes: the usual default of compilers, half a cache line, and a cache
/// line.
const ALIGNMENTS_BYTES: [u32; 3] = [16, 32, 64];

impl Builder {
    /// Opens the cache in a folder and finds out which ways to vary a program the tools of this machine support. `ways`
    /// are the requested ones; an empty list means all that work.
    ///
    /// # Errors
    /// Fails if the folder cannot be used or a requested way does not work here.
    pub fn open(cache: &Path, ways: &[Way]) -> Result<Self, VariantError> {
        let cache = Cache::open(cache)?;
        let fingerprint = Toolchain::fingerprint();
        let toolchain = probed(&cache, &fingerprint)?;
        if let Some(way) = ways.iter().find(|way| !toolchain.ways.contains(way)) {
            return Err(VariantError::NoSuchWay { way: way.name(), reason: toolchain.missing(*way) });
        }
        let ways = if ways.is_empty() { toolchain.ways.clone() } else { ways.to_vec() };
        Ok(Builder { cache, toolchain, fingerprint, ways, leftovers: Cell::default() })
    }

    pub fn toolchain(&self) -> &Toolchain {
        &self.toolchain
    }

    /// Processes that the builds left behind so far.
    pub fn leftovers(&self) -> Leftovers {
        self.leftovers.get()
    }

    pub(crate) fn workplace(&self) -> Result<Workplace, VariantError> {
        self.cache.workplace()
    }

    /// Builds the unvaried program, which shows whether the build works at all. The program is built on every call,
    /// since only its hash shows whether the variants in the cache come from the present sources.
    ///
    /// # Errors
    /// Fails if an object is missing, or the build fails or makes no program.
    pub fn recipe(&mut self, build: &Build, cwd: &Path) -> Result<Recipe, VariantError> {
        let cwd = std::path::absolute(cwd).map_err(at(cwd))?;
        for object in &build.objects {
            let path = cwd.join(object);
            path.metadata().map_err(|source| VariantError::Object { path, source })?;
        }
        let key = self.key(build, &cwd, "plain", &Variation::default());
        let _lock = self.cache.lock(&key)?;
        let made = self.run(build, &cwd, &Variation::default())?;
        let hash = sha256(&made.program).unwrap_or_default();
        let plain = self.keep(&self.key(build, &cwd, &hash, &Variation::default()), &made)?;
        Ok(Recipe { build: build.clone(), cwd, plain, questions: Vec::new(), verified: HashSet::new() })
    }

    /// Draws a variation in all ways at once from a link seed. A way is left out if the build command has no
    /// placeholder for it; a command without any placeholder is assumed to read the flags from the environment.
    pub fn drawn(&self, recipe: &Recipe, link_seed: u64) -> Variation {
        let line = &recipe.build.line;
        let by_environment =
            !["{link_flags}", "{compile_flags}", "{objects}"].iter().any(|place| line.contains(place));
        let has = |way, places: &[&str]| {
            self.ways.contains(&way) && (by_environment || places.iter().any(|place| line.contains(place)))
        };
        // Each way has a random stream of its own, so that its draw does not depend on which other ways are used.
        let draw = |way: Way| {
            let mut random = ChaCha8Rng::seed_from_u64(link_seed);
            random.set_stream(way as u64);
            random
        };
        let seed = |way: Way| draw(way).next_u64() >> 11;
        Variation {
            seed: Some(link_seed),
            object_order: (recipe.build.objects.len() > 1 && has(Way::ObjectOrder, &["{objects}"]))
                .then(|| seed(Way::ObjectOrder)),
            padding: has(Way::Padding, &["{objects}", "{link_flags}"])
                .then(|| Padding::Drawn(seed(Way::Padding))),
            section_order: has(Way::SectionOrder, &["{link_flags}"]).then(|| seed(Way::SectionOrder)),
            section_padding: has(Way::SectionPadding, &["{link_flags}"]).then(|| seed(Way::SectionPadding)),
            alignment_bytes: has(Way::Alignment, &["{compile_flags}"])
                .then(|| ALIGNMENTS_BYTES.choose(&mut draw(Way::Alignment)).copied())
                .flatten(),
        }
    }

    /// Takes a variant from the cache, or builds it, and checks that it gives the answer of the unvaried program.
    ///
    /// # Errors
    /// Fails if the build fails or makes no program, or if the variant gives another answer than the unvaried program.
    pub fn build(&mut self, recipe: &mut Recipe, variation: &Variation) -> Result<Built, VariantError> {
        let key = self.key(&recipe.build, &recipe.cwd, &recipe.plain.sha256, variation);
        let known = |(path, sha256)| Built { path, sha256, took_ns: None };
        let built = match self.cache.find(&key) {
            Some(found) => known(found),
            None => {
                // Only one build of a source tree runs at a time, since concurrent builds would overwrite each other's
                // intermediate files.
                let tree = self.key(&recipe.build, &recipe.cwd, "plain", &Variation::default());
                let _lock = self.cache.lock(&tree)?;
                match self.cache.find(&key) {
                    Some(found) => known(found),
                    None => self.keep(&key, &self.run(&recipe.build, &recipe.cwd, variation)?)?,
                }
            }
        };
        recipe.verify(&built)?;
        Ok(built)
    }

    /// Cache key of a variant: a hash of everything that it is made from, including the tools.
    fn key(&self, build: &Build, cwd: &Path, source: &str, variation: &Variation) -> Key {
        let variation = serde_json::to_string(variation).unwrap_or_default();
        let cwd = cwd.display().to_string();
        let mut parts = vec!["1", &self.fingerprint, &build.line, &cwd, source, &variation];
        let hashes =
            build.objects.iter().map(|object| sha256(&Path::new(&cwd).join(object)).unwrap_or_default());
        let hashes: Vec<String> = hashes.collect();
        parts.extend(build.objects.iter().chain(&hashes).map(String::as_str));
        Key::of(&parts)
    }

    fn keep(&self, key: &Key, made: &Made) -> Result<Built, VariantError> {
        let (path, sha256) = self.cache.keep(key, &made.program)?;
        Ok(Built { path, sha256, took_ns: Some(made.took_ns) })
    }

    fn run(&self, build: &Build, cwd: &Path, variation: &Variation) -> Result<Made, VariantError> {
        let place = self.cache.workplace()?;
        let out = place.path().join("program");
        let pads = place_without_blanks(place.path());
        let pads_at = pads.as_ref().map_or(place.path(), Workplace::path);
        let words = flags::words(build, variation, &self.toolchain, pads_at)?;
        let line = filled(&build.line, &words, &out);
        let begun_ns = clock::monotonic_ns();
        let capture = Capture {
            cwd: Some(cwd.to_owned()),
            env_set: environment(&words, &out, place.path()),
            // A daemon of the build would run beside the measurement.
            ends_leftovers: true,
            ..Capture::shell(&line)
        };
        let captured = capture.run()?;
        let (before, now) = (self.leftovers.get(), captured.leftovers);
        let (ended, some_live) = (before.ended + now.ended, before.some_live || now.some_live);
        self.leftovers.set(Leftovers { ended, some_live });
        let took_ns = clock::monotonic_ns() - begun_ns;
        let output = || captured.output.text().into_owned();
        match captured.outcome {
            Outcome::Exited(0) if out.is_file() => {}
            Outcome::Exited(0) => {
                return Err(VariantError::NoProgram { line: build.line.clone(), output: output() });
            }
            failed => {
                return Err(VariantError::Failed { line, status: failed.exit_status(), output: output() });
            }
        }
        Ok(Made { _place: place, program: out, took_ns })
    }
}

/// Result of a build command, valid as long as its temporary folder exists.
struct Made {
    _place: Workplace,
    program: PathBuf,
    took_ns: u64,
}

impl Recipe {
    pub fn plain(&self) -> &Built {
        &self.plain
    }

    /// Adds a question for the variants, with the right answer from the unvaried program.
    ///
    /// # Errors
    /// Fails if the unvaried program cannot be run, gives no stable answer, or fails its check.
    pub fn ask(&mut self, question: Question) -> Result<(), VariantError> {
        if let Some(answer) = question.expected(&self.plain.path, &self.build.line)? {
            self.questions.push((question, answer));
        }
        self.verified.clear();
        Ok(())
    }

    /// Returns a warning if the build command names a source, object or library before `{link_flags}`: padding that is
    /// linked after a file does not move its code, so the layout varies less than expected.
    pub fn doubt(&self) -> Option<String> {
        let (before, _) = self.build.line.split_once("{link_flags}")?;
        let is_source =
            |word: &&str| [".c", ".o", ".cc", ".cpp", ".s", ".S", ".a"].iter().any(|end| word.ends_with(end));
        before.split_whitespace().find(is_source).map(|word| {
            format!(
                "the build command names {word} before {{link_flags}}: padding after {word} does not move it"
            )
        })
    }

    fn verify(&mut self, built: &Built) -> Result<(), VariantError> {
        if self.verified.contains(&built.sha256) {
            return Ok(());
        }
        for (question, answer) in &self.questions {
            question.verify(answer, &built.path, &self.build.line)?;
        }
        self.verified.insert(built.sha256.clone());
        Ok(())
    }
}

/// Returns what the tools can vary, from the note in the cache, or by trying the tools.
fn probed(cache: &Cache, fingerprint: &str) -> Result<Toolchain, VariantError> {
    let note = cache.note("toolchain.json");
    let noted: Option<(String, Toolchain)> =
        read_regular_text(&note, NOTE_BYTES_MAX).ok().and_then(|text| serde_json::from_str(&text).ok());
    if let Some((of, toolchain)) = noted
        && of == fingerprint
    {
        return Ok(toolchain);
    }
    let place = cache.workplace()?;
    let toolchain = Toolchain::probe(place.path())?;
    // If no way works, the cause may be temporary, such as a full disk, so the result is not kept.
    if !toolchain.ways.is_empty()
        && let Ok(text) = serde_json::to_string(&(fingerprint, &toolchain))
    {
        // The note is written by one rename, since another fauxplat may be reading the file. If writing fails, the next
        // call tries the tools again.
        let fresh = place.path().join("toolchain.json");
        let _unheard = std::fs::write(&fresh, text).and_then(|()| std::fs::rename(&fresh, &note));
    }
    Ok(toolchain)
}

/// Makes another folder for the files that flags name, if the path of the usual folder `place` contains blanks: a shell
/// splits flags from the environment at blanks, even within quotes. `None` if no other folder is needed or can be made.
fn place_without_blanks(place: &Path) -> Option<Workplace> {
    let has_blanks = place.to_string_lossy().contains(char::is_whitespace);
    has_blanks.then(|| Workplace::make("flags", Path::new("/tmp")).ok()).flatten()
}

fn filled(line: &str, words: &Words, out: &Path) -> String {
    let places = [
        ("{out}", flags::quoted(&out.display().to_string())),
        ("{seed}", words.seed.clone()),
        ("{objects}", words.objects.clone()),
        ("{link_flags}", words.link_flags.clone()),
        ("{compile_flags}", words.compile_flags.clone()),
    ];
    places.iter().fold(line.to_owned(), |line, (place, text)| line.replace(place, text))
}

/// Environment variables with the texts of the placeholders, for build commands that read their flags from there.
/// `TMPDIR` is the build's folder, so that the temporary files of a killed compiler are deleted with it.
fn environment(words: &Words, out: &Path, place: &Path) -> Vec<(String, String)> {
    [
        ("TMPDIR", place.display().to_string()),
        ("FAUXPLAT_OUT", out.display().to_string()),
        ("FAUXPLAT_SEED", words.seed.clone()),
        ("FAUXPLAT_OBJECTS", words.objects.clone()),
        ("FAUXPLAT_LINK_FLAGS", words.link_flags.clone()),
        ("FAUXPLAT_COMPILE_FLAGS", words.compile_flags.clone()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}
