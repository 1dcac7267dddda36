//! What every verb says, as text and as Markdown.

use fauxplat_report::{Format, Style};

use crate::common::Owned;
use crate::constructed as made;

/// The verbs whose findings are no runs of commands.
pub(crate) fn without_runs() -> Vec<(&'static str, Owned)> {
    vec![
        ("contend", made::contend()),
        ("capacity", made::capacity()),
        ("index", made::index()),
        ("latency", made::latency()),
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
