//! Pointers into JSON documents, in the syntax of labs.

use serde_json::Value;

/// Why there is no value at a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nothing {
    /// No document of the experiment can have such a location: the pointer is wrong.
    Nowhere,
    /// The list in this document has no such element, as if the element was not measured.
    Absent,
    /// The value is `null`: the location exists, and nothing was measured for it.
    Unmeasured,
}

/// The value at a JSON pointer (RFC 6901), in which `[key=value]` is the first element of a list whose member `key` has
/// the scalar value `value`. Labs select by a member and not by an index, since the index of a metric or a test in its
/// list depends on what could be measured.
pub(crate) fn at<'v>(document: &'v Value, pointer: &str) -> Result<&'v Value, Nothing> {
    let (mut value, mut rest) = (document, pointer);
    while !rest.is_empty() {
        let step = rest.strip_prefix('/').ok_or(Nothing::Nowhere)?;
        value = match selector(step) {
            Some((key, wanted, after)) => {
                rest = after;
                select(value, key, wanted)?
            }
            None => {
                let end = step.find('/').unwrap_or(step.len());
                rest = &step[end..];
                member(value, &step[..end])?
            }
        };
    }
    if value.is_null() { Err(Nothing::Unmeasured) } else { Ok(value) }
}

/// The values at a pointer with `*`, which stands for every element of a list, such as the runs of a command.
pub(crate) fn all<'v>(document: &'v Value, pointer: &str) -> Result<Vec<&'v Value>, Nothing> {
    let (list, rest) = pointer.split_once("/*").ok_or(Nothing::Nowhere)?;
    let elements = at(document, list)?.as_array().ok_or(Nothing::Nowhere)?;
    elements.iter().map(|element| at(element, rest)).collect()
}

/// Splits a pointer that begins with `[key=value]` into key, value and rest; `None` for any other pointer.
fn selector(step: &str) -> Option<(&str, &str, &str)> {
    let (inside, rest) = step.strip_prefix('[')?.split_once(']')?;
    let (key, wanted) = inside.split_once('=')?;
    Some((key, wanted, rest))
}

fn select<'v>(list: &'v Value, key: &str, wanted: &str) -> Result<&'v Value, Nothing> {
    let elements = match list {
        Value::Array(elements) => elements,
        Value::Null => return Err(Nothing::Unmeasured),
        _ => return Err(Nothing::Nowhere),
    };
    let is = |element: &&Value| element.get(key).is_some_and(|found| is_plain(found, wanted));
    let has_key = |element: &Value| element.get(key).is_some();
    elements.iter().find(is).ok_or(match elements.is_empty() || elements.iter().any(has_key) {
        true => Nothing::Absent,
        false => Nothing::Nowhere,
    })
}

fn member<'v>(value: &'v Value, token: &str) -> Result<&'v Value, Nothing> {
    match value {
        Value::Null => Err(Nothing::Unmeasured),
        Value::Object(members) => {
            members.get(&token.replace("~1", "/").replace("~0", "~")).ok_or(Nothing::Nowhere)
        }
        Value::Array(elements) => {
            let is_number = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
            if !is_number || token.len() > 1 && token.starts_with('0') {
                return Err(Nothing::Nowhere);
            }
            elements.get(token.parse().unwrap_or(usize::MAX)).ok_or(Nothing::Absent)
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Err(Nothing::Nowhere),
    }
}

fn is_plain(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => text == wanted,
        // Numbers are compared as numbers: 1 and 1.0 are equal.
        Value::Number(number) => wanted.parse::<f64>().is_ok_and(|it| number.as_f64() == Some(it)),
        Value::Bool(truth) => wanted.parse() == Ok(*truth),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document() -> Value {
        json!({
            "tests": [
                {"name": "timer", "cpu": 0, "of": [{"p": 1}], "late": null},
                {"name": "a/b", "cpu": 1, "of": [{"p": 2.5}, {"p": true}]},
            ],
            "empty": [], "absent": null, "word": "x", "a/b": {"~": 3}, "": 4,
        })
    }

    #[test]
    fn elements_are_found_by_number_or_by_what_they_say() {
        let document = document();
        let number = |pointer: &str| at(&document, pointer).ok().and_then(Value::as_f64);
        for (pointer, expected) in [
            ("/tests/1/cpu", 1.0),
            ("/tests/[name=timer]/cpu", 0.0),
            ("/tests/[name=a/b]/cpu", 1.0),
            ("/tests/[cpu=0]/of/0/p", 1.0),
            ("/tests/[cpu=1.0]/of/[p=2.5]/p", 2.5),
            ("/a~1b/~0", 3.0),
            ("/", 4.0),
        ] {
            assert_eq!(number(pointer), Some(expected), "{pointer}");
        }
        assert_eq!(at(&document, "/tests/1/of/[p=true]/p"), Ok(&json!(true)));
        assert_eq!(at(&document, ""), Ok(&document));
    }

    #[test]
    fn a_place_that_no_document_has_is_told_from_one_that_is_empty_here() {
        let document = document();
        for pointer in [
            "/test",
            "tests",
            "/tests/one",
            "/tests/01",
            "/tests/-",
            "/tests/+1",
            "/tests/[nam=timer]/cpu",
            "/tests/[name]/cpu",
            "/tests/[name=timer",
            "/tests/[name=timer]cpu",
            "/tests/0/cpus",
            "/word/[a=b]",
            "/word/x",
            "/a/b",
        ] {
            assert_eq!(at(&document, pointer), Err(Nothing::Nowhere), "{pointer}");
        }
        for pointer in [
            "/tests/2",
            "/tests/99999999999999999999999",
            "/tests/[name=noise]/anything",
            "/tests/[cpu=2]",
            "/empty/0/x",
            "/empty/[a=b]",
        ] {
            assert_eq!(at(&document, pointer), Err(Nothing::Absent), "{pointer}");
        }
        for pointer in ["/tests/0/late", "/tests/0/late/deeper/[a=b]", "/absent", "/absent/[a=b]/c"] {
            assert_eq!(at(&document, pointer), Err(Nothing::Unmeasured), "{pointer}");
        }
    }

    #[test]
    fn a_star_is_each_element_and_every_one_has_its_place() {
        let document = document();
        let each = |pointer: &str| all(&document, pointer).map(|found| found.len());
        assert_eq!(each("/tests/*/cpu"), Ok(2));
        assert_eq!(each("/tests/[name=a/b]/of/*/p"), Ok(2));
        assert_eq!(each("/tests/*"), Ok(2));
        assert_eq!(each("/empty/*/x"), Ok(0));
        assert_eq!(each("/tests/*/none"), Err(Nothing::Nowhere));
        assert_eq!(each("/tests/*/late"), Err(Nothing::Unmeasured), "one has the place, and nothing in it");
        assert_eq!(each("/tests/*/of/[p=1]/p"), Err(Nothing::Absent), "one has no such element");
        assert_eq!(each("/tests/0/cpu"), Err(Nothing::Nowhere), "there is no star");
        assert_eq!(each("/word/*"), Err(Nothing::Nowhere));
        assert_eq!(each("/absent/*"), Err(Nothing::Unmeasured));
    }
}
