//! To whom a command goes, and words of a command line.

/// To whom a command goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'a> {
    pub(super) inventory: &'a str,
    /// Joined by commas.
    pub(super) hosts: &'a str,
    /// So many at a time.
    pub(super) fan: u32,
    /// The folder for the answers of a tool that writes a file for each host.
    pub(super) answers: &'a str,
}

pub(super) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}
