//! The parser does not ask for the required option if anything on the line conflicts with that option: `--with`
//! requires `--baseline`, and passes without it beside a command, which conflicts with `--baseline`. The option without
//! its requirement would have no effect.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// Refuses options of the line without the options that they require. `above` is the definition of the command whose
/// parsed options are `found`.
///
/// # Errors
/// Fails for the first option without its requirement, and names both.
pub(crate) fn refuse(found: &ArgMatches, above: &Command) -> Result<(), clap::Error> {
    if let Some((name, below)) = found.subcommand() {
        return above.find_subcommand(name).map_or(Ok(()), |verb| refuse(below, verb));
    }
    let is_typed = |id: &str| found.value_source(id) == Some(ValueSource::CommandLine);
    let lacking = |arg: &Arg| {
        let required = required_by(arg).into_iter().find(|id| !is_typed(id))?;
        let required = above.get_arguments().find(|it| it.get_id().as_str() == required)?;
        Some((arg.get_long()?.to_owned(), required.get_long()?.to_owned()))
    };
    match above.get_arguments().filter(|arg| is_typed(arg.get_id().as_str())).find_map(lacking) {
        Some((given, required)) => {
            Err(clap::Error::raw(ErrorKind::Io, format!("--{given} has no effect without --{required}\n")))
        }
        None => Ok(()),
    }
}

/// Ids of the options that an option requires. The library clap shows these ids only in the `Debug` form of an option.
fn required_by(arg: &Arg) -> Vec<String> {
    let text = format!("{arg:?}");
    let list = text.split_once("requires: [").and_then(|(_, rest)| rest.split_once(']'));
    list.map_or_else(Vec::new, |(list, _)| list.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_reveals_what_an_option_requires() {
        let arg = Arg::new("a").long("a").requires("b").requires("c");
        assert_eq!(required_by(&arg), ["b", "c"]);
        assert_eq!(required_by(&Arg::new("a")), [""; 0]);
    }

    #[test]
    fn a_conflict_with_the_required_option_is_no_excuse() {
        let line = |words: &str| {
            let long = |id: &'static str| Arg::new(id).long(id).num_args(0);
            let verb = Command::new("verb")
                .arg(long("narrow").requires("wide"))
                .arg(long("wide").conflicts_with("other"))
                .arg(long("other"));
            let mut whole = Command::new("program").subcommand(verb);
            let found = whole.try_get_matches_from_mut(words.split(' ')).unwrap();
            refuse(&found, &whole).err().map(|error| error.to_string())
        };
        assert_eq!(line("program verb --narrow --wide"), None);
        assert_eq!(line("program verb --other"), None);
        let said = line("program verb --narrow --other").unwrap();
        assert!(said.contains("--narrow has no effect without --wide"), "{said}");
    }
}
