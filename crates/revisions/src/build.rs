//! Builds in a work tree: the key under which a built tree is cached, and the run of the build command.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use fauxplat_launch::{Capture, LaunchError, left_behind, words};
use fauxplat_model::{Outcome, sha256_of_parts};
use fauxplat_sys::clock;

use crate::{Revision, RevisionError};

/// Environment variables that usually influence the result of a build, and so are part of the key.
const VARIABLES: [&str; 22] = [
    "AR",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_HOME",
    "CC",
    "CFLAGS",
    "CMAKE_GENERATOR",
    "CPPFLAGS",
    "CXX",
    "CXXFLAGS",
    "GOARCH",
    "GOFLAGS",
    "GOOS",
    "GOROOT",
    "JAVA_HOME",
    "LD",
    "LDFLAGS",
    "LD_LIBRARY_PATH",
    "MAKEFLAGS",
    "PATH",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
];
/// Environment variables that direct the output of a build to a place outside the work tree, which the builds of all
/// commits share.
const ELSEWHERE: [&str; 5] =
    ["CARGO_BUILD_TARGET_DIR", "CARGO_TARGET_DIR", "DESTDIR", "GOBIN", "KBUILD_OUTPUT"];
/// Build tools. A tool of another version may produce another program, so each tool found in `PATH` is part of the key.
const TOOLS: [&str; 16] = [
    "as", "c++", "cargo", "cc", "clang", "cmake", "g++", "gcc", "go", "javac", "ld", "make", "ninja", "node",
    "python3", "rustc",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// Command line for the shell.
    pub line: String,
    /// Folder in which the command runs, relative to the top of the work tree.
    pub folder: String,
}

impl Build {
    /// Cache key of the built tree: a hash of the files, the build command, variables of the environment
    /// ([`VARIABLES`], [`ELSEWHERE`]) and the build tools. The commit is left out, so that commits with equal trees are
    /// built once.
    pub(crate) fn key(&self, revision: &Revision) -> String {
        let variable = |name: &&str| format!("{name}={:?}", std::env::var_os(name));
        let variables: Vec<String> = VARIABLES.iter().chain(&ELSEWHERE).map(variable).collect();
        let path = std::env::var("PATH").unwrap_or_default();
        let tools: Vec<String> = TOOLS.iter().filter_map(|name| tool(name, &path)).collect();
        let parts = ["1", std::env::consts::ARCH, &revision.tree, &self.line, &self.folder];
        sha256_of_parts(parts.into_iter().chain(variables.iter().chain(&tools).map(String::as_str)))
    }

    /// Builds in a work tree; returns the duration of the build in nanoseconds, and what the build left behind, as a part
    /// of a sentence.
    ///
    /// # Errors
    /// Fails if the commit lacks the folder, or the command fails or is interrupted.
    pub(crate) fn run(
        &self,
        revision: &Revision,
        top: &Path,
    ) -> Result<(u64, Option<String>), RevisionError> {
        let commit = revision.name.clone();
        let cwd = top.join(&self.folder);
        if !cwd.is_dir() {
            return Err(RevisionError::NoFolder { commit, folder: self.folder.clone() });
        }
        let begun_ns = clock::monotonic_ns();
        let done = Capture { cwd: Some(cwd), ..in_own_repository(&self.line) }.run();
        let done = done.map_err(|error| match error {
            LaunchError::Interrupted { .. } => RevisionError::Interrupted { commit: commit.clone() },
            other => other.into(),
        })?;
        let how = match done.outcome {
            Outcome::Exited(0) => {
                return Ok((clock::monotonic_ns() - begun_ns, left_behind(done.leftovers)));
            }
            Outcome::TimedOut => "took too long".to_owned(),
            Outcome::Exited(code) => format!("ended with status {code}"),
            // SIGSTOP, SIGTSTP, SIGTTIN and SIGTTOU end nothing: a command with that outcome was stopped, and then
            // killed.
            Outcome::Signaled(signal @ (19..=22)) => format!("was stopped by signal {signal} and then ended"),
            Outcome::Signaled(signal) => format!("was ended by signal {signal}"),
        };
        let output = done.output.text().into_owned();
        Err(RevisionError::Build { commit, line: self.line.clone(), how, output })
    }

    /// Returns a note for the report about a build that changed nothing in its work tree. A variable of [`ELSEWHERE`]
    /// explains that, and makes it an error: each commit would measure the program of the last build.
    pub(crate) fn left_nothing(&self, revision: &Revision) -> Result<String, RevisionError> {
        let led = ELSEWHERE.iter().find(|name| std::env::var_os(name).is_some());
        match led {
            Some(name) => Err(RevisionError::BuiltElsewhere {
                commit: revision.name.clone(),
                line: self.line.clone(),
                hint: format!(": unset {name}"),
            }),
            None => Ok(format!(
                "{}: the build left nothing in its work tree; if it made a program, that lies elsewhere and is the same \
                 for all commits",
                revision.name
            )),
        }
    }
}

/// Prepares a shell line without the variables that git sets where it runs a hook or a step of a rebase. With these
/// variables, every git that a build calls would act on the user's repository.
fn in_own_repository(line: &str) -> Capture {
    let leading = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"];
    let unset = leading.iter().flat_map(|name| ["-u".to_owned(), (*name).to_owned()]);
    let shell = Capture::shell(line);
    let words = std::iter::once(shell.program.display().to_string()).chain(shell.arguments.clone());
    // A daemon of the build would run beside the measurement.
    let ends_leftovers = true;
    Capture {
        program: "/usr/bin/env".into(),
        arguments: unset.chain(words).collect(),
        ends_leftovers,
        ..shell
    }
}

/// Path, size and time of modification of a tool, which change when another version is installed.
fn tool(name: &str, path: &str) -> Option<String> {
    let found = words::find_program(name, Path::new("/"), path).ok()?;
    let facts = fs::metadata(&found).ok()?;
    Some(format!("{} {} {}", found.display(), facts.len(), facts.mtime()))
}
