//! Kernel files as data: what they say, without an opinion.

pub(crate) mod cgroup;
pub(crate) mod counters;
pub(crate) mod kconfig;
pub(crate) mod klog;
pub(crate) mod stat;
pub(crate) mod table;
pub(crate) mod tasks;

/// The value after a key, in files of `key value` or `key: value` lines.
pub(crate) fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(key)?;
        let rest = rest.strip_prefix(':').or_else(|| rest.starts_with([' ', '\t']).then_some(rest))?;
        Some(rest.trim()).filter(|value| !value.is_empty())
    })
}

/// The same as a number; a unit such as `kB` after it is left out.
pub(crate) fn number(text: &str, key: &str) -> Option<u64> {
    value(text, key)?.split_whitespace().next()?.parse().ok()
}

/// The value of a `name=value` word, as in `/proc/cmdline` and in the files of pressure.
pub(crate) fn word<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_whole_words() {
        let text = "pswpin 3\npswpout 4\nMemTotal:  100 kB\nEmpty:\n";
        assert_eq!(number(text, "pswpin"), Some(3));
        assert_eq!(number(text, "MemTotal"), Some(100));
        assert_eq!((number(text, "pswp"), value(text, "Empty")), (None, None));
        assert_eq!(word("quiet isolcpus=2-3 x", "isolcpus"), Some("2-3"));
        assert_eq!(word("xisolcpus=2", "isolcpus"), None);
    }
}
