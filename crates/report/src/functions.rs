//! Shortens names of functions, in which template arguments may be far longer than all the rest.

use unicode_width::UnicodeWidthStr;

use crate::words::{shorten, visible};

/// Text in place of a list of template arguments.
const ARGUMENTS: &str = "‹…›";

/// The visible name of a function in at most `width` columns. A wider name loses its template arguments, and then its
/// middle.
pub fn function(name: &str, width: usize) -> String {
    let name = visible(name);
    match name.width() <= width {
        true => name,
        false => shorten(&without_arguments(&name), width, "…"),
    }
}

/// The text with `‹…›` in place of every list of template arguments. A bracket that nothing closes stays as it is.
pub fn without_arguments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, list) = rest.split_at(at);
        out.push_str(before);
        match end(list).filter(|_| is_list(&out, list)) {
            Some(end) => {
                out.push_str(ARGUMENTS);
                rest = &list[end..];
            }
            None => {
                out.push('<');
                rest = &list[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Index behind the bracket that closes the first one of `list`; `None` if nothing closes that one. The end of an arrow
/// (`->`) closes nothing.
fn end(list: &str) -> Option<usize> {
    let (mut depth, mut last) = (0_usize, ' ');
    for (at, c) in list.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if last != '-' && depth <= 1 => return Some(at + 1),
            '>' if last != '-' => depth -= 1,
            _ => {}
        }
        last = c;
    }
    None
}

/// Whether the bracket with which `list` begins opens template arguments: the text before the bracket ends with a name,
/// with `::` as in Rust, or with an operator and a blank as in `operator<< <char>`.
fn is_list(before: &str, list: &str) -> bool {
    match before.chars().next_back() {
        Some(' ') => {
            let operator = before.trim_end();
            let word = operator.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '_');
            word.len() < operator.len() && is_operator(word)
        }
        // Angle brackets at the beginning surround the type of a method, or the word `lambda`, and no arguments.
        Some(':') => before.ends_with("::") && !list.starts_with("<impl ") && !list.starts_with("<lambda"),
        Some(last) => is_of_name(last) && !is_operator(before),
        None => false,
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a text ends with the word `operator`.
fn is_operator(text: &str) -> bool {
    text.strip_suffix("operator").is_some_and(|before| !before.ends_with(is_of_name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn template_arguments_are_left_out_and_other_brackets_stay() {
        for (name, short) in [
            ("std::vector<int, std::allocator<int> >::push_back(int&&)", "std::vector‹…›::push_back(int&&)"),
            ("map<int, A<B<C>>>::find(X<Y> const&)", "map‹…›::find(X‹…› const&)"),
            (
                "std::operator<< <std::char_traits<char> >(std::ostream&, char)",
                "std::operator<< ‹…›(std::ostream&, char)",
            ),
            ("call<decltype(a->b)>(int)", "call‹…›(int)"),
            ("alloc::vec::from_elem::<u8>", "alloc::vec::from_elem::‹…›"),
            (
                "<alloc::vec::Vec<T> as core::iter::Iterator>::next",
                "<alloc::vec::Vec‹…› as core::iter::Iterator>::next",
            ),
        ] {
            assert_eq!(without_arguments(name), short);
        }
        for plain in [
            "A::operator<(A const&)",
            "A::operator<<(int)",
            "A::operator->()",
            "core::fmt::num::<impl core::fmt::Display for u32>::fmt",
            "main::<lambda(int)>",
            "jne 401150 <main+0x20>",
            "a < b",
            "cut<off",
            "",
        ] {
            assert_eq!(without_arguments(plain), plain);
        }
    }

    #[test]
    fn a_name_that_fits_keeps_its_arguments() {
        let name = "std::vector<int>::push_back";
        assert_eq!(function(name, 40), name);
        assert_eq!(function(name, 25), "std::vector‹…›::push_back");
        assert_eq!(function(name, 11), "std::…_back");
    }

    proptest! {
        #[test]
        fn every_name_fits(name in "[a-z:<>() -]{0,60}", width in 3usize..60) {
            prop_assert!(function(&name, width).width() <= width);
        }
    }
}
