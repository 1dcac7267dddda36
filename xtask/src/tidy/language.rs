//! Checks the language of comments and commits: a comment can be understood alone, and the subject of a commit fits on
//! a line.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::error::ChoreError;
use crate::violation::Violation;

/// Folders in which some comments still begin with a bare pronoun. The list may only get shorter: a folder in it
/// without such a comment is refused.
const NOT_YET: [&str; 0] = [];

/// Words that stand for something which only the surrounding text names, whatever follows the word.
const BARE: [&str; 22] = [
    "It", "Its", "It's", "One", "Ones", "What", "Whatever", "Who", "Whoever", "Whose", "Which", "They",
    "Their", "He", "She", "Nobody", "Somebody", "Anybody", "Both", "Neither", "None", "Others",
];

/// Pairs of words that are as bare as a pronoun.
const BARE_PAIRS: [(&str, &str); 5] =
    [("The", "same"), ("The", "others"), ("So", "many"), ("So", "much"), ("Whether", "it")];

/// Words that point at a noun, and are bare if none follows: "This function" names its subject, and "This is" does not.
const POINTING: [&str; 7] = ["This", "That", "These", "Those", "Such", "Some", "Either"];

/// Words that are no noun if they follow a word of [`POINTING`].
const NO_NOUN: [&str; 53] = [
    "alone", "also", "and", "are", "as", "at", "be", "by", "can", "could", "did", "do", "does", "for",
    "from", "gives", "had", "has", "have", "holds", "in", "is", "keeps", "lets", "makes", "may", "means",
    "might", "must", "needs", "not", "of", "on", "or", "says", "shall", "should", "shows", "stands", "takes",
    "that", "to", "too", "was", "were", "which", "who", "whose", "will", "with", "without", "works", "would",
];

/// Words for a part of something, which a noun after `of` has to name.
const PARTS: [&str; 4] = ["All", "Each", "Some", "Either"];

/// Words that are no noun if they follow `All of` and the like.
const OF_WHAT: [&str; 5] = ["", "it", "them", "which", "whom"];

/// The last commit before subjects had to follow a rule.
const BEFORE_THE_RULE: &str = "5a4d281aebecaab57eed2ac19b78a0abad1c2c7a";

/// Maximum number of characters of the subject of a commit.
const SUBJECT_CHARS_MAX: usize = 72;

pub(super) fn check(root: &Path) -> Result<Vec<Violation>, ChoreError> {
    let mut violations = comments(root, &NOT_YET)?;
    violations.extend(history(root).lines().filter_map(subject));
    Ok(violations)
}

/// Checks the comments of every `.rs` file below the root, except in the folders of `not_yet`.
fn comments(root: &Path, not_yet: &[&str]) -> Result<Vec<Violation>, ChoreError> {
    let mut violations = Vec::new();
    let mut clean: BTreeSet<&str> = not_yet.iter().copied().collect();
    for path in super::sources::files(root, "rs", &[])? {
        let text = fs::read_to_string(&path).map_err(ChoreError::at(&path))?;
        let below = path.strip_prefix(root).unwrap_or(&path);
        let found = module(below, &text);
        match not_yet.iter().find(|folder| below.starts_with(folder)) {
            Some(folder) if !found.is_empty() => drop(clean.remove(folder)),
            Some(_) => {}
            None => violations.extend(found),
        }
    }
    violations.extend(clean.into_iter().map(|folder| {
        let cure = "take the folder out of the list in xtask/src/tidy/language.rs";
        Violation::new(folder, None, "no comment here begins with a bare pronoun any more", cure)
    }));
    Ok(violations)
}

/// Violations in a file: blocks of comment lines that begin with bare words.
fn module(path: &Path, text: &str) -> Vec<Violation> {
    let mut is_inside = false;
    let mut has_help = false;
    let mut violations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        has_help = has_help && line != "}" || derives_options(line);
        let words = comment(line).filter(|_| !(has_help && line.trim_start().starts_with("///")));
        let begins = !is_inside;
        is_inside = words.is_some();
        if let Some(bare) = words.filter(|_| begins).and_then(bare) {
            let what = format!("the comment begins with a bare `{bare}`");
            let cure = "name the item or the thing, so that the sentence can be understood alone";
            violations.push(Violation::new(path, Some(index + 1), what, cure));
        }
    }
    violations
}

/// Whether a line begins a type whose doc comments become texts of `--help`, in which a question may describe a
/// subcommand.
fn derives_options(line: &str) -> bool {
    let names = line.strip_prefix("#[derive(").and_then(|names| names.strip_suffix(")]")).unwrap_or_default();
    let last = |name: &str| name.rsplit("::").next().unwrap_or_default().to_owned();
    names
        .split(", ")
        .map(last)
        .any(|name| ["Args", "Parser", "Subcommand", "ValueEnum"].contains(&name.as_str()))
}

/// Words of a line that is only a comment; `None` for other lines.
fn comment(line: &str) -> Option<&str> {
    let words = line.trim_start().strip_prefix("//")?;
    Some(words.strip_prefix(['/', '!']).unwrap_or(words).trim())
}

/// Word, or pair of words, with which a comment begins without a noun; `None` if it names its subject.
fn bare(words: &str) -> Option<String> {
    let ends = |word: &str| word.is_empty() || word.ends_with(|last: char| last.is_ascii_punctuation());
    let plain = |word: &str| word.trim_end_matches(|last: char| last.is_ascii_punctuation()).to_owned();
    let words: Vec<&str> = words.split_whitespace().take(3).collect();
    let [first, second, third] = [0, 1, 2].map(|at| words.get(at).copied().unwrap_or_default());
    let (word, next) = (plain(first), plain(second));
    let is_pair = !ends(first) && BARE_PAIRS.contains(&(word.as_str(), next.as_str()));
    let is_part = !ends(first) && PARTS.contains(&first) && next == "of";
    let has_noun = !ends(first) && !next.is_empty() && !NO_NOUN.contains(&next.as_str());
    match () {
        () if BARE.contains(&word.as_str()) => Some(word),
        () if is_pair => Some(format!("{word} {next}")),
        () if is_part => OF_WHAT.contains(&plain(third).as_str()).then(|| format!("{word} of")),
        () if POINTING.contains(&word.as_str()) && !has_noun => Some(word),
        () => None,
    }
}

/// Commits after [`BEFORE_THE_RULE`], one a line: abbreviated hash, blank, subject. A shallow clone without that commit
/// only has later ones. Empty without git or a history, as in an unpacked archive.
fn history(root: &Path) -> String {
    let git = |words: &[&str]| git(root, words);
    let later = format!("{BEFORE_THE_RULE}..HEAD");
    let log = |range: &str| git(&["log", "--no-merges", "--format=%h %s", range]);
    let is_shallow =
        || git(&["rev-parse", "--is-shallow-repository"]).is_some_and(|said| said.trim() == "true");
    log(&later).or_else(|| is_shallow().then(|| log("HEAD")).flatten()).unwrap_or_default()
}

/// Output of git for the repository at the root; `None` if git is missing or fails.
#[expect(clippy::disallowed_methods, reason = "a chore starts git and measures nothing")]
fn git(root: &Path, words: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(words).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Checks a commit, given as its hash, a blank and its subject.
fn subject(commit: &str) -> Option<Violation> {
    let (hash, subject) = commit.split_once(' ').unwrap_or((commit, ""));
    let violation = |what: String, cure| Some(Violation::new(format!("commit {hash}"), None, what, cure));
    let chars = subject.chars().count();
    if chars > SUBJECT_CHARS_MAX {
        let what = format!("the subject has {chars} characters, more than {SUBJECT_CHARS_MAX}");
        return violation(what, "shorten it, and move the reason to the body");
    }
    if !has_area(subject) {
        let what = format!("the subject `{subject}` does not have the form `area: imperative`");
        return violation(what, "begin with the crate or folder, as in `store: read tables of version 3`");
    }
    None
}

/// Whether a subject begins with an area, such as the name of a crate, and a colon, after which words follow.
fn has_area(subject: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_/.,* ".contains(c);
    subject.split_once(": ").is_some_and(|(area, words)| {
        area.starts_with(|c: char| c.is_ascii_lowercase())
            && area.chars().all(is_part)
            && !words.trim().is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        module(Path::new("a.rs"), text).iter().map(Violation::to_string).collect()
    }

    #[test]
    fn a_comment_that_begins_with_a_bare_pronoun_is_refused() {
        let cure = "name the item or the thing, so that the sentence can be understood alone";
        for (comment, bare) in [
            ("//! What a file holds.", "What"),
            ("/// Its length in bytes.", "Its"),
            ("    // It may be gone by now.", "It"),
            ("/// One that has no name.", "One"),
            ("/// Which?", "Which"),
            ("/// The same in characters.", "The same"),
            ("/// So many bytes further on.", "So many"),
            ("// This is faster.", "This"),
            ("// Those of the parent.", "Those"),
            ("// Some do not.", "Some"),
            ("// Each of them is closed.", "Each of"),
            ("// All of it.", "All of"),
            ("// Both.", "Both"),
        ] {
            let expected = format!("a.rs:1: the comment begins with a bare `{bare}`; {cure}");
            assert_eq!(found(&format!("{comment}\nfn f() {{}}\n")), [expected], "{comment}");
        }
    }

    #[test]
    fn a_comment_that_names_its_subject_is_accepted() {
        for comment in [
            "//! Files of the store.",
            "/// Length in bytes; `None` where the file is gone.",
            "/// This function never blocks.",
            "// Those samples are kept that lie inside of the interval.",
            "// Some kernels report no temperature.",
            "// Each of the files is closed.",
            "// All samples are kept.",
            "/// Onerous work.",
            "/// `It` is a type.",
            "let text = \"It is a string\";",
            "//",
        ] {
            assert_eq!(found(&format!("{comment}\n")), Vec::<String>::new(), "{comment}");
        }
    }

    #[test]
    fn the_first_line_of_a_block_alone_is_looked_at() {
        assert_eq!(
            found("/// The file.\n/// It may be gone.\n///\n/// It is small.\n"),
            Vec::<String>::new()
        );
        let lines: Vec<bool> = found("/// The file.\na: u8,\n/// It.\nb: u8,\n")
            .iter()
            .map(|line| line.starts_with("a.rs:3:"))
            .collect();
        assert_eq!(lines, [true]);
    }

    #[test]
    fn texts_of_help_are_no_comments() {
        let text = "#[derive(Debug, clap::Subcommand)]\nenum Verb {\n    /// Which is faster?\n    // It.\n    A,\n}\n/// It.\n";
        let lines: Vec<bool> = found(text).iter().map(|line| line.starts_with("a.rs:3:")).collect();
        assert_eq!(lines, [false, false], "{:?}", found(text));
    }

    #[test]
    fn a_listed_folder_is_left_out_until_it_is_clean() {
        let root = tempfile::tempdir().unwrap();
        for (folder, comment) in [("old", "// It.\n"), ("new", "// It.\n"), ("done", "// A file.\n")] {
            fs::create_dir(root.path().join(folder)).unwrap();
            fs::write(root.path().join(folder).join("a.rs"), comment).unwrap();
        }
        let violations = comments(root.path(), &["old", "done"]).unwrap();
        let told: Vec<String> = violations.iter().map(Violation::to_string).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].starts_with("new/a.rs:1: the comment begins with a bare `It`"), "{told:?}");
        assert!(told[1].starts_with("done: no comment here begins with a bare pronoun any more"), "{told:?}");
    }

    #[test]
    fn a_subject_names_its_area_and_fits_on_a_line() {
        let fits = format!("1a2b3c4 store: {}", "x".repeat(SUBJECT_CHARS_MAX - 7));
        for good in [&fits, "1a2b3c4 vm, xtask: boot four guests", "1a2b3c4 crates/sys: read /proc/stat once"]
        {
            assert_eq!(subject(good), None, "{good}");
        }
        for (bad, what) in [
            (format!("{fits}x"), "commit 1a2b3c4: the subject has 73 characters, more than 72; "),
            (
                "1a2b3c4 Guests boot".into(),
                "commit 1a2b3c4: the subject `Guests boot` does not have the form",
            ),
            ("1a2b3c4 store: ".into(), "commit 1a2b3c4: the subject `store: ` does not have the form"),
            (
                "1a2b3c4 All is well: it passes".into(),
                "commit 1a2b3c4: the subject `All is well: it passes` ",
            ),
        ] {
            let told = subject(&bad).map(|violation| violation.to_string()).unwrap_or_default();
            assert!(told.starts_with(what), "{bad}: {told}");
        }
    }

    #[test]
    fn a_shallow_clone_is_checked_as_far_as_it_goes() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir(&from).unwrap();
        if git(&from, &["init", "--quiet"]).is_none() {
            return println!("skipped: git is not installed");
        }
        for subject in ["First", "Second"] {
            let who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
            let words = [&who[..], &["commit", "--quiet", "--allow-empty", "-m", subject]].concat();
            git(&from, &words).expect("a commit");
        }
        assert_eq!(history(&from), "", "a whole history without the commit of the rule is another project's");
        let (url, to_text) = (format!("file://{}", from.display()), to.display().to_string());
        git(&from, &["clone", "--quiet", "--depth", "1", &url, &to_text]).expect("a clone");
        let told: Vec<String> =
            history(&to).lines().map(|line| line.split_once(' ').unwrap().1.into()).collect();
        assert_eq!(told, ["Second"]);
    }

    #[test]
    fn a_folder_without_history_has_no_commits_to_check() {
        assert_eq!(history(tempfile::tempdir().unwrap().path()), "");
    }
}
