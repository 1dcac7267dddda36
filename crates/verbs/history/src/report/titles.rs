//! Words that tell series of benchmarks of one name apart.

use std::collections::BTreeMap;

use fauxplat_model::SeriesIdentity;
use fauxplat_report::say;

use crate::findings::SeriesFindings;

/// Names of the benchmarks of some series, each with what tells it apart from the other series of an equal name.
pub(crate) fn titles(all: &[SeriesFindings]) -> Vec<String> {
    let mut alike: BTreeMap<&str, Vec<&SeriesIdentity>> = BTreeMap::new();
    for SeriesFindings { name, .. } in all {
        alike.entry(&name.identity.benchmark).or_default().push(&name.identity);
    }
    let title = |series: &SeriesFindings| {
        let identity = &series.name.identity;
        let benchmark = say::visible(&identity.benchmark);
        match difference(identity, &alike[identity.benchmark.as_str()]) {
            Some(difference) => format!("{benchmark} ({difference})"),
            None => benchmark,
        }
    };
    all.iter().map(title).collect()
}

/// The parts of an identity that are not equal in all of these, as a part of a sentence; `None` where all are equal.
pub(crate) fn difference(identity: &SeriesIdentity, all: &[&SeriesIdentity]) -> Option<String> {
    let own = identity.parts();
    let differs = |at: usize| all.iter().any(|other| other.parts()[at] != own[at]);
    let told: Vec<String> = (0..own.len()).filter(|&at| differs(at)).map(|at| word(at, own[at])).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// A part of an identity in words, by its number in [`SeriesIdentity::parts`].
fn word(at: usize, part: &str) -> String {
    let shown = || say::shorten(&say::visible(part), PART_COLUMNS, "…");
    match (at, part) {
        (1, "") => "no arguments".to_owned(),
        (2, "") => "no harness".to_owned(),
        (2, _) => format!("harness {}", shown()),
        (3, "") => "in an unknown folder".to_owned(),
        (3, _) => format!("in {}", shown()),
        _ => shown(),
    }
}

/// Maximum number of columns of a part: arguments, and commands that build a program, may be long.
const PART_COLUMNS: usize = 80;

/// A word for `--of` by which an identity is chosen among others: a part that no other one has or contains. `None` where
/// there is no such part.
pub(crate) fn choosing<'a>(identity: &'a SeriesIdentity, all: &[&SeriesIdentity]) -> Option<&'a str> {
    let others = || all.iter().filter(move |other| **other != identity);
    let is_own = |part: &&str| !part.is_empty() && others().all(|other| !other.parts().contains(part));
    identity.parts().into_iter().find(is_own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::SeriesName;

    fn identity(program: &str, arguments: &str, place: Option<&str>) -> SeriesIdentity {
        SeriesIdentity {
            benchmark: "b00".into(),
            program: program.into(),
            arguments: arguments.into(),
            place: place.map(str::to_owned),
            ..SeriesIdentity::default()
        }
    }

    #[test]
    fn equal_names_of_several_programs_are_told_apart() {
        let series = |benchmark: &str, program: &str| SeriesFindings {
            name: SeriesName {
                identity: SeriesIdentity { benchmark: benchmark.into(), ..identity(program, "", None) },
                ..SeriesName::default()
            },
            session_count: 1,
            newest: 1.0,
            newest_started: String::new(),
            level: 1.0,
            apart: None,
            between_sd: None,
            dependence: None,
            changes: Vec::new(),
            sessions: Vec::new(),
        };
        let all = [series("b00", "alpha"), series("b00", "beta"), series("b01", "beta")];
        assert_eq!(titles(&all), ["b00 (alpha)", "b00 (beta)", "b01"]);
    }

    #[test]
    fn only_what_differs_is_told() {
        let here = Some("example.org/tool");
        let (a, b) = (identity("bench", "", here), identity("bench", "--quick", here));
        let told = |it: &SeriesIdentity, all: &[&SeriesIdentity]| difference(it, all);
        assert_eq!(told(&a, &[&a]), None);
        assert_eq!(told(&a, &[&a, &b]).as_deref(), Some("no arguments"));
        assert_eq!(told(&b, &[&a, &b]).as_deref(), Some("--quick"));
        let unknown = identity("bench", "", None);
        assert_eq!(told(&unknown, &[&a, &unknown]).as_deref(), Some("in an unknown folder"));
        assert_eq!(told(&a, &[&a, &unknown]).as_deref(), Some("in example.org/tool"));
        let timed = SeriesIdentity { harness: Some("go".into()), ..identity("other", "", here) };
        assert_eq!(told(&timed, &[&a, &timed]).as_deref(), Some("other, harness go"));
    }

    #[test]
    fn a_word_that_chooses_fits_one_series() {
        let (a, b) = (identity("alpha", "", Some("/a")), identity("beta", "", Some("/a")));
        assert_eq!(choosing(&a, &[&a, &b]), Some("alpha"));
        let longer = identity("alpha", "--quick", Some("/a"));
        assert_eq!(choosing(&longer, &[&a, &longer]), Some("--quick"));
        assert_eq!(
            choosing(&a, &[&a, &longer]),
            None,
            "all parts of the shorter one are parts of the longer"
        );
    }
}
