//! The kernel's build configuration, where it is available.

use std::io::Read;

use crate::tree::{Missing, Tree};

/// Maximum number of bytes that are unpacked; a configuration has some 300 KiB of text.
const CONFIG_BYTES_MAX: u64 = 8 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config(String);

impl Config {
    /// Reads the configuration from `/proc/config.gz`, or from the files in which distributions install it.
    pub(crate) fn read(tree: &Tree) -> Result<Config, Missing> {
        match tree.bytes("proc/config.gz") {
            Ok(bytes) => unpack(&bytes),
            Err(missing) => installed(tree).ok_or(missing),
        }
    }

    /// Returns whether an option is built in or a module.
    pub(crate) fn has(&self, option: &str) -> bool {
        self.value(option).is_some_and(|value| value == "y" || value == "m")
    }

    /// Returns the value of an option; `None` if it is not set.
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

    fn packed(text: &[u8]) -> Vec<u8> {
        use std::io::Write;
        let mut bytes = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        bytes.write_all(text).unwrap();
        bytes.finish().unwrap()
    }

    #[test]
    fn what_is_packed_is_read_and_never_without_end() {
        let config = unpack(&packed(b"CONFIG_KASAN=m\nCONFIG_NAME=\"a=b\"\n")).unwrap();
        assert!(config.has("KASAN") && !config.has("NAME"));
        assert_eq!(config.value("NAME"), Some("\"a=b\""));
        // A compressed file of a few KiB may contain gigabytes, which must not be unpacked.
        let bomb = unpack(&packed(&vec![b'x'; 3 * CONFIG_BYTES_MAX as usize])).unwrap();
        assert_eq!(bomb.0.len() as u64, CONFIG_BYTES_MAX);
        let mut cut = packed(b"CONFIG_HZ=250\n");
        cut.truncate(cut.len() / 2);
        assert!(unpack(&cut).is_err());
    }

    #[test]
    fn a_distribution_keeps_it_in_one_of_two_places() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &[u8]| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let read = || Config::read(&Tree::new(root.path()));
        assert!(matches!(read(), Err(Missing::Absent(_))));
        write("proc/sys/kernel/osrelease", b"6.1.0-x\n");
        write("usr/lib/modules/6.1.0-x/config", b"CONFIG_HZ=100\n");
        assert_eq!(read().unwrap().value("HZ"), Some("100"));
        write("boot/config-6.1.0-x", b"CONFIG_HZ=250\n");
        assert_eq!(read().unwrap().value("HZ"), Some("250"));
        write("proc/config.gz", &packed(b"CONFIG_HZ=1000\n"));
        assert_eq!(read().unwrap().value("HZ"), Some("1000"), "what the kernel itself says comes first");
        write("proc/config.gz", b"broken");
        assert!(matches!(read(), Ok(_) | Err(Missing::Garbage { .. })));
        write("proc/sys/kernel/osrelease", b"../../etc/passwd");
        std::fs::remove_file(root.path().join("proc/config.gz")).unwrap();
        assert!(read().is_err(), "a release is a name and no path");
    }
}
