//! Readers of kernel files, without any judgement.

pub(crate) mod cgroup;
pub(crate) mod counters;
pub(crate) mod kconfig;
pub(crate) mod klog;
pub(crate) mod stat;
pub(crate) mod table;
pub(crate) mod tasks;

/// Returns the value of a `name=value` word, as in `/proc/cmdline`.
pub(crate) fn word<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words() {
        assert_eq!(word("quiet isolcpus=2-3 x", "isolcpus"), Some("2-3"));
        assert_eq!(word("xisolcpus=2", "isolcpus"), None);
    }
}
