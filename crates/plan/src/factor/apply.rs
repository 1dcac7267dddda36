//! Application of a level of a swept factor to a command.

use std::path::Path;

use fauxplat_model::{Aslr, Command, EnvBase, EnvPad, Heap, Placement, Policy, Priority, Setting};

/// Applies one setting of a sweep to a command. `folder` returns a directory whose path has the given number of bytes.
/// Parameters and builds need no change here: the command already contains them.
pub fn apply<'f>(setting: &Setting, command: &mut Command, folder: impl Fn(u16) -> &'f Path) {
    let condition = &mut command.condition;
    match setting {
        Setting::EnvSize(bytes) => {
            condition.env = EnvBase::Clean;
            condition.env_pad = EnvPad::Bytes(*bytes);
        }
        Setting::ArgvSize(bytes) => lengthen(command, *bytes),
        Setting::CwdLength(bytes) => {
            let path = folder(*bytes);
            // A shell that changes its directory records it in PWD, and its commands inherit that value.
            condition.env_set.push(format!("PWD={}", path.display()));
            condition.cwd = Some(path.to_owned());
        }
        Setting::Aslr(on) => condition.aslr = if *on { Aslr::On } else { Aslr::Off },
        Setting::HeapPad(bytes) => condition.heap = Heap::Bytes(*bytes),
        Setting::Cpus(cpus) => condition.cpu = Placement::Set(cpus.clone()),
        Setting::Priority(Priority::Nice(nice)) => {
            condition.policy = Some(Policy::Other);
            condition.nice = Some(*nice);
        }
        Setting::Priority(Priority::RealTime(policy)) => condition.policy = Some(*policy),
        Setting::Background(load) => condition.background = *load,
        Setting::FrequencyKhz(khz) => condition.frequency_khz = Some(*khz),
        Setting::Limit(limit) => condition.limit = limit.clone(),
        Setting::HugePages(pages) => condition.huge_pages = *pages,
        Setting::MemoryPolicy(policy) => condition.memory_policy = policy.clone(),
        Setting::StackLimit(limit) => condition.stack_limit = *limit,
        // `LC_ALL` overrides every other `LC_` variable, and `LANG`.
        Setting::Locale(name) => condition.env_set.push(format!("LC_ALL={name}")),
        Setting::Parameter { .. }
        | Setting::LinkOrder(_)
        | Setting::LinkPadding(_)
        | Setting::CodeAlign(_) => {}
    }
}

/// Makes `argv[0]` longer than the program's path by `bytes`. A path with more slashes names the same file, and the
/// last component, from which some programs derive their function, is unchanged.
fn lengthen(command: &mut Command, bytes: u16) {
    let path = command.program.display().to_string();
    let name = format!("{}{path}", "/".repeat(bytes.into()));
    if let Some(first) = command.argv.first_mut() {
        *first = name;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor::{Offer, parse_sweep};

    fn command() -> Command {
        Command {
            name: "sort".into(),
            command: "sort".into(),
            program: "/usr/bin/sort".into(),
            argv: vec!["sort".into()],
            ..Command::default()
        }
    }

    #[test]
    fn a_locale_is_a_variable_of_the_command_and_nothing_else_is_one() {
        let sweep = |text| parse_sweep(text, &[], &Offer::default());
        let levels = sweep("locale=C,de_DE.UTF-8@euro").unwrap().levels;
        let set = levels.iter().map(|level| {
            let mut command = command();
            apply(&level.settings[0], &mut command, |_| unreachable!("no folder is asked for"));
            assert!(level.number.is_none(), "names have no order");
            command.condition.env_set
        });
        assert_eq!(set.collect::<Vec<_>>(), [["LC_ALL=C"], ["LC_ALL=de_DE.UTF-8@euro"]]);
        for wrong in ["locale=C,", "locale=a/b,C", "locale=x=y,C", "locale=a b,C"] {
            assert!(sweep(wrong).is_err(), "{wrong}");
        }
    }
}
