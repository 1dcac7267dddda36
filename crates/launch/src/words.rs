//! Resolves a command line to a program and its arguments.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use fauxplat_model::hex;
use fauxplat_sys::files::open_regular;
use sha2::{Digest, Sha256};

use crate::LaunchError;

/// Operators that only a shell understands, with their names for error messages.
const SHELL_ONLY: [(&str, &str); 8] = [
    ("|", "a pipeline"),
    ("||", "a list of commands"),
    ("&&", "a list of commands"),
    (";", "a list of commands"),
    ("&", "a background command"),
    (">", "a redirection"),
    (">>", "a redirection"),
    ("<", "a redirection"),
];

/// Splits a command line into words as a shell would, without a shell.
///
/// # Errors
/// Fails for an unclosed quote, an empty command, or a construct that needs a shell.
pub fn split(command: &str) -> Result<Vec<String>, LaunchError> {
    let fail = |reason: String| LaunchError::Words { command: command.to_owned(), reason };
    if let Some(name) = shell_construct(command) {
        return Err(fail(format!(
            "this is {name}, which needs a shell: add --shell to run it by /bin/sh (its start is then measured too)"
        )));
    }
    if let Some(text) = expansion(command) {
        return Err(fail(format!(
            "`{text}` is for a shell to fill in: add --shell, or put it into single quotes if it is meant as it stands"
        )));
    }
    let words = shell_words::split(command).map_err(|_| fail("a quote is not closed".into()))?;
    match words.first().map(String::as_str) {
        None | Some("") => Err(fail("the command is empty".into())),
        Some(first) if words.len() > 1 && is_assignment(first) => Err(fail(format!(
            "`{first}` sets a variable, which a shell would do: say --env {first}, or add --shell"
        ))),
        Some(_) => Ok(words),
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| is_name(name) && !name.starts_with(|c: char| c.is_ascii_digit()))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Finds the first part of a command line that a shell would replace: a variable or the output of a command outside
/// single quotes, or a pattern or a home directory outside all quotes.
fn expansion(command: &str) -> Option<&str> {
    let (mut quote, mut escaped, mut before) = (None, false, ' ');
    for (at, c) in command.char_indices() {
        let (is_escaped, rest) = (escaped, &command[at..]);
        escaped = c == '\\' && !is_escaped && quote != Some('\'');
        let begins_word = quote.is_none() && before.is_whitespace();
        before = c;
        match (quote, c) {
            _ if is_escaped => {}
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None | Some('"'), '`') => return Some(until_blank(rest)),
            (None | Some('"'), '$') if rest[1..].starts_with(begins_expansion) => {
                return Some(until_blank(rest));
            }
            (None, '*') => return Some(word_around(command, at)),
            (None, '~') if begins_word && is_home(rest) => return Some(until_blank(rest)),
            _ => {}
        }
    }
    None
}

/// Whether a `$` before this character starts an expansion in a shell. Other characters do not count, since `awk` and
/// regular expressions have a plain `$` at the ends of words.
fn begins_expansion(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_{(@*#?!".contains(c)
}

/// Whether the `~` with which the text begins stands for a home directory in a shell.
fn is_home(rest: &str) -> bool {
    let name = rest[1..].split(|c: char| c == '/' || c.is_whitespace()).next().unwrap_or_default();
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn until_blank(text: &str) -> &str {
    text.split([' ', '\t', '\n', '"', ';']).next().unwrap_or(text)
}

fn word_around(text: &str, at: usize) -> &str {
    let start = text[..at].rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
    until_blank(&text[start..])
}

/// Name of the first construct outside quotes that only a shell understands, such as "a pipeline".
fn shell_construct(command: &str) -> Option<&'static str> {
    let (mut quote, mut escaped) = (None, false);
    let mut operator = String::new();
    for c in command.chars().chain([' ']) {
        let is_escaped = std::mem::replace(&mut escaped, false);
        let plain = quote.is_none() && !is_escaped;
        escaped = c == '\\' && !is_escaped && quote != Some('\'');
        if plain && "|&;<>".contains(c) {
            operator.push(c);
            continue;
        }
        if !operator.is_empty() {
            let known = SHELL_ONLY.iter().find(|(text, _)| *text == operator);
            return Some(known.map_or("shell syntax", |(_, name)| name));
        }
        match quote {
            None if plain && (c == '"' || c == '\'') => quote = Some(c),
            Some(open) if open == c && !is_escaped => quote = None,
            _ => {}
        }
    }
    None
}

/// Finds the executable for the first word of a command: a path if the word contains a slash, otherwise a name in
/// `PATH`. Paths are relative to the working directory of the command.
pub fn find_program(word: &str, cwd: &Path, search_path: &str) -> Result<PathBuf, LaunchError> {
    if word.contains('/') {
        let path = cwd.join(word);
        let usable = executable(&path);
        return usable.map_err(|found| not_usable(word, path, found, String::new()));
    }
    let mut refused = None;
    for folder in search_path.split(':') {
        let path = cwd.join(if folder.is_empty() { "." } else { folder }).join(word);
        match executable(&path) {
            Ok(path) => return Ok(path),
            Err(true) => refused = refused.or(Some(path)),
            Err(false) => {}
        }
    }
    let hint = " in PATH (give a path such as ./program, or add --shell if it is a shell's own command)";
    let found = refused.is_some();
    Err(not_usable(word, refused.unwrap_or_default(), found, hint.into()))
}

/// The absolute path if the file is executable. Otherwise the error says whether the file exists.
fn executable(path: &Path) -> Result<PathBuf, bool> {
    let facts = std::fs::metadata(path).map_err(|_| false)?;
    if facts.is_file() && facts.permissions().mode() & 0o111 != 0 {
        // Not canonicalised: a program may behave differently when it is called by the name of a symbolic link.
        return Ok(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    }
    Err(true)
}

fn not_usable(word: &str, path: PathBuf, found: bool, hint: String) -> LaunchError {
    if found {
        LaunchError::NotExecutable { path }
    } else {
        LaunchError::NotFound { program: word.into(), hint }
    }
}

/// SHA-256 of a file in hexadecimal; `None` when it cannot be read.
pub fn sha256(path: &Path) -> Option<String> {
    let mut file = open_regular(path).ok()?;
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 64 << 10]);
    loop {
        match file.read(&mut buffer).ok()? {
            0 => return Some(hex(&hash.finalize())),
            got => hash.update(&buffer[..got]),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn splits_as_a_shell_does() {
        assert_eq!(split(r#"grep -e 'a b' "c \"d" e\ f"#).unwrap(), ["grep", "-e", "a b", "c \"d", "e f"]);
        assert_eq!(split("awk '{print $1 | \"sort\"}' file").unwrap().len(), 3);
        assert_eq!(split(r"find . -name \;").unwrap(), ["find", ".", "-name", ";"]);
    }

    #[test]
    fn names_what_needs_a_shell() {
        for (command, name) in [
            ("ls | wc", "a pipeline"),
            ("ls|wc", "a pipeline"),
            ("a && b", "a list"),
            ("a; b", "a list"),
            ("sort <in", "a redirection"),
            ("cmd 2>/dev/null", "a redirection"),
            ("sleep 1 &", "a background"),
        ] {
            let text = split(command).unwrap_err().to_string();
            assert!(text.contains(name) && text.contains("--shell"), "{text}");
        }
        assert!(split("echo 'a").unwrap_err().to_string().contains("quote"));
        assert!(split("  ").unwrap_err().to_string().contains("empty"));
    }

    /// An escaped quote within double quotes does not end them, and the text after it is still quoted.
    #[test]
    fn what_is_quoted_needs_no_shell() {
        for (command, words) in [
            (r#"echo "a \"| b""#, &["echo", "a \"| b"][..]),
            (r#"echo "\\" "a;b""#, &["echo", "\\", "a;b"]),
            (r#"echo 'a\' "b>c""#, &["echo", "a\\", "b>c"]),
            (r#"echo "it's" 'a&b'"#, &["echo", "it's", "a&b"]),
            (r"echo \| \; \&", &["echo", "|", ";", "&"]),
        ] {
            assert_eq!(split(command).unwrap(), words, "{command}");
        }
        for command in [r#"echo "a\\"|b"#, r#"echo 'a\'|b"#, r"echo \\|b", r#"echo "a\"b";c"#] {
            assert!(split(command).unwrap_err().to_string().contains("needs a shell"), "{command}");
        }
    }

    #[test]
    fn operators_that_have_no_name_of_their_own_need_a_shell_too() {
        for command in ["a |& b", "a <<< b", "a &> b", "a ;; b", "a 2>&1", "|", "a|"] {
            assert!(split(command).unwrap_err().to_string().contains("needs a shell"), "{command}");
        }
    }

    /// A word in double quotes, as a user might type it.
    fn quoted(word: &str) -> String {
        let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$").replace('`', "\\`");
        format!("\"{escaped}\"")
    }

    proptest! {
        #[test]
        fn words_come_back_however_they_were_quoted(
            program in "[a-z./]{1,10}",
            words in proptest::collection::vec("[ -~é\n\t]{0,12}", 0..5),
        ) {
            let all: Vec<String> = std::iter::once(program).chain(words).collect();
            prop_assert_eq!(&split(&shell_words::join(&all)).unwrap(), &all);
            let in_double: Vec<String> = all.iter().map(|word| quoted(word)).collect();
            prop_assert_eq!(&split(&in_double.join(" ")).unwrap(), &all);
        }

        #[test]
        fn any_line_is_split_or_refused(line in "[a-c \\\\\"'|;&<>#$\n]{0,24}") {
            match split(&line) {
                Ok(words) => prop_assert!(!words[0].is_empty()),
                Err(error) => prop_assert!(error.to_string().contains('`'), "{}", error),
            }
        }
    }

    #[test]
    fn programs_are_looked_for_in_the_order_of_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let plant = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let (refused, second) = (plant("one/tool", 0o644), plant("two/tool", 0o755));
        let own = plant("own", 0o755);
        std::fs::create_dir_all(folder.path().join("zero/tool")).unwrap();
        let find = |word: &str, path: &str| find_program(word, folder.path(), path);
        assert_eq!(find("tool", "zero:one:two").unwrap(), second, "folders and plain files are passed over");
        assert_eq!(find("own", "one:").unwrap(), own, "an empty part is the working directory");
        assert_eq!(find("two/tool", "").unwrap(), second);
        assert_eq!(find("../two/tool", "one").unwrap_err().to_string(), "`../two/tool`: no such program");
        // The first candidate without execute permission is named in the error.
        let error = find("tool", "one:zero").unwrap_err().to_string();
        assert!(error.contains(refused.to_str().unwrap()) && error.contains("chmod +x"), "{error}");
        let missing = find("none", "one:two").unwrap_err().to_string();
        assert!(missing.contains("in PATH") && missing.contains("--shell"), "{missing}");
    }

    #[test]
    fn names_what_a_shell_would_fill_in() {
        for (command, text) in [
            ("echo $HOME", "`$HOME`"),
            ("echo \"a ${x} b\"", "`${x}`"),
            ("wc $(ls -1)", "`$(ls`"),
            ("wc `ls`", "``ls``"),
            ("grep needle src/*.c main.c", "`src/*.c`"),
            ("ls ~/x", "`~/x`"),
            ("ls ~", "`~`"),
        ] {
            let said = split(command).unwrap_err().to_string();
            assert!(said.contains(text) && said.contains("--shell"), "{said}");
        }
        let said = split("LANG=C sort x").unwrap_err().to_string();
        assert!(said.contains("--env LANG=C"), "{said}");
        for fine in [
            "awk '{print $1}' '*' \\* \"*\" \"\\$x\"",
            "grep a$ x",
            "sed -n $ x",
            "echo a~ x~y",
            "curl http://x/?a=b",
            "dd if=/dev/zero of=x",
            "make -j {n}",
        ] {
            assert!(split(fine).is_ok(), "{fine}: {:?}", split(fine));
        }
    }

    #[test]
    fn finds_programs() {
        let cwd = Path::new("/");
        assert_eq!(find_program("sh", cwd, "/nowhere:/bin").unwrap(), Path::new("/bin/sh"));
        assert_eq!(find_program("bin/sh", cwd, "").unwrap(), Path::new("/bin/sh"));
        assert!(matches!(find_program("no-such", cwd, "/bin"), Err(LaunchError::NotFound { .. })));
        assert!(matches!(find_program("/etc/passwd", cwd, ""), Err(LaunchError::NotExecutable { .. })));
        assert!(matches!(find_program("/etc", cwd, ""), Err(LaunchError::NotExecutable { .. })));
    }

    #[test]
    fn hashes_files() {
        // The digest of the empty message, from the examples for FIPS 180-4.
        let empty = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(
            sha256(empty.path()).unwrap(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(sha256(Path::new("/no/such/file")), None);
        // Reading a device might never end.
        assert_eq!(sha256(Path::new("/dev/zero")), None);
    }
}
