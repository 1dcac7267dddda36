//! Names of functions as their programmers wrote them.

use std::fmt;

use cpp_demangle::{DemangleOptions, ParseOptions};

/// A symbol longer than this is shown as it is: templates may grow names of megabytes.
const SYMBOL_MAX: usize = 16 << 10;
/// Names nested deeper than this are not followed: 16 templates in each other. Of a symbol that is none the library tries
/// twice as much with every template more, and 29 of them took it half an hour.
const DEPTH_MAX: u32 = 96;
/// The same where beginnings of a symbol are tried one after the other: ten templates.
const CUT_DEPTH_MAX: u32 = 64;
/// What a symbol means is no longer than this: one of some hundred bytes, each of whose parts is the one before twice, would
/// fill any memory.
const NAME_MAX: usize = 64 << 10;
/// Beginnings of a symbol that are tried: each is read anew.
const CUTS_MAX: usize = 100;

/// What a symbol means; `None` if it is mangled in a way that is not understood here.
pub fn demangle(symbol: &str) -> Option<String> {
    if let Some(called) = symbol.strip_suffix("@plt") {
        return Some(format!("{}@plt", demangle(called)?));
    }
    // A version of the symbol, as `memcpy@@GLIBC_2.14`, is no part of the function's name.
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

/// Copies that the compiler made of a function for itself have a suffix: `.constprop.0`, `.part.3`, `.cold`.
fn without_clone(symbol: &str) -> (&str, &str) {
    symbol.split_once('.').unwrap_or((symbol, ""))
}

fn cpp(symbol: &str) -> Option<String> {
    whole(symbol, DEPTH_MAX).or_else(|| without_types(symbol))
}

/// Of some types of results and parameters (`__enable_if<…>`) the library knows no expressions. They are not shown, so the
/// function's own name in front of them will do: the longest beginning that is one, with types that are simple.
fn without_types(symbol: &str) -> Option<String> {
    let expression = symbol.find("IX")?;
    let cuts = (3..=expression).rev().filter(|&cut| symbol.is_char_boundary(cut)).take(CUTS_MAX);
    cuts.filter_map(|cut| whole(&format!("{}vv", &symbol[..cut]), CUT_DEPTH_MAX)).next()
}

fn whole(symbol: &str, depth_max: u32) -> Option<String> {
    let parse = ParseOptions::default().recursion_limit(depth_max);
    let parsed = cpp_demangle::Symbol::new_with_options(symbol, &parse).ok()?;
    // Types of parameters and results make names long and say little of where the time goes.
    let options = DemangleOptions::new().no_params().no_return_type();
    let mut name = Bounded(String::new());
    parsed.structured_demangle(&mut name, &options).ok()?;
    Some(name.0)
}

/// A name as long as it makes sense; the first part that goes beyond ends it.
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

    /// Each part is the one before twice: `b<c>`, `b<b<c>, b<c>>`, and so on.
    #[test]
    fn a_symbol_that_means_a_name_without_end_is_not_understood() {
        let doubled = |parts: &str| format!("_Z1fI1bI1cE{parts}Evv");
        assert_eq!(demangle(&doubled("S0_IS2_S2_E")).as_deref(), Some("f<b<c>, b<b<c>, b<c> > >"));
        let digit = |number: u32| char::from_digit(number, 36).expect("a digit").to_ascii_uppercase();
        let parts = (2..32).map(|number| format!("S0_IS{0}_S{0}_E", digit(number)));
        assert_eq!(demangle(&doubled(&parts.collect::<String>())), None);
    }

    /// With each template more that begins and does not end, the library tries twice as much: no clock is needed to see
    /// that it does not try for ever.
    #[test]
    fn templates_in_each_other_are_followed_so_far() {
        let nested = |count: usize| format!("_Z1fI{}1bI1cE{}Evv", "1aI".repeat(count), "E".repeat(count));
        assert!(demangle(&nested(10)).is_some());
        for count in 1..60 {
            assert_eq!(demangle(&format!("_Z1fI1bI1cE{}S1_E", "S0_I".repeat(count))), None);
        }
    }
}
