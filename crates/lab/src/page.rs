//! The page of a lab (`README.md`): the text for students.

use fauxplat_model::LabStory;

/// The headings that every page has, in this order.
pub(crate) const HEADINGS: [&str; 7] =
    ["Question", "Prediction", "Command", "What you see", "Why", "What can go wrong", "What if"];
/// Greatest number of lines of a page, so that a student can read it in one go.
const LINES_MAX: usize = 110;

/// Splits a page into its parts, one per `##` heading.
pub(crate) fn story(readme: &str) -> Vec<LabStory> {
    let parts = readme.split("\n## ").skip(1);
    let part = |text: &str| {
        let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
        LabStory { title: title.trim().to_owned(), text: rest.trim_matches('\n').to_owned() }
    };
    parts.map(part).collect()
}

/// The rules that a page violates, as messages.
pub(crate) fn complaints(readme: &str) -> Vec<String> {
    let found = story(readme);
    let at = |heading: &str| found.iter().position(|part| part.title == heading);
    let lacks = HEADINGS.iter().filter(|heading| at(heading).is_none_or(|at| found[at].text.is_empty()));
    let mut said: Vec<String> = lacks
        .map(|heading| format!("README.md: there is no `## {heading}` with something below it"))
        .collect();
    let places: Vec<usize> = HEADINGS.iter().filter_map(|heading| at(heading)).collect();
    if !places.is_sorted() {
        said.push(format!("README.md: its headings must stand in the order {}", HEADINGS.join(", ")));
    }
    if !readme.starts_with("# ") {
        said.push("README.md: it must begin with `# NAME: what it is about`".to_owned());
    }
    if readme.lines().count() > LINES_MAX {
        said.push(format!("README.md: a page may have {LINES_MAX} lines at most"));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> String {
        let parts: Vec<String> =
            HEADINGS.iter().map(|heading| format!("## {heading}\n\nWords.\n\n")).collect();
        format!("# lab: about it\n\n{}", parts.concat())
    }

    #[test]
    fn a_page_has_every_heading_in_its_order_and_something_below_it() {
        assert_eq!(complaints(&page()), [""; 0]);
        assert_eq!(story(&page()).len(), HEADINGS.len());
        assert_eq!(story(&page())[3], LabStory { title: "What you see".into(), text: "Words.".into() });
        for (from, to, words) in [
            ("## Why\n", "## Because\n", "no `## Why`"),
            ("## What if\n\nWords.", "## What if\n", "no `## What if`"),
            ("## Question\n", "## What was asked\n", "no `## Question`"),
            ("# lab: about it\n", "", "must begin with"),
        ] {
            let said = complaints(&page().replace(from, to));
            assert!(said.iter().any(|it| it.contains(words)), "{words}: {said:?}");
        }
        let turned =
            page().replace("## Why", "## X").replace("## Question", "## Why").replace("## X", "## Question");
        assert!(complaints(&turned).iter().any(|it| it.contains("in the order")));
        assert!(complaints(&format!("{}{}", page(), "line\n".repeat(200)))[0].contains("lines at most"));
    }
}
