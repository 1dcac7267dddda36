//! The usual rule, adapted to simulated runs.

use fauxplat_model::Rule;

/// The usual rule without the least time that a comparison has to span, since simulated runs take no time.
pub(crate) fn rule() -> Rule {
    Rule { least_span_s: 0.0, ..Rule::default() }
}
