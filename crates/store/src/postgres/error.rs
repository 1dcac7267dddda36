//! Converts errors of a server to errors of the store, each of which is one line with the address and what to do.

use std::error::Error;

use tokio_postgres::error::SqlState;

use super::url::Url;
use crate::StoreError;

pub(super) fn told(url: &Url, error: &tokio_postgres::Error) -> StoreError {
    let reason = reason(error);
    match error.code() {
        Some(code) => by_code(url, code, reason),
        None if error.is_closed() => away(url, "went away"),
        None if reason.contains("password missing") => refused(url, reason, LOGIN),
        // If a value cannot be serialised, that is a fault of the value, not of the server.
        None if reason.starts_with("error serializing") => {
            StoreError::Unfit { url: url.to_string(), reason: last_cause(error) }
        }
        None => away(url, &reason),
    }
}

pub(super) fn away(url: &Url, reason: &str) -> StoreError {
    StoreError::Away { url: url.to_string(), reason: reason.to_owned() }
}

pub(super) fn refused(url: &Url, reason: String, remedy: &'static str) -> StoreError {
    StoreError::Refused { url: url.to_string(), reason, remedy }
}

const LOGIN: &str = "give the user in the URL, and the password there, in ~/.pgpass or in PGPASSWORD";
const RIGHTS: &str = "its owner grants them, or choose another with --store URL";

fn by_code(url: &Url, code: &SqlState, reason: String) -> StoreError {
    match code.code() {
        "28P01" | "28000" => refused(url, reason, LOGIN),
        "3D000" => refused(url, reason, "make it with `createdb`, or choose another with --store URL"),
        "42501" => refused(url, reason, RIGHTS),
        "25006" => StoreError::ReadOnly { path: url.to_string().into() },
        "53100" | "53200" => refused(url, reason, "what was acknowledged is intact: make room on the server"),
        // These codes mean temporary states: starting up, shutting down, too many connections, deadlocks.
        "53300" | "40001" | "40P01" | "55P03" | "57014" => away(url, &reason),
        code if code.starts_with("57P") || code.starts_with("08") => away(url, &reason),
        _ => StoreError::Server { url: url.to_string(), reason },
    }
}

/// Returns the messages of an error and of its cause on one line, without control characters, since a server may send
/// any text.
fn reason(error: &tokio_postgres::Error) -> String {
    let said = match error.as_db_error() {
        Some(said) => said.message().to_owned(),
        None => match error.source() {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        },
    };
    in_one_line(&said)
}

fn last_cause(error: &tokio_postgres::Error) -> String {
    error.source().map_or_else(|| reason(error), |cause| in_one_line(&cause.to_string()))
}

/// Maximum length of a server's message in reports, in characters.
const SHOWN: usize = 300;

fn in_one_line(text: &str) -> String {
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    text.chars().take(SHOWN).map(plain).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_told_from_what_does_not() {
        let url = Url::parse("postgres://ada:x@db/lab").unwrap();
        let of = |code: &str| by_code(&url, &SqlState::from_code(code), "so".into());
        for code in ["57P03", "57P01", "53300", "08006", "40001"] {
            assert!(matches!(of(code), StoreError::Away { .. }), "{code}");
        }
        for code in ["28P01", "3D000", "42501", "53100"] {
            assert!(matches!(of(code), StoreError::Refused { .. }), "{code}");
        }
        assert!(matches!(of("25006"), StoreError::ReadOnly { .. }));
        assert!(matches!(of("42601"), StoreError::Server { .. }));
    }

    #[test]
    fn a_server_cannot_write_on_the_terminal() {
        assert_eq!(in_one_line("a\x1b[31m\nb"), "a [31m b");
        assert_eq!(in_one_line(&"x".repeat(1000)).len(), SHOWN);
    }
}
