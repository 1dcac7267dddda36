//! Converts the values of other tools' options to the form of fauxplat's options.

use fauxplat_report::say::shell_word;

use crate::durations::meant;

/// A text with a value of another tool in place of the braces: `--timeout {s}` with `5` gives `--timeout 5s`. `None` if
/// the value has no equivalent. A text without braces is returned unchanged.
pub(crate) fn filled(ours: &str, value: Option<&str>) -> Option<String> {
    let Some((before, rest)) = ours.split_once('{') else { return Some(ours.to_owned()) };
    let (form, behind) = rest.split_once('}')?;
    Some(format!("{before}{}{behind}", in_form(form, value?)?))
}

/// A value of another tool, converted by the form that the braces name; `None` if the value has no equivalent.
fn in_form(form: &str, value: &str) -> Option<String> {
    match form {
        "" => Some(value.to_owned()),
        "s" | "ms" | "us" => in_time(value, form),
        "percent" => in_percent(value),
        "rest" => Some(format!("{}%", rounded(100.0 - share(value)?))),
        "on" => match value.parse::<u32>().ok()? {
            0 => Some(String::new()),
            1 => Some("@0".to_owned()),
            many => Some(format!("@0-{}", many - 1)),
        },
        "graph" => Some(if value.starts_with("fp") { "frame-pointers" } else { "eh-frame" }.to_owned()),
        "ext" => {
            let (_, ending) = value.rsplit_once('.')?;
            let known =
                [("txt", "text"), ("svg", "svg"), ("html", "html"), ("json", "json"), ("md", "markdown")];
            known.iter().find(|(theirs, _)| *theirs == ending).map(|(_, ours)| (*ours).to_owned())
        }
        _ => None,
    }
}

/// A time as fauxplat writes it. A number without unit gets the unit of the other tool.
fn in_time(value: &str, unit: &str) -> Option<String> {
    match value.parse::<f64>() {
        Ok(_) => meant(&format!("{value}{unit}")),
        Err(_) => meant(value),
    }
}

/// A share as fauxplat writes it, such as `5%`. A number from 1 is taken as a percentage.
fn in_percent(value: &str) -> Option<String> {
    Some(format!("{}%", rounded(share(value)?)))
}

/// A share in per cent, above 0 and below 100, from `5%`, `5` or `0.05`.
fn share(value: &str) -> Option<f64> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let percent = match value.strip_suffix('%') {
        Some(digits) => number(digits)?,
        None => number(value).map(|number| if number < 1.0 { 100.0 * number } else { number })?,
    };
    (percent > 0.0 && percent < 100.0).then_some(percent)
}

/// The number rounded to six decimal places, without the rounding errors of binary fractions.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

/// A command line that executes these Python statements.
pub(crate) fn python(statements: &[String]) -> String {
    format!("python3 -c {}", shell_word(&statements.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_said_in_our_form() {
        for (ours, value, said) in [
            ("--timeout {s}", "5", "--timeout 5s"),
            ("{ms}", "100", "100ms"),
            ("{us}", "200", "200us"),
            ("{s}", "1h30m", "90m"),
            ("{percent}", "5", "5%"),
            ("{percent}", "0.05", "5%"),
            ("{rest}", "95%", "5%"),
            ("{rest}", "0.99", "1%"),
            ("integer{on}", "1", "integer@0"),
            ("integer{on}", "4", "integer@0-3"),
            ("integer{on}", "0", "integer"),
            ("{graph}", "dwarf,8192", "eh-frame"),
            ("{ext}", "machine.svg", "svg"),
            ("memory:{}", "64MB", "memory:64MB"),
            ("page-faults", "", "page-faults"),
        ] {
            assert_eq!(filled(ours, Some(value)).as_deref(), Some(said), "{ours} {value}");
        }
        for (ours, value) in
            [("{s}", "soon"), ("{percent}", "150"), ("{rest}", "x"), ("{on}", "-1"), ("{ext}", "x")]
        {
            assert_eq!(filled(ours, Some(value)), None, "{ours} {value}");
        }
        assert_eq!(filled("{}", None), None);
    }
}
