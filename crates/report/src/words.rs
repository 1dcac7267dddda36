//! Words and numbers that all renderers share: escaped names, numbers in a common unit, percentages.

use fauxplat_model::{Metric, Unit};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::{TimeUnit, View};

/// Separator of a number and its unit, a non-breaking blank. [`spaced`] finally replaces it with an ordinary blank.
pub const TIE: char = '\u{a0}';

/// The text as it is finally shown, with blanks in place of every [`TIE`].
pub(crate) fn spaced(text: &str) -> String {
    text.replace(TIE, " ")
}

/// Escapes a text so that nothing in it can move the cursor, start an escape sequence, break a line or change the text
/// direction.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_hidden(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// A text as a field of CSV: visible, and with an apostrophe in front where a spreadsheet would run it as a formula. A
/// text such as `-O2` or `-1.5` calls nothing and stays as it is, so that programs read the value that was measured.
pub(crate) fn in_a_cell(text: &str) -> String {
    let shown = visible(text);
    let calls = shown.contains(['(', '|', '!']);
    match shown.starts_with(['=', '@']) || calls && shown.starts_with(['+', '-']) {
        true => format!("'{shown}"),
        false => shown,
    }
}

/// Whether a character is hidden: control characters, line separators, format characters that reorder or hide their
/// neighbours, and non-characters, which XML cannot represent in any form.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Shortens a text to at most `width` columns by replacing its middle with `ellipsis`, since commands usually differ at
/// the beginning or at the end.
pub fn shorten(text: &str, width: usize, ellipsis: &str) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(ellipsis.width());
    let head = prefix(text.chars(), room.div_ceil(2));
    let tail: String = prefix(text.chars().rev(), room / 2).chars().rev().collect();
    format!("{head}{ellipsis}{tail}")
}

/// The sentences at the beginning of a text that fit into `width` columns, at least one of them, followed by `ellipsis`
/// if there are more. No sentence is cut.
pub(crate) fn first_sentences(text: &str, width: usize, ellipsis: &str) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let fitting = prefix(text.chars(), width.saturating_sub(ellipsis.width() + 1));
    match fitting.rfind(". ").or_else(|| text.find(". ")) {
        Some(end) => format!("{} {ellipsis}", &text[..=end]),
        None => text.to_owned(),
    }
}

/// The beginning of a text within `width` columns, followed by `ellipsis` if the text is longer.
pub(crate) fn cut(text: &str, width: usize, ellipsis: &str) -> String {
    match text.width() <= width {
        true => text.to_owned(),
        false => format!("{}{ellipsis}", prefix(text.chars(), width.saturating_sub(ellipsis.width()))),
    }
}

/// The longest beginning of a text that is at most `columns` wide.
pub(crate) fn prefix(chars: impl Iterator<Item = char>, columns: usize) -> String {
    let mut used = 0;
    chars
        .take_while(|c| {
            used += c.width().unwrap_or(0).max(1);
            used <= columns
        })
        .collect()
}

/// Units of rates, by their size in millionths per second: per hour, per minute, per second, thousands per second, and
/// so on.
const PER_TIME: [(f64, &str); 6] =
    [(1e6 / 3600.0, "/h"), (1e6 / 60.0, "/min"), (1e6, "/s"), (1e9, "k/s"), (1e12, "M/s"), (1e15, "G/s")];

/// The unit in which several values of one metric are shown.
#[derive(Clone, Copy)]
pub struct Scale {
    pub(crate) divisor: f64,
    pub(crate) unit: &'static str,
    /// Whether the values are whole numbers, as of events, bytes or nanoseconds.
    whole: bool,
}

impl Scale {
    /// The unit that suits a typical value, which is given in the stored unit of the metric.
    pub fn of(metric: Metric, typical: f64) -> Scale {
        let steps: &[(f64, &'static str)] = match metric.unit() {
            Unit::Nanos => &[(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")],
            Unit::Bytes => &[(1.0, "B"), (1024.0, "KiB"), (1_048_576.0, "MiB"), (1_073_741_824.0, "GiB")],
            Unit::Count => &[(1.0, "")],
            Unit::MicroPerSecond => &PER_TIME,
            // Numbers in millionths are amounts that the measured program printed. The metric's title contains their
            // unit, if the user gave one.
            Unit::Millionth => &[(1e6, "")],
        };
        // A value that rounding to four digits would raise to one whole larger unit is shown in that unit: 1.000 µs,
        // not 1000 ns.
        let fits = |&&(divisor, _): &&(f64, &str)| typical.abs() >= divisor * 0.9995;
        let &(divisor, unit) = steps.iter().rev().find(fits).unwrap_or(&steps[0]);
        Scale { divisor, unit, whole: metric.unit() == Unit::Count || divisor == 1.0 }
    }

    /// The scale of a metric: in the unit of time that the user chose, or otherwise in the unit that suits a typical
    /// value.
    pub(crate) fn viewed(metric: Metric, typical: f64, view: &View) -> Scale {
        let (divisor, unit) = match view.unit.filter(|_| metric.unit() == Unit::Nanos) {
            None => return Scale::of(metric, typical),
            Some(TimeUnit::Microsecond) => (1e3, "µs"),
            Some(TimeUnit::Millisecond) => (1e6, "ms"),
            Some(TimeUnit::Second) => (1e9, "s"),
        };
        Scale { divisor, unit, whole: false }
    }

    /// The number without its unit, with as many digits as suit its size.
    pub fn number(self, value: f64) -> String {
        // Adding zero removes the sign of a negative zero.
        let scaled = value / self.divisor + 0.0;
        if !scaled.is_finite() {
            return "?".to_owned();
        }
        match scaled.abs() {
            v if v >= 1e15 => format!("{scaled:.3e}"),
            v if v == v.trunc() && (self.whole || v == 0.0) => format!("{scaled:.0}"),
            v if v >= 999.5 => format!("{scaled:.0}"),
            v if v >= 99.95 || self.whole => format!("{scaled:.1}"),
            v if v >= 9.995 => format!("{scaled:.2}"),
            v if v < 0.0995 && self.unit.is_empty() && !self.whole => format!("{scaled:.6}"),
            _ => format!("{scaled:.3}"),
        }
    }

    pub(crate) fn with_unit(self, value: f64) -> String {
        match self.unit {
            "" => self.number(value),
            unit => format!("{}{TIE}{unit}", self.number(value)),
        }
    }
}

/// A value of a metric as text, in the unit that suits its size.
pub fn quantity(metric: Metric, value: f64) -> String {
    match value {
        value if !value.is_finite() => "?".to_owned(),
        value if value < 0.0 => format!("−{}", quantity(metric, -value)),
        value => Scale::of(metric, value).with_unit(value),
    }
}

/// A ratio as a signed change in per cent: 1.0231 becomes `+2.31 %`.
pub fn change(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    match percent {
        p if !p.is_finite() => "?".to_owned(),
        p if p < 0.0 => format!("−{}", magnitude(-p)),
        p => format!("+{}", magnitude(p)),
    }
}

/// A share or a distance in per cent without a sign: 0.0231 becomes `2.31 %`.
pub fn percent(share: f64) -> String {
    match share * 100.0 + 0.0 {
        p if !p.is_finite() => "?".to_owned(),
        p if p < 0.0 => format!("−{}", magnitude(-p)),
        p => magnitude(p),
    }
}

/// A requested probability or margin, without trailing digits: 0.01 becomes `1 %`.
pub fn round_percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent.is_finite() && percent.abs() < 1e6 {
        true => format!("{}{TIE}%", (percent * 1e4).round() / 1e4 + 0.0),
        false => "?".to_owned(),
    }
}

fn magnitude(percent: f64) -> String {
    match percent {
        p if p >= 1e6 => format!("{p:.2e}{TIE}%"),
        p if p >= 99.95 => format!("{p:.0}{TIE}%"),
        p if p >= 9.995 => format!("{p:.1}{TIE}%"),
        p if p >= 0.0995 || p == 0.0 => format!("{p:.2}{TIE}%"),
        p if p >= 0.0005 => format!("{p:.3}{TIE}%"),
        // A value above zero must not look like zero, and a sign before `<` would be unreadable.
        p if p >= 0.000_05 => format!("{p:.5}{TIE}%"),
        p => format!("{p:.1e}{TIE}%"),
    }
}

/// A p-value in words, such as `p = 0.0123`. Values below 0.0001 are shown only as such.
pub fn p_value(p: f64) -> String {
    match p {
        p if !p.is_finite() => "p unknown".to_owned(),
        p if p < 0.0001 => format!("p{TIE}<{TIE}0.0001"),
        p => format!("p{TIE}={TIE}{p:.4}"),
    }
}

/// A number with three significant digits, or with all digits before the point if there are more.
pub(crate) fn significant(value: f64) -> String {
    match value.abs() {
        v if !v.is_finite() => "?".to_owned(),
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        v if v >= 0.9995 => format!("{value:.2}"),
        v if v >= 0.001 || v == 0.0 => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    }
}

/// A number as text with at most two decimals.
pub(crate) fn round_number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    (rounded + 0.0).to_string()
}

/// A whole number with commas between thousands: 12345 becomes `12,345`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun in the singular or plural, such as `1 run` or `2 runs`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count}{TIE}{}", if count == 1 { one } else { many })
}

/// A list in a sentence: `a`, `a and b`, `a, b and c`.
pub fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

/// A text in quotes, if necessary, so that a shell takes it for one word.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cell_is_no_formula() {
        for formula in ["=1+1", "+cmd|' /C calc'!A0", "-HYPERLINK(A1)", "@SUM(A1)"] {
            assert_eq!(in_a_cell(formula), format!("'{formula}"));
        }
        for plain in ["-1.5", "+3", "-inf", "-O2", "sort -n", "a=b", ""] {
            assert_eq!(in_a_cell(plain), plain);
        }
    }

    #[test]
    fn nothing_that_drives_a_terminal_survives() {
        assert_eq!(visible("a\nb\tc\r"), "a\\nb\\tc\\r");
        assert_eq!(visible("\u{1b}[31m\u{9b}2J\u{7f}"), "\\u{1b}[31m\\u{9b}2J\\u{7f}");
        assert_eq!(visible("exe\u{202e}txt\u{200b}"), "exe\\u{202e}txt\\u{200b}");
        assert_eq!(visible("a\u{fffe}b\u{ffff}\u{fffd}"), "a\\u{fffe}b\\u{ffff}\u{fffd}");
        assert_eq!(visible("grüße 文件"), "grüße 文件");
    }

    #[test]
    fn both_ends_of_a_long_name_remain() {
        assert_eq!(shorten("abcdefghij", 10, "…"), "abcdefghij");
        assert_eq!(shorten("abcdefghijk", 7, "…"), "abc…ijk");
        assert_eq!(shorten("文件文件文件", 7, ".."), "文..件");
    }

    #[test]
    fn values_of_a_row_share_a_unit() {
        let scale = Scale::of(Metric::WALL, 5_004_000.0);
        assert_eq!(spaced(&scale.with_unit(5_004_000.0)), "5.004 ms");
        assert_eq!(scale.number(12_500_000.0), "12.50");
        assert_eq!(scale.number(0.0), "0");
        assert_eq!(spaced(&quantity(Metric::WALL, 81_234.0)), "81.23 µs");
        assert_eq!(spaced(&quantity(Metric::WALL, 600.0)), "600 ns");
        assert_eq!(spaced(&quantity(Metric::WALL, 80e9)), "80.00 s");
        assert_eq!(spaced(&quantity(Metric::PEAK_MEMORY, 1_433_600.0)), "1.367 MiB");
        assert_eq!(quantity(Metric::MINOR_FAULTS, 152.0), "152");
        assert_eq!(quantity(Metric::MINOR_FAULTS, 152.5), "152.5");
        assert_eq!(quantity(Metric::MINOR_FAULTS, f64::NAN), "?");
        assert_eq!(spaced(&quantity(Metric::RATE, 1_234_500_000.0)), "1.234 k/s");
        assert_eq!(spaced(&quantity(Metric::RATE, 2_500_000.0)), "2.500 /s");
        assert_eq!(spaced(&quantity(Metric::RATE, 278.0)), "1.001 /h");
        assert_eq!(spaced(&quantity(Metric::RATE, 0.0)), "0 /h");
    }

    #[test]
    fn ratios_read_as_changes() {
        assert_eq!(spaced(&change(1.0231)), "+2.31 %");
        assert_eq!(spaced(&change(0.48)), "−52.0 %");
        assert_eq!(spaced(&change(1.0)), "+0.00 %");
        assert_eq!(spaced(&change(3.5)), "+250 %");
        assert_eq!(spaced(&change(1.00004)), "+0.004 %");
        assert_eq!(change(f64::INFINITY), "?");
        assert_eq!(spaced(&percent(0.0071)), "0.71 %");
        assert_eq!(spaced(&round_percent(1.0 - 0.01)), "99 %");
        assert_eq!(spaced(&round_percent(0.002)), "0.2 %");
        assert_eq!(spaced(&p_value(0.00001)), "p < 0.0001");
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(quantity(Metric::WALL, -0.0), quantity(Metric::WALL, 0.0));
        assert_eq!(percent(-0.0), percent(0.0));
        assert_eq!(round_percent(-0.0), round_percent(0.0));
        assert_eq!(round_percent(-1e-9), round_percent(0.0));
        assert_eq!(round_number(-0.001), "0");
    }

    #[test]
    fn thousands_stand_apart() {
        let shown = [0, 12, 999, 1000, 12_345, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "12", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn the_beginning_of_a_line_remains() {
        assert_eq!([10, 5, 3].map(|width| cut("abcdefghij", width, "…")), ["abcdefghij", "abcd…", "ab…"]);
        assert_eq!(cut("文件文件", 6, ".."), "文件..");
    }

    #[test]
    fn one_is_one_and_all_else_are_many() {
        let runs = [0, 1, 2, 21, usize::MAX].map(|count| spaced(&counted(count, "run", "runs")));
        assert_eq!(runs[..4], ["0 runs", "1 run", "2 runs", "21 runs"]);
        assert!(runs[4].ends_with("5 runs"));
        let names =
            |count| listed(&["a", "b", "c"][..count].iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!([0, 1, 2, 3].map(names), ["", "a", "a and b", "a, b and c"]);
    }

    #[test]
    fn what_rounds_up_to_a_unit_is_told_in_it() {
        let shown = |metric, value| spaced(&quantity(metric, value));
        for (ns, expected) in [
            (999.0, "999 ns"),
            (999.5, "1.000 µs"),
            (999.6, "1.000 µs"),
            (999_499.0, "999.5 µs"),
            (999_500.0, "1.000 ms"),
            (999_960_000.0, "1.000 s"),
            (0.4, "0.4 ns"),
            (-5.0, "−5 ns"),
            (-1_200_000.0, "−1.200 ms"),
        ] {
            assert_eq!(shown(Metric::WALL, ns), expected, "{ns}");
        }
        assert_eq!(shown(Metric::PEAK_MEMORY, 1023.0), "1023 B");
        assert_eq!(shown(Metric::PEAK_MEMORY, 1_047_552.0), "1023 KiB");
        assert_eq!(shown(Metric::PEAK_MEMORY, 1_048_500.0), "1.000 MiB");
        assert_eq!(shown(Metric::MINOR_FAULTS, 1e15), "1.000e15");
        assert_eq!(shown(Metric::RATE, 999_600_000.0), "1.000 k/s");
    }

    #[test]
    fn what_is_too_small_to_show_is_not_shown_as_zero() {
        assert_eq!(spaced(&change(1.000_000_1)), "+1.0e-5 %");
        assert_eq!(spaced(&change(1.0 - 1e-12)), "−1.0e-10 %");
        assert_eq!(spaced(&change(1.0 - 2.3e-6)), "−0.00023 %");
        assert_eq!(spaced(&percent(4.9e-6)), "0.00049 %");
        assert_eq!(spaced(&percent(5.1e-6)), "0.001 %");
        assert_eq!(spaced(&percent(4.9e-7)), "4.9e-5 %");
        assert_eq!(spaced(&percent(f64::MIN_POSITIVE)), "2.2e-306 %");
        assert_eq!([percent(0.0), percent(-0.0)].map(|it| spaced(&it)), ["0.00 %", "0.00 %"]);
    }

    #[test]
    fn what_is_no_number_is_a_question() {
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let shown = [quantity(Metric::WALL, odd), change(odd), percent(odd), round_percent(odd)];
            assert!(shown.iter().all(|it| it.starts_with('?')), "{shown:?}");
            assert_eq!(p_value(odd), "p unknown");
        }
        assert_eq!(round_percent(1e9), "?", "nobody asks for a margin of a thousand million times");
    }

    #[test]
    fn numbers_beyond_all_sense_are_short() {
        assert_eq!(spaced(&percent(1e5)), "1.00e7 %");
        assert_eq!(spaced(&quantity(Metric::PEAK_MEMORY, 1e300)).len(), "9.313e290 GiB".len());
        assert!(quantity(Metric::WALL, f64::MAX).len() < 16);
    }

    /// The value of a number as a report shows it, without its unit.
    fn read(shown: &str) -> f64 {
        shown.trim_start_matches('+').replace('−', "-").parse().unwrap()
    }

    proptest! {
        /// In the unit that suits it, a shown quantity differs from the value by at most half a per cent.
        #[test]
        fn quantities_are_rounded_to_the_nearest(value in 1.0f64..1e15, typical in 1.0f64..1e15) {
            let own = Scale::of(Metric::WALL, value);
            prop_assert!((read(&own.number(value)) * own.divisor / value - 1.0).abs() <= 0.5001e-2);
            // In a common scale with other values, unit and last digit are those of that scale.
            let scale = Scale::of(Metric::WALL, typical);
            let away = (read(&scale.number(value)) - value / scale.divisor).abs();
            prop_assert!(away <= 0.0005001_f64.max(value / scale.divisor * 0.5001e-2));
        }

        #[test]
        fn a_larger_value_never_reads_as_smaller(a in -1e9f64..1e9, b in -1e9f64..1e9) {
            let (low, high) = (a.min(b), a.max(b));
            let scale = Scale::of(Metric::WALL, 1e6);
            prop_assert!(read(&scale.number(low)) <= read(&scale.number(high)));
            let number = |share| read(spaced(&percent(share)).trim_end_matches(" %"));
            prop_assert!(number(low / 1e6) <= number(high / 1e6));
        }

        #[test]
        fn changes_have_a_sign_and_say_what_they_are(ratio in 0.0f64..100.0) {
            let shown = spaced(&change(ratio));
            prop_assert!(shown.starts_with(if ratio < 1.0 { '−' } else { '+' }), "{shown}");
            let percent = read(shown.trim_end_matches(" %"));
            // Per cents are shown with two decimals from 0.1 %, and with three digits from 10 %.
            let last_digit = if percent.abs() < 0.1 { 0.0005001_f64 } else { 0.005001 };
            prop_assert!((percent - (ratio - 1.0) * 100.0).abs() <= last_digit.max(percent.abs() * 0.5001e-2));
        }

        #[test]
        fn no_quantity_could_be_told_in_the_next_unit(value in 1.0f64..1e11) {
            for (metric, step, last) in [(Metric::WALL, 1000.0, "s"), (Metric::PEAK_MEMORY, 1024.0, "GiB")] {
                let scale = Scale::of(metric, value);
                prop_assert!(scale.unit == last || read(&scale.number(value)) < step, "{value} {}", scale.unit);
            }
        }

        #[test]
        fn shortened_names_fit(name in "\\PC{0,80}", width in 3usize..60) {
            prop_assert!(shorten(&visible(&name), width, "…").width() <= width);
        }

        #[test]
        fn shortened_names_keep_both_ends(name in "[a-z]{1,80}", width in 3usize..60) {
            let short = shorten(&name, width, "…");
            let (head, tail) = short.split_once('…').unwrap_or((&short, ""));
            prop_assert!(name.starts_with(head) && name.ends_with(tail), "{short}");
            prop_assert!(short == name || short.width() == width, "no room is left unused: {short}");
        }

        /// A text that was escaped once is not changed when it is escaped again.
        #[test]
        fn what_is_visible_is_visible_already(text in any::<String>()) {
            let once = visible(&text);
            prop_assert!(!once.chars().any(is_hidden), "{once:?}");
            prop_assert_eq!(visible(&once), once.clone());
            prop_assert_eq!(once == text, !text.chars().any(is_hidden));
        }
    }
}
