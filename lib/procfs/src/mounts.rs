//! Mounted file systems: `/proc/PID/mountinfo` (`proc_pid_mountinfo(5)`) and the older `/proc/PID/mounts` (`fstab(5)`).

use std::borrow::Cow;

/// A mount. Paths are in the kernel's notation, with blanks as `\040`; see [`unescaped`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mount<'t> {
    /// The mounted part of the file system; `/` for a line of `mounts`, which does not name it.
    pub part: &'t str,
    /// Mount point.
    pub point: &'t str,
    /// Options of this mount, such as `ro`.
    pub options: &'t str,
    /// Type of the file system.
    pub kind: &'t str,
    /// Options of the file system, such as the controllers of a control-group hierarchy.
    pub file_system_options: &'t str,
}

impl Mount<'_> {
    /// Returns whether the mount is the version 1 hierarchy with a controller.
    pub fn is_v1_of(&self, controller: &str) -> bool {
        self.kind == "cgroup" && has(self.file_system_options, controller)
    }

    /// Returns whether the mount is the hierarchy of version 2.
    pub fn is_v2(&self) -> bool {
        self.kind == "cgroup2"
    }

    /// Returns whether the mount is read-only.
    pub fn is_read_only(&self) -> bool {
        has(self.options, "ro")
    }
}

/// Returns whether a comma-separated list contains a word.
pub fn has(list: &str, word: &str) -> bool {
    list.split(',').any(|one| one == word)
}

/// Iterates over the lines of `mountinfo`, in the order of mounting: the last mount at a point covers earlier ones.
pub fn mountinfo(text: &str) -> impl DoubleEndedIterator<Item = Mount<'_>> {
    text.lines().filter_map(from_mountinfo)
}

/// Iterates over the lines of `mounts`, which lack the mounted part of a file system, and mix options of the mount and
/// the file system.
pub fn mounts(text: &str) -> impl DoubleEndedIterator<Item = Mount<'_>> {
    text.lines().filter_map(from_mounts)
}

/// Parses `36 35 98:0 /part /point rw,noatime shared:1 - cgroup cgroup rw,cpuset`: between the options and the dash
/// there are any number of optional fields.
fn from_mountinfo(line: &str) -> Option<Mount<'_>> {
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ').skip(3);
    let (part, point, options) = (before.next()?, before.next()?, before.next()?);
    let mut after = after.split(' ');
    let (kind, file_system_options) = (after.next()?, after.nth(1)?);
    Some(Mount { part, point, options, kind, file_system_options })
}

/// Parses `cgroup /point cgroup rw,cpuset 0 0`.
fn from_mounts(line: &str) -> Option<Mount<'_>> {
    let mut words = line.split(' ').skip(1);
    let (point, kind, options) = (words.next()?, words.next()?, words.next()?);
    Some(Mount { part: "/", point, options, kind, file_system_options: options })
}

/// Decodes blanks, tabs, line breaks and backslashes of a path, which the kernel writes as three octal digits.
pub fn unescaped(path: &str) -> Cow<'_, str> {
    if !path.contains('\\') {
        return Cow::Borrowed(path);
    }
    let mut plain = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let code = after.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok()).filter(u8::is_ascii);
        plain.push(code.map_or('\\', char::from));
        rest = code.map_or(after, |_| &after[3..]);
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_files_are_read() {
        let line = "31 23 0:27 /docker/ab /sys/fs/cgroup/cpuset ro,nosuid shared:2 master:11 - cgroup cgroup rw,cpuset\n";
        let mount = mountinfo(line).next().unwrap();
        assert_eq!(
            (mount.part, mount.point, mount.options),
            ("/docker/ab", "/sys/fs/cgroup/cpuset", "ro,nosuid")
        );
        assert!(mount.is_v1_of("cpuset") && !mount.is_v1_of("cpu") && !mount.is_v2() && mount.is_read_only());
        let unified =
            mountinfo("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n").next().unwrap();
        assert!(unified.is_v2() && !unified.is_v1_of("nsdelegate") && !unified.is_read_only());
        let old = mounts("none /dev/cpuset cpuset rw,noprefix 0 0\n").next().unwrap();
        assert_eq!((old.part, old.point, old.kind), ("/", "/dev/cpuset", "cpuset"));
    }

    #[test]
    fn lines_that_make_no_sense_are_left_out() {
        let text = "nonsense\n\n1 2 3:4 / - cgroup cgroup rw\n36 35 98:0 / /a rw - tmpfs\n";
        assert_eq!(mountinfo(text).count(), 0);
        assert_eq!(mounts("a b\n\n").count(), 0);
    }

    #[test]
    fn octal_digits_are_turned_back() {
        assert_eq!(unescaped("/a\\040b\\011c\\134"), "/a b\tc\\");
        for path in ["/a\\9", "/\\", "/\\04", "/\\400", "/\\é40", "/plain"] {
            assert_eq!(unescaped(path), path);
        }
    }
}
