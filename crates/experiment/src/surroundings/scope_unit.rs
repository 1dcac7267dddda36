//! Control groups for a user who may not create any in the present group: asks the user's service manager for a scope
//! unit in which groups can be created.

use std::fs;
use std::path::Path;
use std::time::Duration;

use fauxplat_cgroup::{CgroupError, Host, ScopeUnit};
use fauxplat_launch::{Errand, children, plain};
use fauxplat_model::Outcome;
use fauxplat_sys::workplace::Workplace;
use fauxplat_sys::{clock, process};

use crate::Failure;

/// Time limit, in nanoseconds, for an answer of the service manager and for its effect, which normally take
/// milliseconds.
const PATIENCE_NS: u64 = 5_000_000_000;

/// Creates control groups by `make`: in the present group, or in a new scope unit if this user may not create any
/// there.
///
/// # Errors
/// Fails if no group can be created in either place, or none with these limits.
pub(crate) fn with_groups<G>(make: impl Fn(&Host) -> Result<G, CgroupError>) -> Result<G, Failure> {
    within_place(process::is_root(), make, enter)
}

fn within_place<G>(
    is_root: bool,
    make: impl Fn(&Host) -> Result<G, CgroupError>,
    enter: impl FnOnce() -> Result<(), String>,
) -> Result<G, Failure> {
    let refused = match make(&host()) {
        // Root may create groups wherever that is possible, and must not be moved by the service manager of another
        // user, whom environment variables may name.
        Err(refused) if refused.is_for_want_of_a_place() && !is_root => refused,
        done => return done.map_err(Failure::machine),
    };
    if let Err(why) = enter() {
        return Err(Failure::machine(format!("{refused}; {why}")));
    }
    make(&host().after(&refused)).map_err(|refused| match refused.is_for_want_of_a_place() {
        true => Failure::machine(format!(
            "{refused}; this is a scope unit that the service manager of this user gave, which has no other controllers \
             to give unless root lets it, by Delegate=yes for user@.service"
        )),
        false => Failure::machine(refused),
    })
}

fn host() -> Host {
    let host = Host::discover(Path::new("/"));
    host.remove_stale();
    host
}

/// Asks the user's service manager to move fauxplat and its children into a new scope unit; the error is the reason why
/// it did not.
fn enter() -> Result<(), String> {
    let (scope, processes) = (ScopeUnit::of_this_process(), ours());
    ask(&scope.request(&processes))?;
    let is_entered = || scope.is_entered(Path::new("/"), &processes).then_some(());
    within_patience(is_entered).ok_or_else(|| {
        format!("the service manager of this user did not move fauxplat into {}", scope.name())
    })?;
    ScopeUnit::make_room(Path::new("/"), &processes).map_err(|why| format!("in {}: {why}", scope.name()))
}

fn ours() -> Vec<i32> {
    let mut all = children();
    all.extend(i32::try_from(std::process::id()));
    all
}

fn ask(words: &[String]) -> Result<(), String> {
    let folder_of_user = match std::env::var("XDG_RUNTIME_DIR") {
        Ok(folder) if !folder.is_empty() => folder,
        _ => format!("/run/user/{}", process::user_id()),
    };
    if !Path::new(&folder_of_user).join("systemd/private").exists() {
        return Err(format!(
            "a service manager of this user, which could give one, does not run (there is no {folder_of_user}/systemd/private)"
        ));
    }
    let Ok(program) = plain::find(&["busctl".to_owned()]) else {
        return Err(
            "a service manager of this user runs, but there is no busctl, by which it is asked for one; \
                    systemd-run --user --scope -p Delegate=yes fauxplat … does the same"
                .to_owned(),
        );
    };
    let folder = Workplace::make("scope", &std::env::temp_dir()).map_err(|why| why.to_string())?;
    let errand = Errand {
        program,
        arguments: words.to_vec(),
        env_set: vec![("XDG_RUNTIME_DIR".to_owned(), folder_of_user)],
        output: folder.path().join("out"),
        errors: folder.path().join("errors"),
    };
    let mut sent = errand.send().map_err(|why| why.to_string())?;
    let outcome = within_patience(|| sent.ended());
    if outcome == Some(Outcome::Exited(0)) {
        return Ok(());
    }
    sent.trace.end();
    let said = fs::read_to_string(&errand.errors).unwrap_or_default();
    let said = said.lines().next().unwrap_or("no answer came in time");
    Err(format!("the service manager of this user was asked for a scope unit, and gave none: {said}"))
}

/// Calls `look` until it returns a result, or the time limit has passed (`None`).
fn within_patience<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end_ns = clock::monotonic_ns() + PATIENCE_NS;
    loop {
        match look() {
            None if clock::monotonic_ns() < end_ns => std::thread::sleep(Duration::from_millis(1)),
            seen => return seen,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn no_place() -> CgroupError {
        CgroupError::NoPlace { controllers: "memory".into(), tried: "/a: permission denied".into() }
    }

    /// Whether the service manager was asked, and the result as text.
    fn tried(
        is_root: bool,
        answer: Result<(), String>,
        made: [Result<u8, CgroupError>; 2],
    ) -> (bool, String) {
        let (is_asked, attempts) = (Cell::new(false), std::cell::RefCell::new(made.into_iter()));
        let make = |_: &Host| attempts.borrow_mut().next().unwrap();
        let enter = || {
            is_asked.set(true);
            answer
        };
        let done = within_place(is_root, make, enter);
        (is_asked.get(), done.map_or_else(|why| why.to_string(), |made| made.to_string()))
    }

    #[test]
    fn a_user_who_may_make_no_group_is_moved_where_one_can_be_made() {
        assert_eq!(tried(false, Ok(()), [Err(no_place()), Ok(7)]), (true, "7".into()));
        assert_eq!(tried(false, Ok(()), [Ok(3), Ok(7)]), (false, "3".into()));
        let other = CgroupError::Refused("2 EiB of memory".into());
        assert_eq!(tried(false, Ok(()), [Err(other), Ok(7)]), (false, "2 EiB of memory".into()));
        let (_, said) = tried(false, Err("nobody answered".into()), [Err(no_place()), Ok(7)]);
        assert!(said.contains("/a: permission denied") && said.ends_with("nobody answered"), "{said}");
        let (_, said) = tried(false, Ok(()), [Err(no_place()), Err(no_place())]);
        assert!(said.contains("user@.service"), "{said}");
    }

    #[test]
    fn root_asks_nobody_for_a_place() {
        let (is_asked, said) = tried(true, Ok(()), [Err(no_place()), Ok(7)]);
        assert!(!is_asked && said.contains("permission denied"), "{said}");
    }
}
