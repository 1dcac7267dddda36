//! Chores of the workspace that are neither build nor test; `cargo xtask` without a word lists them.
#![expect(clippy::disallowed_macros, reason = "the chores print what they found")]

mod bench;
mod campaign;
mod cargo;
mod dist;
mod engines;
mod error;
/// Makes the files of a machine from its description; the tests of `topology` and `topo` share this module.
#[path = "../../crates/topology/tests/machines/expand.rs"]
mod expand;
mod postgres;
mod supply;
mod tidy;
mod viewers;
mod violation;
mod vm;

use std::process::ExitCode;

use error::ChoreError;

const USAGE: &str = "usage: cargo xtask CHORE
  tidy [--figures]       check the rules of the house, or print how much code there is and how long its parts are
  sim [ARGS]             simulate the decision rule and compare it with its reference figures
  bench [NAME]           measure fauxplat against other tools, in all benches or in one, see benches/README.md
  campaign [NAME]        tests that take hours and can be resumed; without a name, list them and their options
  postgres               the tests of the shared store, against servers of PostgreSQL that they start
  vm [--seconds N] [NAME]… tests in virtual machines, all or by test and shape, see vm/README.md
  dist                   write an archive of the static program for x86-64 and arm64 into target/dist
  deb                    write the Debian package of this machine's architecture there
  wheel                  write the Python wheel of this machine's architecture there
  installed              try archive and package in an empty root, and in a fresh Debian where debootstrap can make one
  supply                 check dependencies, licences, spelling, documentation and packages, with the tools that are here
  viewers                open what `profile` writes for other programs with those programs, see viewers/check
  engines [BINARY]       have Kubernetes' schemas and Ansible take what `fleet` writes for them, see benches/fleet/engines";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match chore(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn chore(arguments: &[String]) -> Result<(), ChoreError> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["tidy"] => tidy::check_workspace(),
        ["tidy", "--figures"] => tidy::figures().map(|figures| print!("{figures}")),
        ["sim", rest @ ..] => cargo::run("fauxplat-analyze", &["--release", "--example", "sim"], rest),
        ["bench", rest @ ..] => bench::run(rest),
        ["campaign", rest @ ..] => campaign::run(rest),
        ["postgres"] => postgres::run(),
        ["vm", rest @ ..] => vm::run(rest),
        ["dist"] => dist::dist(),
        ["deb"] => dist::deb(),
        ["wheel"] => dist::wheel(),
        ["installed"] => dist::installed(),
        ["supply"] => supply::run(),
        ["viewers"] => viewers::run(),
        ["engines", rest @ ..] if rest.len() <= 1 => engines::run(rest),
        _ => Err(ChoreError::Usage(USAGE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_chores_are_bad_usage() {
        for words in [vec![], vec!["dance"], vec!["tidy", "all"], vec!["dist", "--now"]] {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            let error = chore(&words).unwrap_err();
            assert_eq!((error.exit_code(), error.to_string().as_str()), (2, USAGE));
        }
    }
}
