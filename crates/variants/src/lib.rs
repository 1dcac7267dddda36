//! Programs built in variants of their layout: the same source, linked and aligned differently by a seed.
//!
//! The addresses of code and data change the time of a program by several per cent, and a program that is linked once
//! has only one random layout. This crate builds more layouts:
//!
//! ```no_run
//! # fn main() -> Result<(), fauxplat_variants::VariantError> {
//! use fauxplat_model::{Build, Condition, Variation};
//! use fauxplat_variants::{Builder, Question};
//!
//! let mut builder = Builder::open(&fauxplat_variants::default_cache()?, &[])?;
//! let build = Build { line: "cc -O2 {compile_flags} {link_flags} -o {out} main.c".into(), objects: vec![] };
//! // Builds the program without variation: its answer is the right one, and its hash stands for the sources.
//! let mut recipe = builder.recipe(&build, ".".as_ref())?;
//! recipe.ask(Question { argv: vec!["{program}".into()], condition: Condition::default(), check: None })?;
//! // Varies everything at once, as `compare` and `explain` do …
//! let layout = builder.drawn(&recipe, 7);
//! let built = builder.build(&mut recipe, &layout)?;
//! // … or one way alone, as for the levels of a sweep.
//! let aligned = Variation { alignment_bytes: Some(64), ..Variation::default() };
//! let aligned = builder.build(&mut recipe, &aligned)?;
//! // `path` is valid until the process ends, and the paths of all variants have equal length.
//! assert_eq!(built.path.as_os_str().len(), aligned.path.as_os_str().len());
//! # Ok(())
//! # }
//! ```
//!
//! To run a variant, a command needs `built.path` both as its program and as its first argument. [`ProgramSlots`] keeps
//! a command's path and changes the program there between blocks.

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
