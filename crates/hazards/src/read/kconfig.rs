//! How the kernel was built, where it tells.

use std::io::Read;

use crate::tree::{Missing, Tree};

/// A configuration is some 300 KiB of text; whoever unpacks to more is no configuration.
const CONFIG_BYTES_MAX: u64 = 8 << 20;

/// Options of the build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config(String);

impl Config {
    /// From `/proc/config.gz`, or from the places where distributions keep the file.
    pub(crate) fn read(tree: &Tree) -> Result<Config, Missing> {
        match tree.bytes("proc/config.gz") {
            Ok(bytes) => unpack(&bytes),
            Err(missing) => installed(tree).ok_or(missing),
        }
    }

    /// Whether an option is built in or a module.
    pub(crate) fn has(&self, option: &str) -> bool {
        self.value(option).is_some_and(|value| value == "y" || value == "m")
    }

    /// The value of an option that is set.
    pub(crate) fn value(&self, option: &str) -> Option<&str> {
        self.0.lines().find_map(|line| line.strip_prefix("CONFIG_")?.strip_prefix(option)?.strip_prefix('='))
    }
}

fn unpack(bytes: &[u8]) -> Result<Config, Missing> {
    let mut text = Vec::new();
    let read = flate2::read::GzDecoder::new(bytes).take(CONFIG_BYTES_MAX).read_to_end(&mut text);
    match read {
        Ok(_) => Ok(Config(String::from_utf8_lossy(&text).into_owned())),
        Err(error) => Err(Missing::garbage("proc/config.gz", error.to_string())),
    }
}

fn installed(tree: &Tree) -> Option<Config> {
    let release = tree.text("proc/sys/kernel/osrelease").ok().filter(|name| !name.contains('/'))?;
    let places = [format!("boot/config-{release}"), format!("usr/lib/modules/{release}/config")];
    places.iter().find_map(|place| tree.long(place).ok()).map(Config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_whole_names() {
        let config =
            Config("CONFIG_KASAN=y\n# CONFIG_LOCKDEP is not set\nCONFIG_HZ=250\nCONFIG_HZ_250=y\n".into());
        assert!(config.has("KASAN") && !config.has("LOCKDEP") && !config.has("KAS"));
        assert_eq!(config.value("HZ"), Some("250"));
    }

    #[test]
    fn what_is_not_packed_is_garbage() {
        assert!(unpack(b"CONFIG_HZ=250").is_err() && unpack(b"").is_err());
    }
}
