//! The usual rule, for made-up runs that take no time.

use fauxplat_model::Rule;

/// The usual rule, which looks as soon as there are pairs enough.
pub(crate) fn rule() -> Rule {
    Rule { least_span_s: 0.0, ..Rule::default() }
}
