//! Names and sentences about commits for reports.

/// Longest name of a commit in reports, in characters, so that it fits into a table.
const NAME_CHARACTERS: usize = 48;
/// Number of files that a sentence names; the others are counted.
const NAMED: usize = 3;

/// Name of a commit: its short hash and its subject, cut off if the name is too long.
pub(crate) fn name(short: &str, subject: &str) -> String {
    let subject: String = subject.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let whole = format!("{short} {subject}");
    let whole = whole.trim_end();
    match whole.chars().count() > NAME_CHARACTERS {
        true => whole.chars().take(NAME_CHARACTERS - 1).chain(['…']).collect(),
        false => whole.to_owned(),
    }
}

/// Words about the contents that a work tree lacks: submodules (`modules`), and files that are pointers of git LFS.
/// `None` if it lacks nothing.
pub(crate) fn lacks(modules: &[&str], pointers: &[&str]) -> Option<String> {
    let modules = (!modules.is_empty())
        .then(|| format!("its submodules ({}) stay empty, since nothing is fetched", some_of(modules)));
    let pointers = (!pointers.is_empty())
        .then(|| format!("{} are pointers of git LFS, whose contents are not fetched", some_of(pointers)));
    let parts: Vec<String> = modules.into_iter().chain(pointers).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The first [`NAMED`] names of a list, and the number of further names.
pub(crate) fn some_of(names: &[&str]) -> String {
    let named = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    match names.len() > NAMED {
        true => format!("{named} and {} more", names.len() - NAMED),
        false => named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_of_one_line() {
        assert_eq!(name("ab12cd3", "parser: take\ttabs"), "ab12cd3 parser: take tabs");
        assert_eq!(name("ab12cd3", ""), "ab12cd3");
        let long = name("ab12cd3", &"ü".repeat(60));
        assert_eq!((long.chars().count(), long.ends_with('…')), (NAME_CHARACTERS, true));
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(lacks(&[], &[]), None);
        let said = lacks(&["a", "b", "c", "d", "e"], &["big.bin"]).unwrap();
        assert_eq!(
            said,
            "its submodules (a, b, c and 2 more) stay empty, since nothing is fetched; big.bin are pointers of git \
             LFS, whose contents are not fetched"
        );
    }
}
