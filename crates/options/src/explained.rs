//! The option `--why` for an explanation after a verdict, and the command line of `fauxplat why` that makes the
//! explanation.

use clap::{ArgMatches, Args, Command, ValueEnum};
use fauxplat_experiment::Failure;
use fauxplat_report::Format;
use fauxplat_units::Nanos;

use super::looks::{Look, When};
use super::output::OutputArgs;
use super::time_with_unit;

// The option for an explanation after a verdict.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Explanation")]
pub struct ExplainedArgs {
    /// Where the programs differ, look for the cause too, for this time at most: `fauxplat why` measures them anew, and its
    /// report follows as text [time: 2m]
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = "2m", value_parser = time_with_unit)]
    pub why: Option<Nanos>,
}

impl ExplainedArgs {
    /// Refuses `--why` where the explanation could not follow the report, or where the comparison that it explains is
    /// not stored.
    ///
    /// # Errors
    /// Fails for another format than text, for a report in a file, and without a store.
    pub fn check(&self, output: &OutputArgs) -> Result<(), Failure> {
        let is_unstored = output.store.as_ref().is_some_and(|store| store.as_os_str() == "none");
        let unfit = match self.why {
            None => return Ok(()),
            Some(_) if output.format != Format::Text || output.output.is_some() => {
                "the report of `why` is text on standard output: leave --format and --output out"
            }
            Some(_) if is_unstored => "`why` reads the comparison from the store: do not give `--store none`",
            Some(_) => return Ok(()),
        };
        Err(Failure::usage(format!("--why: {unfit}, or ask `fauxplat why` afterwards")))
    }

    /// The command line of `fauxplat why` with these words, with the same look and store as the first report; `None`
    /// where `--why` is not given.
    pub fn line(&self, output: &OutputArgs, words: &[String]) -> Option<Vec<String>> {
        let time = format!("--max-time={}s", self.why?.as_secs_f64());
        let mut line = ["fauxplat", "why", &time].map(str::to_owned).to_vec();
        line.extend(output.words());
        line.extend_from_slice(words);
        Some(line)
    }
}

impl OutputArgs {
    /// The words of a command line for a further text report with the same look and store.
    fn words(&self) -> Vec<String> {
        let value = |name: &str, value: &dyn std::fmt::Display| Some(format!("--{name}={value}"));
        let named = |name: &str, word: Option<clap::builder::PossibleValue>| {
            word.and_then(|word| value(name, &word.get_name()))
        };
        let switch = |name: &str, is_on: bool| is_on.then(|| format!("--{name}"));
        let words = [
            self.store.as_ref().and_then(|store| value("store", &store.display())),
            match self.style {
                Look::Auto if self.colour == When::Auto => None,
                Look::Auto => named("colour", self.colour.to_possible_value()),
                style => named("style", style.to_possible_value()),
            },
            switch("ascii", self.ascii),
            switch("verbose", self.verbose),
            switch("brief", self.brief),
            switch("quiet", self.quiet),
        ];
        words.into_iter().flatten().collect()
    }
}

/// The options of the group `A` that the user gave, as words of a command line.
pub fn words_given<A: Args>(given: &ArgMatches) -> Vec<String> {
    let group = A::augment_args(Command::new("group"));
    let mut words = Vec::new();
    for option in group.get_arguments() {
        let id = option.get_id().as_str();
        let (Some(name), true) =
            (option.get_long(), given.value_source(id) == Some(clap::parser::ValueSource::CommandLine))
        else {
            continue;
        };
        let values = given.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy());
        match option.get_action().takes_values() {
            true => words.extend(values.map(|value| format!("--{name}={value}"))),
            false => words.push(format!("--{name}")),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;
    use crate::ConditionArgs;

    #[test]
    fn the_words_of_a_group_say_what_the_user_gave() {
        let command = || ConditionArgs::augment_args(Command::new("test"));
        let line = ["test", "--cpu", "0-1", "--env", "A=1 2", "--env=B=", "--nice=3", "--ignore-failure"];
        let given = command().try_get_matches_from(line).unwrap();
        let words = words_given::<ConditionArgs>(&given);
        let again = command().try_get_matches_from(std::iter::once("test".to_owned()).chain(words)).unwrap();
        let [first, second] =
            [given, again].map(|given| format!("{:?}", ConditionArgs::from_arg_matches(&given).unwrap()));
        assert_eq!(first, second);
        let nothing = command().try_get_matches_from(["test"]).unwrap();
        assert_eq!(words_given::<ConditionArgs>(&nothing), Vec::<String>::new());
    }

    #[test]
    fn an_explanation_has_the_look_and_the_store_of_the_report_before_it() {
        let output =
            OutputArgs { ascii: true, store: Some("a b.db".into()), quiet: true, ..OutputArgs::default() };
        let asked = ExplainedArgs { why: Some(Nanos(5_000_000_000)) };
        let line = asked.line(&output, &["--stored=3".to_owned()]).unwrap();
        let expected = ["fauxplat", "why", "--max-time=5s", "--store=a b.db", "--ascii", "--quiet"];
        assert_eq!(line[..6], expected);
        assert_eq!(line[6..], ["--stored=3"]);
        assert_eq!(ExplainedArgs::default().line(&output, &[]), None);
        assert!(asked.check(&OutputArgs { format: Format::Json, ..OutputArgs::default() }).is_err());
        assert!(asked.check(&OutputArgs { store: Some("none".into()), ..OutputArgs::default() }).is_err());
        assert!(asked.check(&output).is_ok());
    }
}
