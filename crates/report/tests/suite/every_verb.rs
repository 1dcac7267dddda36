//! Reports of every verb, as text and as Markdown.

use fauxplat_report::{Format, ReportError, Style};

use crate::common::Owned;
use crate::constructed as made;

/// Records of the verbs whose findings are not runs of commands, each with its name.
pub(crate) fn without_runs() -> Vec<(&'static str, Owned)> {
    vec![
        ("contend", made::contend()),
        ("capacity", made::capacity()),
        ("index", made::index()),
        ("limit", made::limit()),
        ("limit_groups", made::limit_groups()),
        ("load", made::load()),
        ("tune", made::tune()),
        ("tune_list", made::tune_list()),
        ("replay", made::replay()),
        ("restore", made::restore()),
        ("lab", made::lab()),
        ("profile", crate::profile::one()),
        ("profile_two", crate::profile::two()),
        ("fleet", crate::fleet::odd()),
        ("fleet_clean", crate::fleet::clean()),
        ("fleet_compare", crate::fleet::compared()),
        ("fleet_watch", crate::fleet::watched()),
        ("table", made::table()),
    ]
}

#[test]
fn in_words() {
    for (name, owned) in without_runs() {
        insta::assert_snapshot!(format!("{name}_text"), owned.text(80));
        insta::assert_snapshot!(
            format!("{name}_markdown"),
            owned.render(Format::Markdown, &Style::default())
        );
    }
}

/// A format that `Format::suits` refuses for a verb cannot be written, and every format that it accepts can.
#[test]
fn the_formats_of_a_verb_are_those_that_have_a_form() {
    for (name, owned) in without_runs() {
        let verb = match name {
            "capacity" => "contend",
            "replay" => "aa",
            "fleet_compare" => "fleet-compare",
            "fleet_watch" => "fleet-watch",
            name => name.split('_').next().unwrap_or_default(),
        };
        for format in Format::ALL {
            let written = fauxplat_report::write(&owned.record(), format, &Style::default(), &mut Vec::new());
            // Some findings of a verb have no drawing, and some formats hold only one profile.
            let is_of_a_part = format == Format::Svg || name == "profile_two" || name == "tune_list";
            match format.suits(verb) {
                Ok(()) if is_of_a_part => {}
                Ok(()) => assert!(written.is_ok(), "{name} as {format}: {written:?}"),
                Err(_) => assert!(
                    matches!(written, Err(ReportError::NothingToExport { .. })),
                    "{name} as {format}: {written:?}"
                ),
            }
        }
    }
    assert!(Format::Svg.suits("index").is_err() && Format::Svg.suits("contend").is_ok());
    assert!(Format::HyperfineJson.suits("aa").is_err() && Format::HyperfineJson.suits("run").is_ok());
}
