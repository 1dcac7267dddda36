//! Places in JSON documents, as labs name them.

use serde_json::Value;

/// The value at a pointer by RFC 6901, in which `[key=value]` is the first element of a list whose member `key` is the
/// plain value `value`: the place of a metric or of a test in its list depends on what could be measured.
pub(crate) fn at<'v>(document: &'v Value, pointer: &str) -> Option<&'v Value> {
    match pointer.find("/[") {
        None => document.pointer(pointer),
        Some(start) => {
            let list = document.pointer(&pointer[..start])?;
            let (selector, rest) = pointer[start + 2..].split_once(']')?;
            let (key, wanted) = selector.split_once('=')?;
            let is = |element: &&Value| element.get(key).is_some_and(|found| is_plain(found, wanted));
            at(list.as_array()?.iter().find(is)?, rest)
        }
    }
}

/// The values at a pointer in which `*` is every element of a list, such as the runs of a command; `None` without one,
/// or where an element has no such place.
pub(crate) fn all<'v>(document: &'v Value, pointer: &str) -> Option<Vec<&'v Value>> {
    let (list, rest) = pointer.split_once("/*")?;
    at(document, list)?.as_array()?.iter().map(|element| at(element, rest)).collect()
}

fn is_plain(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => text == wanted,
        Value::Number(_) | Value::Bool(_) => {
            serde_json::from_str::<Value>(wanted).is_ok_and(|it| it == *value)
        }
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_by_number_or_by_what_they_say() {
        let document = serde_json::json!({
            "tests": [{"name": "timer", "cpu": 0, "of": [{"p": 1}]}, {"name": "signal", "cpu": 1, "of": [{"p": 2}]}],
            "[odd]": 3
        });
        let number = |pointer: &str| at(&document, pointer).and_then(Value::as_i64);
        assert_eq!(number("/tests/1/cpu"), Some(1));
        assert_eq!(number("/tests/[name=signal]/of/[p=2]/p"), Some(2));
        assert_eq!(number("/tests/[cpu=0]/of/0/p"), Some(1));
        for nothing in
            ["/tests/[name=noise]/cpu", "/tests/[name]/cpu", "/tests/[name=signal", "/tests/2", "/x/[a=b]"]
        {
            assert_eq!(at(&document, nothing), None, "{nothing}");
        }
        assert_eq!(at(&document, ""), Some(&document));
        let each = |pointer: &str| all(&document, pointer).map(|found| found.len());
        assert_eq!(
            [each("/tests/*/cpu"), each("/tests/*/of/[p=1]/p"), each("/tests/0/cpu")],
            [Some(2), None, None]
        );
    }
}
