//! Levels of a sweep that are different builds of the program.

use std::collections::HashSet;

use fauxplat_model::{Definition, Factor, Level, Padding, Setting, Variation};
use fauxplat_plan::Sweep;
use fauxplat_variants::Built;

use crate::Failure;
use crate::surroundings::ProgramBuilds;

#[derive(Debug)]
pub(super) struct Builds {
    /// Builds of the commands' programs, without which the cache could drop the programs in `made`.
    programs: ProgramBuilds,
    /// Index of each level's program in `made`.
    level: Vec<usize>,
    made: Vec<(Variation, Built)>,
}

impl Builds {
    /// Builds a program for every level whose settings vary the build. Returns `None` if the definition builds nothing.
    ///
    /// # Errors
    /// Fails if a build fails, the program gives another answer, or the factor cannot vary the build.
    pub(super) fn of(definition: &Definition, sweep: &Sweep, seed: u64) -> Result<Option<Self>, Failure> {
        if let Some(name) = built_by(definition, sweep) {
            return Err(Failure::usage(format!(
                "{name}: this parameter stands in the build, and a sweep varies how one source is laid out, not what \
                 is built: compare the builds, by `fauxplat compare --build CMD -L {name}=…`"
            )));
        }
        let factor = sweep.factors.iter().find(|factor| factor.is_built());
        let Some(programs) = ProgramBuilds::open(definition, seed)? else {
            return match factor {
                Some(factor) => Err(Failure::usage(format!(
                    "{factor} needs a program that fauxplat builds: --build CMD, or --objects … --link CMD"
                ))),
                None => Ok(None),
            };
        };
        let mut builds = Builds { programs, level: Vec::new(), made: Vec::new() };
        for level in &sweep.levels {
            builds.add(level)?;
        }
        match factor.filter(|_| builds.hashes() < 2) {
            Some(factor) => Err(Failure::usage(format!(
                "{factor}: the build gave the same program for every level: nothing was varied ({})",
                needs(factor)
            ))),
            None => Ok(Some(builds)),
        }
    }

    /// Warning about processes that builds left behind; `None` where they left none.
    pub(super) fn left_behind(&self) -> Option<String> {
        self.programs.left_behind()
    }

    pub(super) fn program(&self, level: usize) -> &Built {
        &self.made[self.level[level]].1
    }

    fn add(&mut self, level: &Level) -> Result<(), Failure> {
        let variation = self.variation(level);
        let known = self.made.iter().position(|(made, _)| *made == variation);
        let index = match known {
            Some(index) => index,
            None => {
                let built = self.programs.set_to(&variation)?;
                self.made.push((variation, built));
                self.made.len() - 1
            }
        };
        self.level.push(index);
        Ok(())
    }

    /// How the build varies for the settings of a level. Properties that the build cannot vary stay unchanged.
    fn variation(&self, level: &Level) -> Variation {
        let mut variation = Variation::default();
        for setting in &level.settings {
            match setting {
                Setting::LinkOrder(seed) if *seed > 0 => {
                    let drawn = self.programs.drawn(*seed);
                    variation.seed = drawn.seed;
                    variation.object_order = drawn.object_order;
                    variation.section_order = drawn.section_order;
                }
                Setting::LinkPadding(bytes) if *bytes > 0 => variation.padding = Some(Padding::Bytes(*bytes)),
                Setting::CodeAlign(bytes) => variation.alignment_bytes = Some(*bytes),
                _ => {}
            }
        }
        variation
    }

    fn hashes(&self) -> usize {
        self.made.iter().map(|(_, built)| built.sha256.as_str()).collect::<HashSet<_>>().len()
    }
}

/// Name of a swept parameter that occurs in a build command; `None` if none does.
fn built_by<'s>(definition: &Definition, sweep: &'s Sweep) -> Option<&'s str> {
    let builds = || definition.commands.iter().filter_map(|line| line.build.as_ref());
    let mut texts = builds().flat_map(|build| [&build.line].into_iter().chain(&build.objects));
    let names = sweep.factors.iter().filter_map(|factor| match factor {
        Factor::Parameter(name) => Some(name.as_str()),
        _ => None,
    });
    let names: Vec<&str> = names.collect();
    texts.find_map(|text| names.iter().find(|name| text.contains(&format!("{{{name}}}"))).copied())
}

/// Advice about the options that let a factor vary a build.
fn needs(factor: &Factor) -> &'static str {
    match factor {
        Factor::LinkOrder => {
            "give --objects and --link with {objects}, or {link_flags} and lld or mold, or use {seed}"
        }
        Factor::LinkPadding => "write {link_flags} before the sources, or {objects}",
        _ => "write {compile_flags} in the build",
    }
}
