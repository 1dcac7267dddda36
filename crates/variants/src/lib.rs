//! Programs built in variants of their layout: the same source, linked and aligned differently by a seed.
//!
//! Where code and data lie moves the time of a program by several per cent, and a program that is linked once shows one
//! draw of that lottery. This crate makes more draws:
//!
//! ```no_run
//! # fn main() -> Result<(), fauxplat_variants::VariantError> {
//! use fauxplat_model::{Build, Condition, Variation};
//! use fauxplat_variants::{Builder, Question};
//!
//! let mut builder = Builder::open(&fauxplat_variants::default_cache()?, &[])?;
//! let build = Build { line: "cc -O2 {compile_flags} {link_flags} -o {out} main.c".into(), objects: vec![] };
//! // Builds the program once as it is: its answer is the right one, and its hash stands for the inputs.
//! let mut recipe = builder.recipe(&build, ".".as_ref())?;
//! recipe.ask(Question { argv: vec!["{program}".into()], condition: Condition::default(), check: None })?;
//! // Everything varied at once, as `compare` and `explain` want it …
//! let layout = builder.drawn(&recipe, 7);
//! let built = builder.build(&mut recipe, &layout)?;
//! // … or one way at a time, as the levels of a sweep.
//! let aligned = Variation { alignment_bytes: Some(64), ..Variation::default() };
//! let aligned = builder.build(&mut recipe, &aligned)?;
//! // `path` holds until the process ends, and paths of all variants are equally long.
//! assert_eq!(built.path.as_os_str().len(), aligned.path.as_os_str().len());
//! # Ok(())
//! # }
//! ```
//!
//! A command that is to run a variant gets `built.path` as its program and as its first argument. [`ProgramSlots`] is
//! for those who change a command's program between blocks instead.

mod answer;
mod builder;
mod cache;
mod error;
mod flags;
mod pad;
mod probe;
mod program_slots;
mod shell;
mod toolchain;

pub use answer::{Question, fill};
pub use builder::{Builder, Built, Recipe};
pub use cache::{default_cache, own_cache};
pub use error::VariantError;
pub use program_slots::ProgramSlots;
pub use shell::fill_for_shell;
pub use toolchain::Toolchain;
