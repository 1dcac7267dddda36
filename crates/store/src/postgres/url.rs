//! The address of a shared store, which is shown without its password.

use std::fmt;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::passfile;
use crate::StoreError;

/// The address of a shared store, displayed without its password.
#[derive(Clone)]
pub struct Url {
    shown: String,
    key: String,
    config: Config,
}

/// Folder of PostgreSQL's socket on Debian and most other distributions.
const SOCKETS: &str = "/var/run/postgresql";
const PORT: u16 = 5432;
/// Text that replaces a password in displayed addresses.
const MASK: &str = "***";
/// Text that replaces a password in command lines that a user may copy, who then has to insert the password.
const PLACE: &str = "PASSWORD";

impl Url {
    /// Returns whether a text has the form of an address (`scheme://…`) rather than a path.
    pub fn is_one(text: &str) -> bool {
        let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
        !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    }

    /// Parses `postgres://[user[:password]@][host[:port]]/database[?option=value…]`. A missing password is taken from
    /// the places that libpq uses.
    ///
    /// # Errors
    /// Returns [`StoreError::BadUrl`].
    pub fn parse(text: &str) -> Result<Url, StoreError> {
        let shown = masked(text);
        let wrong = |reason: String| StoreError::BadUrl { url: shown.clone(), reason };
        if !["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(wrong("a store is a file, or in PostgreSQL: postgres://USER@HOST/DATABASE".into()));
        }
        if let Some(mode) =
            option(text, "sslmode").filter(|mode| mode == "require" || mode.starts_with("verify"))
        {
            return Err(wrong(format!(
                "sslmode={mode} cannot be had, since fauxplat speaks no TLS: use a socket or a tunnel, \
                 such as `ssh -L 5432:localhost:5432 HOST` and postgres://USER@localhost/DATABASE"
            )));
        }
        // The error message of tokio-postgres about a malformed address may quote parts of it, including the password,
        // so it is dropped.
        let config = text.parse::<Config>();
        let mut config = config.map_err(|_| {
            wrong("it is not written as postgres://USER@HOST:PORT/DATABASE (percent-encode what is no letter or digit)".into())
        })?;
        complete(&mut config);
        let key = key(&config);
        Ok(Url { shown, key, config })
    }

    /// Returns the identity of the shared store: equal for all users, whatever their name and password.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the address in a form that a user may copy, with `PASSWORD` in place of the password.
    pub fn typeable(&self) -> String {
        typeable(&self.shown)
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.shown)
    }
}

fn complete(config: &mut Config) {
    config.ssl_mode(SslMode::Disable);
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        config.host_path(SOCKETS);
    }
    if config.get_ports().is_empty() {
        config.port(PORT);
    }
    let user = ["PGUSER", "USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    if let Some(user) = user.filter(|_| config.get_user().is_none()) {
        config.user(&user);
    }
    if let Some(user) = config.get_user().filter(|_| config.get_dbname().is_none()).map(str::to_owned) {
        config.dbname(&user);
    }
    if config.get_application_name().is_none() {
        config.application_name("fauxplat");
    }
    if let Some(password) = passfile::password(config).filter(|_| config.get_password().is_none()) {
        config.password(password);
    }
}

fn key(config: &Config) -> String {
    let named = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.to_lowercase(),
        Host::Unix(path) => path.display().to_string(),
    });
    let numbers = config.get_hostaddrs().iter().map(ToString::to_string);
    let hosts: Vec<String> = named.chain(numbers).collect();
    let ports: Vec<String> = config.get_ports().iter().map(ToString::to_string).collect();
    let (database, options) =
        (config.get_dbname().unwrap_or_default(), config.get_options().unwrap_or_default());
    format!("{}:{}/{database} {options}", hosts.join(","), ports.join(",")).trim_end().to_owned()
}

/// Returns the value of an option in an address, without percent-decoding; `None` if it is not there.
fn option(text: &str, name: &str) -> Option<String> {
    let (_, options) = text.split_once('?')?;
    let value =
        |pair: &str| pair.split_once('=').filter(|(key, _)| *key == name).map(|(_, value)| value.to_owned());
    options.split('&').find_map(value)
}

/// Masks the passwords of addresses in a word of a command line, for display.
pub fn masked(word: &str) -> String {
    with_password(word, MASK)
}

/// Replaces the passwords of addresses in a word of a command line by `PASSWORD`, for lines that a user may copy.
pub fn typeable(word: &str) -> String {
    with_password(word, PLACE)
}

/// Replaces the passwords of an address in a word by `place`: that after the user's name, and those in options.
fn with_password(word: &str, place: &str) -> String {
    let Some((before, address)) = word.split_once("://") else { return word.to_owned() };
    let address = match address.rsplit_once('@') {
        // The last `@` of the address ends the password, so a password in which `@` or a slash was not percent-encoded
        // is hidden as well.
        Some((login, rest)) => match login.split_once(':') {
            Some((user, _)) => format!("{user}:{place}@{rest}"),
            None => format!("{login}@{rest}"),
        },
        None => address.to_owned(),
    };
    let Some((server, options)) = address.split_once('?') else { return format!("{before}://{address}") };
    let hide = |pair: &str| match pair.split_once('=') {
        Some((name, _)) if name.to_lowercase().contains("pass") => format!("{name}={place}"),
        _ => pair.to_owned(),
    };
    let options: Vec<String> = options.split('&').map(hide).collect();
    format!("{before}://{server}?{}", options.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_shown_wherever_it_stands() {
        for (given, shown) in [
            ("postgres://ada:s3cret@db/lab", "postgres://ada:***@db/lab"),
            ("--store=postgresql://ada:s3cret@db:1/lab", "--store=postgresql://ada:***@db:1/lab"),
            ("postgres://ada:s3@cret@db/lab", "postgres://ada:***@db/lab"),
            ("postgres://ada:s3/cret@db/lab", "postgres://ada:***@db/lab"),
            ("postgres://db/lab?password=s3cret&user=ada", "postgres://db/lab?password=***&user=ada"),
            ("postgres://db/lab?Password=s3cret", "postgres://db/lab?Password=***"),
            ("postgre://ada:s3cret@db/lab", "postgre://ada:***@db/lab"),
            ("postgres://ada@db/lab", "postgres://ada@db/lab"),
            ("results/store.sqlite", "results/store.sqlite"),
        ] {
            assert_eq!(masked(given), shown);
            assert_eq!(typeable(given), shown.replace(MASK, PLACE));
            assert_eq!(typeable(shown), typeable(given));
            if let Ok(url) = Url::parse(given) {
                assert!(!format!("{url} {url:?} {}", url.key()).contains("s3"), "{url}");
            }
        }
    }

    #[test]
    fn a_store_has_one_key_whoever_asks() {
        let key = |text: &str| Url::parse(text).unwrap().key().to_owned();
        assert_eq!(key("postgres://ada:a@DB/lab"), key("postgresql://bob@db:5432/lab"));
        assert_ne!(key("postgres://ada@db/lab"), key("postgres://ada@db/other"));
        assert_ne!(key("postgres://ada@db/lab"), key("postgres://ada@db/lab?options=-csearch_path%3Dmine"));
        assert!(key("postgres:///lab?user=ada").starts_with(SOCKETS));
    }

    #[test]
    fn what_is_no_address_of_a_store_says_so_without_its_password() {
        for (text, words) in [
            ("mysql://ada:s3cret@db/lab", "in PostgreSQL"),
            ("postgres://ada:s3cret@db:port/lab", "not written as"),
            ("postgres://ada:s3cret@db/lab?sslmode=verify-full", "no TLS"),
            ("postgres://ada:s3cret@db/lab?colour=red", "not written as"),
        ] {
            let error = Url::parse(text).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("***") && !error.contains("s3cret"), "{error}");
            assert_eq!(error.lines().count(), 1);
        }
        assert!(Url::is_one("postgres://x") && Url::is_one("mysql://x"));
        assert!(!Url::is_one("store.sqlite") && !Url::is_one("://x") && !Url::is_one("a b://c"));
    }
}
