//! Finds and reads files of defaults: options that a user or a project sets for all command lines.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction};
use fauxplat_sys::text::read_text;
use toml::{Table, Value};

use super::ConfigError;

const OF_PROJECT: &str = "fauxplat.toml";

/// Greatest size in bytes of a file of defaults. A project's file may also contain the benchmarks of the project.
const BYTES_MAX: usize = 1 << 20;

/// Options for which a project's file may set defaults: those about the subject of the measurement and the decision.
/// None of them names a command that runs without being requested, or a file that is written.
const FOR_PROJECTS: [&str; 27] = [
    "aslr",
    "brief",
    // `build` runs when revisions are compared, which builds the project anyway.
    "build",
    "env-pad",
    "estimand",
    "fail-if",
    "fdr",
    "filter",
    "harness",
    "ignore-failure",
    "label",
    "level",
    "margin",
    "max-pairs",
    "max-runs",
    "max-time",
    "merge-base",
    "metric",
    "metric-from",
    "min-runs",
    "order",
    "runs",
    "sessions",
    "skip-failures",
    "tail-margin",
    "timeout",
    "warmup",
];

#[derive(Debug)]
pub(super) struct File {
    pub path: PathBuf,
    defaults: Table,
    is_of_project: bool,
}

/// A default: an option with the value that a file gives it.
#[derive(Debug)]
pub(super) struct Default {
    /// The long name of the option.
    pub name: String,
    value: Value,
    /// Whether the default applies to every verb that has the option, and not to a single verb.
    pub is_of_all: bool,
}

/// The user's and the project's file of defaults, in this order; files that do not exist or have no defaults are left
/// out.
pub(super) fn found() -> Result<Vec<File>, ConfigError> {
    let named = std::env::var_os("FAUXPLAT_CONFIG").filter(|value| !value.is_empty());
    if named.as_deref().is_some_and(|value| value == "none") {
        return Ok(Vec::new());
    }
    let is_named = named.is_some();
    let of_user = named.map(PathBuf::from).or_else(of_user);
    let of_user = of_user.map(|path| read(path, false, is_named)).transpose()?.flatten();
    let of_project = of_project().map(|path| read(path, true, false)).transpose()?.flatten();
    Ok(of_user.into_iter().chain(of_project).collect())
}

/// Path of the user's file of defaults: `$XDG_CONFIG_HOME/fauxplat/config.toml`, or `~/.config/fauxplat/config.toml`.
fn of_user() -> Option<PathBuf> {
    // The XDG base directory specification requires that relative paths are ignored.
    let absolute = |value: OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    let folder = |name: &str| std::env::var_os(name).and_then(absolute);
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    Some(config?.join("fauxplat/config.toml"))
}

/// Path of the project's file of defaults, in the working directory or in a folder above it within the repository;
/// `None` if there is no such file.
fn of_project() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let is_root = |folder: &Path| folder.join(".git").exists();
    let root = here.ancestors().find(|folder| is_root(folder)).unwrap_or(&here).to_owned();
    let within = here.ancestors().take_while(|folder| folder.starts_with(&root));
    within.map(|folder| folder.join(OF_PROJECT)).find(|path| path.is_file())
}

/// Reads a file of defaults; `None` if it does not exist, unless the user named it.
fn read(path: PathBuf, is_of_project: bool, is_named: bool) -> Result<Option<File>, ConfigError> {
    let text = match read_text(&path, BYTES_MAX) {
        Ok(text) => text,
        Err(error) if !is_named && is_absent(&error) => return Ok(None),
        Err(source) => return Err(ConfigError::Unreadable { file: path, source }),
    };
    let mut table: Table = match toml::from_str(&text) {
        Ok(table) => table,
        Err(error) => {
            let before = error.span().map_or("", |span| text.get(..span.start).unwrap_or_default());
            let why = format!("line {}: {}", before.matches('\n').count() + 1, error.message());
            return Err(ConfigError::NotDefaults { file: path, why });
        }
    };
    let defaults = table.remove("defaults");
    if let (false, Some(key)) = (is_of_project, table.keys().next()) {
        let why = format!("`{key}` stands outside of [defaults]; options are given as in [defaults.compare]");
        return Err(ConfigError::NotDefaults { file: path, why });
    }
    match defaults {
        None => Ok(None),
        Some(Value::Table(defaults)) => Ok(Some(File { path, defaults, is_of_project })),
        Some(_) => {
            let why = "`defaults` is no table of options, as in [defaults] or [defaults.compare]".to_owned();
            Err(ConfigError::NotDefaults { file: path, why })
        }
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied
    )
}

impl File {
    /// The defaults in this file that apply to a verb, given by its words. Defaults for all verbs come first, so that
    /// those for the verb override them.
    pub(super) fn defaults(&self, path: &[&str]) -> Result<Vec<Default>, ConfigError> {
        let mut all = Vec::new();
        let (mut table, mut is_of_all) = (Some(&self.defaults), true);
        let mut rest = path.iter();
        while let Some(options) = table {
            for (name, value) in options.iter().filter(|(_, value)| !value.is_table()) {
                self.allow(name)?;
                all.push(Default { name: name.clone(), value: value.clone(), is_of_all });
            }
            is_of_all = false;
            table = rest.next().and_then(|verb| options.get(*verb)).and_then(Value::as_table);
        }
        Ok(all)
    }

    fn allow(&self, name: &str) -> Result<(), ConfigError> {
        match self.is_of_project && !FOR_PROJECTS.contains(&name) {
            false => Ok(()),
            true => Err(ConfigError::NotForProjects {
                file: self.path.clone(),
                name: name.to_owned(),
                own: of_user().unwrap_or_else(|| PathBuf::from("~/.config/fauxplat/config.toml")),
            }),
        }
    }

    /// The error for a default whose value cannot be written as words of a command line.
    pub(super) fn refused(&self, default: &Default, why: &str) -> ConfigError {
        ConfigError::Refused { file: self.path.clone(), why: format!("`{}` {why}", default.name) }
    }
}

impl Default {
    /// The default as words of a command line; none for a switch that is off.
    pub(super) fn words(&self, arg: &Arg) -> Result<Vec<String>, String> {
        let name = &self.name;
        let is_switch = matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::Count);
        let many = |values: &[Value]| values.iter().map(plain).collect::<Option<Vec<String>>>();
        match (&self.value, is_switch) {
            (Value::Boolean(true), true) => Ok(vec![format!("--{name}")]),
            (Value::Boolean(false), true) => Ok(Vec::new()),
            (_, true) => Err("is true or false".to_owned()),
            (Value::Array(values), false) => {
                let values = many(values).ok_or("is a list of words and numbers")?;
                match arg.get_value_delimiter() {
                    Some(mark) => Ok(vec![format!("--{name}={}", values.join(&mark.to_string()))]),
                    None => Ok(values.into_iter().map(|value| format!("--{name}={value}")).collect()),
                }
            }
            (value, false) => {
                let value = plain(value).ok_or("is a word, a number or a list")?;
                Ok(vec![format!("--{name}={value}")])
            }
        }
    }
}

/// A string or a number as a word of the command line; `None` for any other value.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help::whole;

    #[test]
    fn options_for_projects_are_options_of_some_verb() {
        let mut tree = whole();
        tree.build();
        let names: Vec<&str> = tree
            .get_subcommands()
            .flat_map(|verb| verb.get_arguments().filter_map(clap::Arg::get_long).collect::<Vec<_>>())
            .collect();
        // The options `fdr`, `filter`, `harness` and `label` belong to verbs of other crates, which join later.
        let joined = ["fdr", "filter", "harness", "label"];
        for name in FOR_PROJECTS {
            assert!(names.contains(&name) || joined.contains(&name), "{name}");
        }
    }
}
