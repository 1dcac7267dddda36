//! Where this process stands among the control groups, version 1 and 2 (`cgroups(7)`).

use crate::tree::{Missing, Tree};

/// The groups of one controller that limit this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Groups {
    /// Whether this is the unified hierarchy.
    pub(crate) is_v2: bool,
    /// Folders below the root, this process's own first, the highest that can be seen last.
    pub(crate) folders: Vec<String>,
}

/// Levels of nesting that are looked at; a path with more is not a real one.
const DEPTH_MAX: usize = 64;

/// The groups of a controller: those of version 1 where it is mounted there, else those of version 2.
pub(crate) fn groups(tree: &Tree, controller: &str) -> Result<Groups, Missing> {
    let own = tree.long("proc/self/cgroup")?;
    let mounts = tree.long("proc/self/mountinfo")?;
    let v1 = own
        .lines()
        .find_map(|line| path_of(line, controller))
        .zip(mounts.lines().find_map(|line| mount(line, "cgroup", Some(controller))));
    let v2 = || {
        let path = own.lines().find_map(|line| line.strip_prefix("0::"))?;
        Some((path, mounts.lines().find_map(|line| mount(line, "cgroup2", None))?))
    };
    let (is_v2, found) = match v1 {
        Some(found) => (false, Some(found)),
        None => (true, v2()),
    };
    let Some((path, (mount_root, mount_point))) = found else {
        return Err(Missing::Absent(format!("sys/fs/cgroup ({controller} controller)")));
    };
    Ok(Groups { is_v2, folders: folders(path, mount_root, mount_point) })
}

/// The path in a line `7:cpu,cpuacct:/some/group`.
fn path_of<'a>(line: &'a str, controller: &str) -> Option<&'a str> {
    let mut parts = line.splitn(3, ':').skip(1);
    parts.next()?.split(',').any(|name| name == controller).then_some(())?;
    parts.next()
}

/// Root within the hierarchy and mount point of a line of `mountinfo`, if it is of this kind.
fn mount<'a>(line: &'a str, kind: &str, controller: Option<&str>) -> Option<(&'a str, &'a str)> {
    let (before, after) = line.split_once(" - ")?;
    let mut after = after.split(' ');
    (after.next()? == kind).then_some(())?;
    let options = after.nth(1).unwrap_or_default();
    if let Some(controller) = controller {
        options.split(',').any(|name| name == controller).then_some(())?;
    }
    let mut fields = before.split(' ').skip(3);
    Some((fields.next()?, fields.next()?))
}

/// From the process's own group up to the mount point. Where the group lies outside of what is mounted, as in some
/// containers, only the mount point is left.
fn folders(path: &str, mount_root: &str, mount_point: &str) -> Vec<String> {
    let base = mount_point.trim_matches('/');
    let below = match mount_root {
        "/" => path,
        root => path.strip_prefix(root).filter(|rest| rest.is_empty() || rest.starts_with('/')).unwrap_or(""),
    };
    let parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
    let is_outside = parts.contains(&"..");
    let parts = if is_outside { &[][..] } else { &parts[..parts.len().min(DEPTH_MAX)] };
    let folder = |depth: usize| [&[base], &parts[..depth]].concat().join("/");
    (0..=parts.len()).rev().map(folder).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_listed_from_the_own_upwards() {
        assert_eq!(
            folders("/a/b", "/", "/sys/fs/cgroup"),
            ["sys/fs/cgroup/a/b", "sys/fs/cgroup/a", "sys/fs/cgroup"]
        );
        assert_eq!(folders("/docker/x/y", "/docker/x", "/c"), ["c/y", "c"]);
        assert_eq!(folders("/elsewhere", "/docker/x", "/c"), ["c"]);
        assert_eq!(folders("/../../x", "/", "/c"), ["c"]);
    }

    #[test]
    fn lines_of_the_kernel_are_taken_apart() {
        assert_eq!(path_of("7:cpu,cpuacct:/a:b", "cpu"), Some("/a:b"));
        assert_eq!(path_of("7:cpuset:/a", "cpu"), None);
        let line = "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu";
        assert_eq!(mount(line, "cgroup", Some("cpu")), Some(("/", "/sys/fs/cgroup/cpu")));
        assert_eq!(mount(line, "cgroup", Some("memory")), None);
        assert_eq!(mount(line, "cgroup2", None), None);
    }
}
