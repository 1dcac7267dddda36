//! A command for many hosts, and the line of the script that runs it.

/// How a tool reaches its hosts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'a> {
    pub(super) inventory: &'a str,
    /// Number of hosts that are contacted at the same time.
    pub(super) fan: u32,
    /// Folder for the answers of a tool that writes a file for each host.
    pub(super) answers: &'a str,
}

/// Placeholder in a command line for the comma-separated list of hosts, which is known only when the script runs.
pub(super) const HOSTS: &str = "\u{1}hosts";

pub(super) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Joins words to a line of a shell script, in which the variable `hosts` replaces [`HOSTS`].
pub(super) fn line(words: &[String]) -> String {
    let word = |word: &String| match word.as_str() {
        HOSTS => "\"$hosts\"".to_owned(),
        _ => shell_words::quote(word).into_owned(),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}
