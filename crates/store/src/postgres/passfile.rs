//! Passwords that are not on the command line: `PGPASSWORD`, and the password file of libpq
//! (<https://www.postgresql.org/docs/current/libpq-pgpass.html>).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// Returns the password for a server from the environment or the password file; `None` if there is none. An empty
/// `PGPASSWORD` means none.
pub(super) fn password(config: &Config) -> Option<String> {
    if let Ok(password) = std::env::var("PGPASSWORD") {
        return Some(password).filter(|password| !password.is_empty());
    }
    let path = std::env::var_os("PGPASSFILE").map(PathBuf::from);
    let path = path.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".pgpass")))?;
    find(&private(&path)?, &wanted(config))
}

/// Upper limit of the password file's size, in bytes.
const LARGEST_BYTES: u64 = 1 << 20;

/// Returns the text of the password file if no other user can access it. libpq, too, ignores a file with wider
/// permissions.
fn private(path: &Path) -> Option<String> {
    let facts = fs::metadata(path).ok()?;
    let is_private =
        facts.is_file() && facts.permissions().mode() & 0o077 == 0 && facts.len() <= LARGEST_BYTES;
    is_private.then(|| fs::read_to_string(path).ok()).flatten()
}

/// Returns host, port, database and user, the fields by which a line of the password file is chosen.
fn wanted(config: &Config) -> [String; 4] {
    let host = match config.get_hosts().first() {
        // libpq uses `localhost` for the default socket.
        Some(Host::Unix(path)) if path.starts_with("/var/run/postgresql") => "localhost".to_owned(),
        Some(Host::Unix(path)) => path.display().to_string(),
        Some(Host::Tcp(name)) => name.clone(),
        None => config.get_hostaddrs().first().map(ToString::to_string).unwrap_or_default(),
    };
    let port = config.get_ports().first().map(ToString::to_string).unwrap_or_default();
    let word = |word: Option<&str>| word.unwrap_or_default().to_owned();
    [host, port, word(config.get_dbname()), word(config.get_user())]
}

/// Returns the password in the first line of the password file whose other fields match.
fn find(text: &str, wanted: &[String; 4]) -> Option<String> {
    let fits = |fields: &[String]| {
        fields.len() == 5 && fields.iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted)
    };
    let lines = text.lines().filter(|line| !line.starts_with('#')).map(fields);
    lines.into_iter().find(|fields| fits(fields)).map(|mut fields| fields.swap_remove(4))
}

/// Splits a line at colons; a backslash escapes the next character.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let next = match character {
            ':' => {
                fields.push(String::new());
                continue;
            }
            '\\' => characters.next(),
            other => Some(other),
        };
        fields.last_mut().expect("there is a field from the beginning").extend(next);
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<String> {
        find(text, &["db", "5432", "lab", "ada"].map(str::to_owned))
    }

    #[test]
    fn the_first_line_that_fits_counts() {
        assert_eq!(found("db:5432:lab:bob:no\ndb:*:*:ada:yes\n*:*:*:*:late"), Some("yes".into()));
        assert_eq!(found("# db:5432:lab:ada:no\nnonsense\ndb:5432:lab\n"), None);
        assert_eq!(found(r"db:5432:lab:ada:a\:b\\c"), Some(r"a:b\c".into()));
    }

    #[test]
    fn a_file_that_others_may_read_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pgpass");
        fs::write(&path, "*:*:*:*:x").unwrap();
        for (mode, is_read) in [(0o644, false), (0o600, true), (0o640, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(private(&path).is_some(), is_read, "{mode:o}");
        }
    }
}
