//! To whom a command goes, and words of a command line.

/// To whom a command goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'a> {
    pub(super) inventory: &'a str,
    /// So many at a time.
    pub(super) fan: u32,
    /// The folder for the answers of a tool that writes a file for each host.
    pub(super) answers: &'a str,
}

/// The word that stands for the hosts, joined by commas: which are left only the script knows when it gets there.
pub(super) const HOSTS: &str = "\u{1}hosts";

pub(super) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Words as a line of a script, whose variable has the hosts.
pub(super) fn line(words: &[String]) -> String {
    let word = |word: &String| match word.as_str() {
        HOSTS => "\"$hosts\"".to_owned(),
        _ => shell_words::quote(word).into_owned(),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}
