//! Demangled names of functions.

use std::fmt;

use cpp_demangle::{DemangleOptions, ParseOptions};

/// Limit of a symbol's length, in bytes. Longer symbols are shown mangled: templates may grow to names of megabytes.
const SYMBOL_MAX: usize = 16 << 10;
/// Limit of recursion in the library for a symbol that is demangled as a whole: enough for 16 nested templates. For an
/// invalid symbol the library's time doubles with each level, and 29 levels took half an hour.
const DEPTH_MAX: u32 = 96;
/// Limit of recursion for each prefix of a symbol that [`without_types`] tries: enough for ten nested templates.
const CUT_DEPTH_MAX: u32 = 64;
/// Limit of the demangled name, in bytes. A symbol of some hundred bytes may stand for a name that fills any memory, if
/// each of its parts is the previous one twice.
const NAME_MAX: usize = 64 << 10;
/// Number of prefixes of a symbol that are tried, each of which is demangled separately.
const CUTS_MAX: usize = 100;

/// Returns the demangled name of a symbol; `None` if the symbol is mangled in an unknown way.
pub fn demangle(symbol: &str) -> Option<String> {
    if let Some(called) = symbol.strip_suffix("@plt") {
        return Some(format!("{}@plt", demangle(called)?));
    }
    // The version of a symbol, as in `memcpy@@GLIBC_2.14`, is no part of the function's name.
    let symbol = symbol.split_once('@').map_or(symbol, |(name, _)| name);
    if symbol.len() > SYMBOL_MAX || !(symbol.starts_with("_Z") || symbol.starts_with("_R")) {
        return Some(symbol.to_owned());
    }
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        return Some(format!("{name:#}"));
    }
    let (plain, clone) = without_clone(symbol);
    let name = cpp(plain)?;
    Some(if clone.is_empty() { name } else { format!("{name} [{clone}]") })
}

/// Splits off the suffix of a copy that the compiler made of a function: `.constprop.0`, `.part.3`, `.cold`.
fn without_clone(symbol: &str) -> (&str, &str) {
    symbol.split_once('.').unwrap_or((symbol, ""))
}

fn cpp(symbol: &str) -> Option<String> {
    whole(symbol, DEPTH_MAX).or_else(|| without_types(symbol))
}

/// Demangles the longest prefix of a symbol that is valid when `vv` (result and parameter of type void) is added. That
/// prefix contains the function's own name. The library does not know expressions in some types of results and
/// parameters (`__enable_if<…>`), and types are not shown anyway.
fn without_types(symbol: &str) -> Option<String> {
    let expression = symbol.find("IX")?;
    let cuts = (3..=expression).rev().filter(|&cut| symbol.is_char_boundary(cut)).take(CUTS_MAX);
    cuts.filter_map(|cut| whole(&format!("{}vv", &symbol[..cut]), CUT_DEPTH_MAX)).next()
}

fn whole(symbol: &str, depth_max: u32) -> Option<String> {
    let parse = ParseOptions::default().recursion_limit(depth_max);
    let parsed = cpp_demangle::Symbol::new_with_options(symbol, &parse).ok()?;
    // Types of parameters and results make names long and say little about where the time is spent.
    let options = DemangleOptions::new().no_params().no_return_type();
    let mut name = Bounded(String::new());
    parsed.structured_demangle(&mut name, &options).ok()?;
    Some(name.0)
}

/// A demangled name of at most [`NAME_MAX`] bytes: writing a part that would make it longer fails.
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        match self.0.len() + part.len() <= NAME_MAX {
            true => self.0.write_str(part),
            false => Err(fmt::Error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_languages_are_read() {
        let is = |symbol: &str, name: &str| assert_eq!(demangle(symbol).as_deref(), Some(name), "{symbol}");
        is("main", "main");
        is("memcpy@@GLIBC_2.14", "memcpy");
        is("memcmp@plt", "memcmp@plt");
        is("_ZN9LogReader4readEv", "LogReader::read");
        is("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
        is("_ZL5innerv.constprop.0", "inner [constprop.0]");
        is(
            "_ZSteqIcEN9__gnu_cxx11__enable_ifIXsrSt9__is_charIT_E7__valueEbE6__typeERKNSt7__cxx1112basic_stringIS3_St11char_traitsIS3_ESaIS3_EEESE_",
            "std::operator==<char>",
        );
        assert_eq!(demangle("_Zgarbage"), None);
    }

    /// Every part of the symbol is the previous part twice: `b<c>`, `b<b<c>, b<c>>`, and so on.
    #[test]
    fn a_symbol_that_means_a_name_without_end_is_not_understood() {
        let doubled = |parts: &str| format!("_Z1fI1bI1cE{parts}Evv");
        assert_eq!(demangle(&doubled("S0_IS2_S2_E")).as_deref(), Some("f<b<c>, b<b<c>, b<c> > >"));
        let digit = |number: u32| char::from_digit(number, 36).expect("a digit").to_ascii_uppercase();
        let parts = (2..32).map(|number| format!("S0_IS{0}_S{0}_E", digit(number)));
        assert_eq!(demangle(&doubled(&parts.collect::<String>())), None);
    }

    /// The library's time doubles with each unfinished template, so the test needs no clock: without the limit it would
    /// not end.
    #[test]
    fn templates_in_each_other_are_followed_so_far() {
        let nested = |count: usize| format!("_Z1fI{}1bI1cE{}Evv", "1aI".repeat(count), "E".repeat(count));
        assert!(demangle(&nested(10)).is_some());
        for count in 1..60 {
            assert_eq!(demangle(&format!("_Z1fI1bI1cE{}S1_E", "S0_I".repeat(count))), None);
        }
    }
}
