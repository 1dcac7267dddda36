//! Names of functions as their programmers wrote them.

use cpp_demangle::{DemangleOptions, ParseOptions};

/// A symbol longer than this is shown as it is: templates may grow names of megabytes.
const SYMBOL_MAX: usize = 16 << 10;
/// Names nested deeper than this are not followed.
const DEPTH_MAX: u32 = 160;

/// What a symbol means; `None` if it is mangled in a way that is not understood here.
pub(crate) fn demangle(symbol: &str) -> Option<String> {
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
    whole(symbol).or_else(|| without_types(symbol))
}

/// Of some types of results and parameters (`__enable_if<…>`) the library knows no expressions. They are not shown, so the
/// function's own name in front of them will do: the longest beginning that is one, with types that are simple.
fn without_types(symbol: &str) -> Option<String> {
    let expression = symbol.find("IX")?;
    let cuts = (3..=expression).rev().filter(|&cut| symbol.is_char_boundary(cut));
    cuts.filter_map(|cut| whole(&format!("{}vv", &symbol[..cut]))).next()
}

fn whole(symbol: &str) -> Option<String> {
    let parse = ParseOptions::default().recursion_limit(DEPTH_MAX);
    let parsed = cpp_demangle::Symbol::new_with_options(symbol, &parse).ok()?;
    // Types of parameters and results make names long and say little of where the time goes.
    let options = DemangleOptions::new().no_params().no_return_type();
    parsed.demangle_with_options(&options).ok()
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
}
