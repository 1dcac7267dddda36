//! Markdown reports as they appear in a pull request.

use fauxplat_model::Verdict;
use fauxplat_report::{Format, Style};

use crate::common;
use crate::comparisons::{self, comparison};

#[test]
fn every_kind_of_record() {
    let style = Style::default();
    let compared = comparisons::compare(comparison("sort", "gsort", Verdict::Different, 1.0231, 0.0055));
    insta::assert_snapshot!(
        "markdown_run",
        common::run(&["sort -n data", "gsort -n data"]).render(Format::Markdown, &style)
    );
    insta::assert_snapshot!("markdown_compare", compared.render(Format::Markdown, &style));
    insta::assert_snapshot!("markdown_three", comparisons::compare_three().render(Format::Markdown, &style));
    insta::assert_snapshot!("markdown_aa", common::aa().render(Format::Markdown, &style));
}

#[test]
fn names_cannot_become_markup() {
    let text =
        common::run(&["a | b `c` <script> @all\n# x", "plain"]).render(Format::Markdown, &Style::default());
    assert!(text.contains("**``a | b `c` <script> @all\\n# x``**"), "{text}");
    assert!(text.contains("| ``a \\| b `c` <script> @all\\n# x`` |"), "{text}");
    assert!(!text.contains("\n# x"));
}
