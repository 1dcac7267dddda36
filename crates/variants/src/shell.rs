//! Inserts a path into a shell line; see "Quoting" in `sh(1p)`.

use crate::flags::quoted;

/// Quoting context of a position in a shell line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    Nothing,
    Double,
    Single,
    /// Within backquotes, `` `…` ``, where quoting begins anew, as it does within `$(…)`.
    Back,
}

/// Inserts the program's path like `fill`, but quoted for its context: as a word of its own outside of quotes, and as a
/// part of the text within quotes, such as a line of another language.
pub fn fill_for_shell(line: &str, program: &str) -> String {
    let mut filled = String::with_capacity(line.len() + program.len());
    let mut around = vec![Around::Nothing];
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let innermost = around.last().copied().unwrap_or(Around::Nothing);
        if let Some(name) = ["{program}", "{out}"].into_iter().find(|name| rest.starts_with(name)) {
            filled.push_str(&written(program, innermost));
            rest = &rest[name.len()..];
            continue;
        }
        // An apostrophe within a comment opens no quotes.
        if first == '#'
            && innermost == Around::Nothing
            && filled.chars().last().is_none_or(char::is_whitespace)
        {
            let end = rest.find('\n').unwrap_or(rest.len());
            filled.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        // A character after a backslash has no special meaning to the shell.
        let taken = match (first, innermost) {
            ('\\', Around::Nothing | Around::Double | Around::Back) => {
                rest.chars().take(2).map(char::len_utf8).sum()
            }
            _ => first.len_utf8(),
        };
        match (first, innermost) {
            ('\'', Around::Single) | ('"', Around::Double) | ('`', Around::Back) => drop(around.pop()),
            (_, Around::Single) => {}
            ('\'', Around::Nothing | Around::Back) => around.push(Around::Single),
            ('"', _) => around.push(Around::Double),
            ('`', _) => around.push(Around::Back),
            ('(', Around::Nothing | Around::Back) => around.push(Around::Nothing),
            ('(', Around::Double) if filled.ends_with('$') => around.push(Around::Nothing),
            (')', Around::Nothing) if around.len() > 1 => drop(around.pop()),
            _ => {}
        }
        filled.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    filled
}

fn written(program: &str, around: Around) -> String {
    match around {
        Around::Nothing | Around::Back => quoted(program),
        Around::Single => program.replace('\'', r"'\''"),
        Around::Double => {
            let means_something = |c: char| "\\\"$`".contains(c);
            program.chars().flat_map(|c| means_something(c).then_some('\\').into_iter().chain([c])).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_path_is_what_stands_there() {
        for (line, filled) in [
            ("{program} -x", "/bin/p -x"),
            ("awk 'BEGIN { exit system(\"{program}\") }'", "awk 'BEGIN { exit system(\"/bin/p\") }'"),
            ("python3 -c \"call(['{out}'])\"", "python3 -c \"call(['/bin/p'])\""),
            ("a \\", "a \\"),
            ("é{program}é", "é/bin/pé"),
        ] {
            assert_eq!(fill_for_shell(line, "/bin/p"), filled);
        }
    }

    #[test]
    fn a_path_with_a_blank_is_one_word_by_itself_and_text_in_quotation_marks() {
        for (line, filled) in [
            ("{program} -x", "'/a b/p' -x"),
            ("\"{program}\" -x", "\"/a b/p\" -x"),
            ("'{program}' -x", "'/a b/p' -x"),
            ("\"$({program} 3)\" {out}", "\"$('/a b/p' 3)\" '/a b/p'"),
            ("\"a\"{program}\"b\"", "\"a\"'/a b/p'\"b\""),
            ("\"`{program}`\"", "\"`'/a b/p'`\""),
            ("(\"{program}\"; {program})", "(\"/a b/p\"; '/a b/p')"),
            ("# it's\n{program} # it's", "# it's\n'/a b/p' # it's"),
            ("\\\"{program} x", "\\\"'/a b/p' x"),
        ] {
            assert_eq!(fill_for_shell(line, "/a b/p"), filled);
        }
        assert_eq!(fill_for_shell("\"{out}\"", "/a$\"`\\"), "\"/a\\$\\\"\\`\\\\\"");
        assert_eq!(fill_for_shell("'{out}'", "it's"), "'it'\\''s'");
    }
}
