//! Refuses options for the look of a text report on a line that writes no text report.
//!
//! A format for programs has no colours and no levels of detail, so the option would have no effect.

use std::path::PathBuf;

use clap::ArgMatches;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use fauxplat_report::Format;

use crate::looks::{Look, When};
use crate::output::Export;

/// Refuses `--brief`, `--ascii` and `--colour always` unless the report or a further report is drawn with characters.
///
/// # Errors
/// Fails for the first such option, and names the format of the report.
pub(crate) fn refuse(found: &ArgMatches) -> Result<(), clap::Error> {
    if let Some((_, below)) = found.subcommand() {
        return refuse(below);
    }
    let Ok(Some(format)) = found.try_get_one::<Format>("format") else { return Ok(()) };
    let exports = found.try_get_many::<Export>("export").ok().flatten().into_iter().flatten();
    // With `--style none` only further reports and a report in a file are written.
    let is_silent = matches!(found.try_get_one::<Look>("style"), Ok(Some(Look::None)))
        && !matches!(found.try_get_one::<PathBuf>("output"), Ok(Some(_)));
    let main = (!is_silent).then_some(*format);
    let formats: Vec<Format> = exports.map(|export| export.format).chain(main).collect();
    let is_text = formats.contains(&Format::Text);
    let is_drawn = is_text || formats.contains(&Format::Boxes);
    let is_typed = |id: &str| {
        found.try_contains_id(id).is_ok() && found.value_source(id) == Some(ValueSource::CommandLine)
    };
    let is_coloured =
        || matches!(found.try_get_one::<When>("colour"), Ok(Some(When::Always))) && is_typed("colour");
    let given = match () {
        () if is_typed("brief") && !is_text => "--brief",
        () if is_typed("ascii") && !is_drawn => "--ascii",
        () if is_coloured() && !is_drawn => "--colour always",
        () => return Ok(()),
    };
    let why = match is_silent {
        true => {
            format!("{given} has no effect beside --style none, which prints no report: omit one of them\n")
        }
        false => format!(
            "{given} has no effect on a report in the format {format}, only on text: omit one of them\n"
        ),
    };
    Err(clap::Error::raw(ErrorKind::Io, why))
}

#[cfg(test)]
mod tests {
    use crate::help::parse;

    fn said(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        parse(&words).err().map(|error| error.to_string())
    }

    #[test]
    fn a_look_needs_a_report_that_is_looked_at() {
        for look in ["--brief", "--ascii", "--colour always"] {
            for format in ["json", "csv", "markdown", "html", "junit"] {
                let line = format!("fauxplat compare {look} a b --format {format}");
                let said = said(&line).unwrap_or_else(|| panic!("{line}"));
                assert!(said.contains(look) && said.contains(format), "{said}");
                assert_eq!(self::said(&format!("{line} --export text=file")), None, "{line}");
            }
            assert_eq!(said(&format!("fauxplat compare {look} a b")), None, "{look}");
            assert_eq!(said(&format!("fauxplat compare {look} a b --export json=file")), None, "{look}");
        }
        assert!(said("fauxplat run --brief --style none true").unwrap().contains("--style none"));
        assert_eq!(said("fauxplat run --brief --style none --output file true"), None);
        assert!(said("fauxplat history list --ascii --format json").is_some());
        assert_eq!(said("fauxplat compare a b --colour never --format json"), None);
    }
}
