//! Names that the user gives to keys and objects of a live table.

use std::collections::BTreeMap;
use std::path::Path;

use fauxplat_experiment::Failure;
use fauxplat_options::define::or_stdin;
use fauxplat_sys::text::read_text;

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Names {
    pub(crate) keys: BTreeMap<u64, String>,
    pub(crate) objects: BTreeMap<u64, String>,
}

impl Names {
    /// Parses `NAME=KEY` and `NAME=@OBJECT`; a word without `=` is a file with one such entry per line, where `#`
    /// begins a comment.
    ///
    /// # Errors
    /// Fails where a file cannot be read, a word has neither form, or a number or name is given twice.
    pub(crate) fn read(words: &[String]) -> Result<Self, Failure> {
        let mut names = Names::default();
        for word in words {
            match word.contains('=') {
                true => names.add(word, "--names")?,
                false => names.add_file(word)?,
            }
        }
        Ok(names)
    }

    fn add_file(&mut self, path: &str) -> Result<(), Failure> {
        let text = read_text(or_stdin(Path::new(path)), fauxplat_plan::BYTES_MAX)
            .map_err(|error| Failure::input(format!("--names {path}: {error}")))?;
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                self.add(line, &format!("{path}, line {}", index + 1))?;
            }
        }
        Ok(())
    }

    fn add(&mut self, pair: &str, place: &str) -> Result<(), Failure> {
        let fail = |what: &str| Failure::usage(format!("{place}: `{pair}` {what}"));
        let no_pair = || fail("is neither NAME=KEY nor NAME=@OBJECT");
        let (name, number) = pair.split_once('=').ok_or_else(no_pair)?;
        let (name, number) = (name.trim(), number.trim());
        let (map, digits) = match number.strip_prefix('@') {
            Some(digits) => (&mut self.objects, digits),
            None => (&mut self.keys, number),
        };
        let number = digits.parse().map_err(|_| no_pair())?;
        if name.is_empty() {
            return Err(no_pair());
        }
        if map.contains_key(&number) || map.values().any(|other| other == name) {
            return Err(fail("repeats a name or a number of an earlier pair"));
        }
        map.insert(number, name.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Names, String> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        Names::read(&words).map_err(|failure| failure.to_string())
    }

    #[test]
    fn keys_and_objects_get_their_names() {
        let names = read(&["requests=0", "bytes=18446744073709551615", "server=@7"]).unwrap();
        assert_eq!(names.keys[&0], "requests");
        assert_eq!(names.keys[&u64::MAX], "bytes");
        assert_eq!(names.objects[&7], "server");
        for bad in [&["=1"][..], &["a="], &["a=b"], &["a=@"], &["a=-1"], &["a=0", "b=0"], &["a=0", "a=1"]] {
            assert!(read(bad).is_err_and(|error| error.contains("--names")), "{bad:?}");
        }
        assert!(read(&["a=0", "a=@0"]).is_ok());
    }

    #[test]
    fn a_file_says_where_it_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names").to_str().unwrap().to_owned();
        std::fs::write(&path, "# of my server\nrequests = 0 # served\n\nserver=@1\n").unwrap();
        assert_eq!(read(&[&path]).unwrap().objects[&1], "server");
        std::fs::write(&path, "requests=0\nbytes\n").unwrap();
        assert!(read(&[&path]).is_err_and(|error| error.contains("line 2") && error.contains("`bytes`")));
        assert!(read(&["/no/such/file"]).is_err_and(|error| error.contains("No such file")));
    }
}
