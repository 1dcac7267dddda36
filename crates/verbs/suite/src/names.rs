//! Names of benchmarks, and reasons, as reports for people show them: a harness may print any length.

use fauxplat_report::say;

/// Maximum number of columns of a name in a sentence, and in a table of a comment on a pull request.
pub(crate) const NAME_COLUMNS: usize = 100;

/// Maximum number of columns of a reason why something was not measured.
const REASON_COLUMNS: usize = 300;

/// A name of bounded length in a sentence.
pub(crate) fn named(name: &str) -> String {
    say::named(&say::shorten(name, NAME_COLUMNS, "…"))
}

/// A reason of bounded length, as a part of a sentence.
pub(crate) fn reason(why: &str) -> String {
    say::shorten(&say::visible(why), REASON_COLUMNS, "…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_and_reasons_are_shortened() {
        let long = "a<b>".repeat(5000);
        assert!(named(&long).chars().count() < NAME_COLUMNS + 10 && named(&long).contains('…'));
        assert!(reason(&long).chars().count() <= REASON_COLUMNS);
        assert_eq!(reason("its process ended"), "its process ended");
    }
}
