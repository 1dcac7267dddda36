//! Reports of every verb, as text and as Markdown.

use fauxplat_report::{Format, ReportError, Style};

use crate::common::Owned;
use crate::constructed as made;

/// The verbs whose findings are no runs of commands.
pub(crate) fn without_runs() -> Vec<(&'static str, Owned)> {
    vec![
        ("contend", made::contend()),
        ("capacity", made::capacity()),
        ("index", made::index()),
        ("latency", made::latency()),
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
        ("topo", made::topo()),
        ("topo_pick", made::topo_pick()),
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

/// A format that is refused before anything is measured has no form afterwards either.
#[test]
fn no_format_is_refused_that_has_a_form() {
    for (name, owned) in without_runs() {
        let verb = match name.split('_').next() {
            Some("capacity") => "contend",
            Some("replay") => "aa",
            // Verbs that measure nothing are not checked beforehand.
            Some("tune" | "restore" | "table" | "topo") => continue,
            word => word.unwrap_or_default(),
        };
        for format in Format::ALL {
            if format.suits(verb).is_err() {
                let written =
                    fauxplat_report::write(&owned.record(), format, &Style::default(), &mut Vec::new());
                assert!(
                    matches!(written, Err(ReportError::NothingToExport { .. })),
                    "{name} as {format}: {written:?}"
                );
            }
        }
    }
    assert!(Format::Svg.suits("index").is_err() && Format::Svg.suits("contend").is_ok());
    assert!(Format::HyperfineJson.suits("aa").is_err() && Format::HyperfineJson.suits("run").is_ok());
}
