//! Host, user and identity of the installation, from files of the system.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use fauxplat_model::{Origin, sha256};

use crate::read;

/// Length of the identity in hexadecimal digits, enough to keep a million installations apart.
const IDENTITY_LENGTH: usize = 16;

/// Host, user and identity of the installation below a root path. The identity stays the same after a reboot or with
/// another kernel, and differs between machines of one model.
pub fn origin(root: &Path) -> Origin {
    Origin {
        checkout: None,
        folder: None,
        label: None,
        host: read::text(root, "proc/sys/kernel/hostname"),
        user: user(root),
        machine_id: machine_id(root),
    }
}

/// A hash of the machine-id, since machine-id(5) asks programs not to expose the id itself.
fn machine_id(root: &Path) -> Option<String> {
    let id = read::text(root, "etc/machine-id").or_else(|| read::text(root, "var/lib/dbus/machine-id"))?;
    let is_id = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let hash = is_id.then(|| sha256(&format!("fauxplat installation {}", id.to_ascii_lowercase())))?;
    hash.get(..IDENTITY_LENGTH).map(str::to_owned)
}

/// Name of the user from passwd(5), or else the number.
fn user(root: &Path) -> Option<String> {
    let number = std::fs::metadata(root.join("proc/self")).ok()?.uid().to_string();
    let names = read::text(root, "etc/passwd").unwrap_or_default();
    let name = names.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, of) = (fields.next()?, fields.nth(1)?);
        (of == number && !name.is_empty()).then(|| name.to_owned())
    });
    Some(name.unwrap_or(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::machine;

    #[test]
    fn twins_have_identities_of_their_own_that_do_not_tell_the_machine_id() {
        let ids = ["0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdee"];
        let [one, other] = ids.map(|id| {
            let root = machine(&[("etc/machine-id", id), ("proc/sys/kernel/hostname", "twin\n")]);
            origin(root.path())
        });
        assert_eq!(one.host, other.host);
        assert_ne!(one.machine_id, other.machine_id);
        let identity = one.machine_id.unwrap();
        assert!(identity.len() == IDENTITY_LENGTH && !ids[0].contains(&identity), "{identity}");
    }

    #[test]
    fn what_is_no_machine_id_is_none() {
        for text in ["", "uninitialized\n", "0123", "0123456789abcdef0123456789abcdeg"] {
            assert_eq!(machine_id(machine(&[("etc/machine-id", text)]).path()), None, "{text}");
        }
        let of_dbus = machine(&[("var/lib/dbus/machine-id", "0123456789abcdef0123456789abcdef")]);
        assert!(machine_id(of_dbus.path()).is_some());
    }

    #[test]
    fn a_user_without_a_name_is_a_number() {
        let number = std::fs::metadata("/proc/self").unwrap().uid().to_string();
        let named = machine(&[
            ("etc/passwd", &format!("root:x\nada:x:{number}:0::/:/bin/sh\n")),
            ("proc/self/x", ""),
        ]);
        assert_eq!(user(named.path()).as_deref(), Some("ada"));
        let nameless = machine(&[("etc/passwd", "broken"), ("proc/self/x", "")]);
        assert_eq!(user(nameless.path()), Some(number));
        assert_eq!(user(machine(&[]).path()), None);
    }
}
