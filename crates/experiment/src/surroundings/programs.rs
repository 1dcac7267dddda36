//! Programs that fauxplat builds: their paths, and their layout in each block.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use fauxplat_launch::{left_behind, words};
use fauxplat_model::{Build, Definition, Scope, Variant, Variation};
use fauxplat_plan::{Expanded, expand};
use fauxplat_variants::{Builder, Built, ProgramSlots, Question, Recipe, default_cache};

use crate::Failure;
use crate::commands::by_shell;

#[derive(Debug)]
pub struct ProgramBuilds {
    builder: Builder,
    slots: ProgramSlots,
    recipes: Vec<Recipe>,
    /// How each command's program is built; `None` for a command that is not built.
    works: Vec<Option<Work>>,
    variants: Vec<Variant>,
    seed: u64,
}

#[derive(Clone, Copy, Debug)]
struct Work {
    recipe: usize,
    /// Link seed that the command line fixes; `None` if each block draws one.
    link_seed: Option<u64>,
}

impl ProgramBuilds {
    /// Builds every program of a definition once. Returns `None` if the definition builds nothing.
    ///
    /// # Errors
    /// Fails if a build fails, or a command does not use its built program.
    pub fn open(definition: &Definition, seed: u64) -> Result<Option<Self>, Failure> {
        let expanded = expand(definition).map_err(Failure::usage)?;
        if expanded.iter().all(|one| one.build.is_none()) {
            return Ok(None);
        }
        let builder = Builder::open(&default_cache()?, &definition.vary)?;
        let slots = ProgramSlots::new(&builder, expanded.len())?;
        let mut programs = ProgramBuilds {
            builder,
            slots,
            recipes: Vec::new(),
            works: Vec::new(),
            variants: Vec::new(),
            seed,
        };
        let mut builds: Vec<Build> = Vec::new();
        for (number, one) in expanded.iter().enumerate() {
            let work = one
                .build
                .as_ref()
                .map(|build| programs.take_in(build, &mut builds, one, definition))
                .transpose();
            programs.works.push(work?);
            programs.lay_out(number)?;
        }
        Ok(Some(programs))
    }

    /// Adds the build of a command to `builds` unless it is there; its recipe gets the command line by whose answer
    /// each variant of the program is checked.
    fn take_in(
        &mut self,
        build: &Build,
        builds: &mut Vec<Build>,
        one: &Expanded,
        definition: &Definition,
    ) -> Result<Work, Failure> {
        if !["{program}", "{out}"].iter().any(|place| one.command.contains(place)) {
            let command = &one.command;
            return Err(Failure::usage(format!(
                "`{command}` does not use the program that is built: write {{program}} where it stands"
            )));
        }
        let recipe = match builds.iter().position(|known| known == build) {
            Some(known) => known,
            None => {
                self.recipes.push(self.builder.recipe(build, Path::new("."))?);
                builds.push(build.clone());
                builds.len() - 1
            }
        };
        let mut condition = definition.condition.clone();
        condition.env_set.extend_from_slice(&one.env);
        let argv = match condition.shell.is_used() {
            true => {
                let (program, mut argv) = by_shell(&condition, &one.command)?;
                argv[0] = program.display().to_string();
                argv
            }
            false => words::split(&one.command)?,
        };
        let question = Question { argv, condition, check: definition.check.clone() };
        self.recipes[recipe].ask(question)?;
        Ok(Work { recipe, link_seed: one.link_seed })
    }

    /// Puts the first program of a command at its fixed path (its slot): the layout of its link seed, or the unvaried
    /// program if blocks draw link seeds.
    fn lay_out(&mut self, number: usize) -> Result<(), Failure> {
        let Some(work) = self.works[number] else { return Ok(()) };
        match work.link_seed {
            Some(seed) => self.place(number, seed, None),
            None => Ok(self.slots.put(number, self.recipes[work.recipe].plain())?),
        }
    }

    /// Builds the program of a command with the layout of a link seed, and puts it at the command's fixed path.
    fn place(&mut self, number: usize, link_seed: u64, block: Option<u32>) -> Result<(), Failure> {
        let Some(work) = self.works[number] else { return Ok(()) };
        let (built, variant) = self.variant(work, number, link_seed)?;
        self.slots.put(number, &built)?;
        self.variants.push(Variant { blocks: block.into_iter().collect(), ..variant });
        Ok(())
    }

    fn variant(&mut self, work: Work, number: usize, link_seed: u64) -> Result<(Built, Variant), Failure> {
        let recipe = &mut self.recipes[work.recipe];
        let variation = self.builder.drawn(recipe, link_seed);
        let built = self.builder.build(recipe, &variation)?;
        let (command, sha256) = (number as u16, built.sha256.clone());
        Ok((built, Variant { command, link_seed, blocks: Vec::new(), variation, sha256 }))
    }

    /// Fixed path of each command's program, by the index of the command; `None` for a command that is not built.
    pub fn programs(&self) -> Vec<Option<PathBuf>> {
        let path = |(number, work): (usize, &Option<Work>)| work.map(|_| self.slots.path(number).to_owned());
        self.works.iter().enumerate().map(path).collect()
    }

    pub fn redraws(&self) -> bool {
        self.works.iter().flatten().any(|work| work.link_seed.is_none())
    }

    /// Puts the programs of a block at their paths: the layouts of all commands are drawn from one link seed.
    pub fn draw(&mut self, block: u32) -> Result<(), Failure> {
        let link_seed = mixed(self.seed, block.into());
        for number in 0..self.works.len() {
            if self.works[number].is_some_and(|work| work.link_seed.is_none()) {
                self.place(number, link_seed, Some(block))?;
            }
        }
        Ok(())
    }

    /// Estimated time in nanoseconds to build one layout of all programs: the time that the unvaried builds took.
    pub fn build_ns(&self) -> u64 {
        self.recipes.iter().filter_map(|recipe| recipe.plain().took_ns).sum()
    }

    /// The first command's program, built with each of these link seeds; the files are in the cache.
    pub fn candidates(&mut self, link_seeds: &[u64]) -> Result<Vec<Built>, Failure> {
        let work = self.works.iter().flatten().next().copied();
        let work = work.ok_or_else(|| Failure::usage("there is no program to build layouts of"))?;
        link_seeds.iter().map(|&seed| Ok(self.variant(work, 0, seed)?.0)).collect()
    }

    /// Variation of everything that can be varied in the first command's program, drawn from a link seed.
    pub fn drawn(&self, link_seed: u64) -> Variation {
        self.recipes.first().map(|recipe| self.builder.drawn(recipe, link_seed)).unwrap_or_default()
    }

    /// The first command's program, built with exactly this variation; the file is in the cache.
    pub fn set_to(&mut self, variation: &Variation) -> Result<Built, Failure> {
        let recipe = self.recipes.first_mut();
        let recipe = recipe.ok_or_else(|| Failure::usage("there is no program to build layouts of"))?;
        Ok(self.builder.build(recipe, variation)?)
    }

    /// Programs about which a verdict speaks: all layouts of the source, if every build gave different programs, or
    /// else the given binaries.
    pub fn scope(&self) -> Scope {
        let redrawn = |number: usize| self.works[number].is_some_and(|work| work.link_seed.is_none());
        let varied = |number| redrawn(number) && self.distinct(number).1 > 1;
        if (0..self.works.len()).all(varied) { Scope::Source } else { Scope::Binaries }
    }

    /// Number of a command's layouts so far, and of the different programs among them.
    fn distinct(&self, number: usize) -> (usize, usize) {
        let ours = self.variants.iter().filter(|variant| usize::from(variant.command) == number);
        let hashes: Vec<&str> = ours.map(|variant| variant.sha256.as_str()).collect();
        (hashes.len(), hashes.iter().collect::<HashSet<_>>().len())
    }

    /// Layouts that have been put at the commands' paths so far.
    pub fn variants(&self) -> &[Variant] {
        &self.variants
    }

    /// Warning about processes that builds left behind; `None` where they left none.
    pub fn left_behind(&self) -> Option<String> {
        left_behind(self.builder.leftovers()).map(|said| format!("the builds {said}"))
    }

    /// Returns the layouts that were measured, and warnings for the report.
    pub fn close(self) -> (Vec<Variant>, Vec<String>) {
        let mut warnings: Vec<String> = self.recipes.iter().filter_map(Recipe::doubt).collect();
        warnings.extend(self.left_behind());
        for number in (0..self.works.len()).filter(|&number| self.works[number].is_some()) {
            let command = number + 1;
            match self.distinct(number) {
                (many, 1) if many > 1 => warnings.push(format!(
                    "command {command}: the build gave the same program for every link seed: nothing was varied (use \
                     {{link_flags}}, {{compile_flags}}, {{objects}} or {{seed}} in it)"
                )),
                (many, few) if 2 * few < many => warnings.push(format!(
                    "command {command}: {many} blocks had only {few} different layouts, so the interval is too narrow"
                )),
                _ => {}
            }
        }
        (self.variants, warnings)
    }
}

/// A well-mixed number that depends on both arguments (SplitMix64's finaliser, Steele et al., OOPSLA 2014). It has 53
/// bits, so that JSON readers that hold numbers as doubles keep it exactly.
fn mixed(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_add((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) >> 11
}
