//! The default rule, adapted to simulated runs.

use fauxplat_model::Rule;

/// The default rule without the least span of time before a verdict, since simulated runs take no time.
pub(crate) fn rule() -> Rule {
    Rule { least_span_s: 0.0, ..Rule::default() }
}
