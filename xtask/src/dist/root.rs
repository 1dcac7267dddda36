//! What is handed out, tried where nothing else is: in a root file system with the archive alone, and in a fresh Debian.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Target, archive, deb, done, folder, fresh, has, program, said};
use crate::error::ChoreError;

/// Installs and tries the archive and the package of this machine's architecture.
pub(crate) fn installed() -> Result<(), ChoreError> {
    let target = if cfg!(target_arch = "x86_64") { Target::X86_64 } else { Target::Arm64 };
    let program = program::build(target)?.map_err(ChoreError::Dist)?;
    bare(&archive(target, &program)?)?;
    println!("passed   the archive in a root with nothing else");
    match debian()? {
        Ok(root) => {
            package(&root, &deb::package(target, &program)?)?;
            println!("passed   the package in a fresh Debian");
            Ok(())
        }
        Err(why) => {
            println!("skipped  the package in a fresh Debian: {why}");
            Ok(())
        }
    }
}

/// What is tried in every root, by a shell outside it that has made itself one: it measures itself, since nothing else is
/// there, by helpers of its own.
const TRIAL: &str = "set -e; root=$1; program=$2; mount -t proc proc $root/proc; : >> $root/dev/null; \
                     mount --bind /dev/null $root/dev/null; chroot $root $program --version; \
                     chroot $root $program lab list; chroot $root $program compare --help; \
                     chroot $root $program run --runs 3 --store none \"$program --version\"";

/// Tries a program in a root of its own.
fn try_in(root: &Path, program: &str) -> Result<String, ChoreError> {
    let mut unshare = Command::new("unshare");
    unshare.args(["--map-root-user", "--mount", "--pid", "--fork", "sh", "-c", TRIAL, "sh"]);
    let text = said(unshare.arg(root).arg(program))?;
    match text.contains("wall time") {
        true => Ok(text),
        false => Err(ChoreError::Dist(format!("{program} reports no time in {}: {text}", root.display()))),
    }
}

/// The archive, unpacked where no library, no shell and no device is.
fn bare(archive: &Path) -> Result<(), ChoreError> {
    let root = fresh("bare")?;
    done(Command::new("tar").args(["--strip-components=1", "-xzf"]).arg(archive).arg("-C").arg(&root))?;
    for name in ["proc", "dev", "tmp"] {
        fs::create_dir(root.join(name)).map_err(ChoreError::at(root.join(name)))?;
    }
    let text = try_in(&root, "/bin/fauxplat")?;
    expect(&text, "/share/fauxplat/labs")
}

/// A fresh Debian, made once, or why there cannot be one.
fn debian() -> Result<Result<PathBuf, &'static str>, ChoreError> {
    if !has("debootstrap") || !has("dpkg-deb") {
        return Ok(Err("there is no debootstrap or no dpkg-deb here (apt-get install debootstrap dpkg)"));
    }
    if said(Command::new("id").arg("-u"))? != "0" {
        return Ok(Err("debootstrap needs root"));
    }
    let root = folder()?.join("debian");
    if !root.join("etc/debian_version").is_file() || root.join("debootstrap").exists() {
        let root = fresh("debian")?;
        let mut make = Command::new("debootstrap");
        make.args(["--variant=minbase", "stable"]).arg(&root).arg("http://deb.debian.org/debian");
        if let Err(error) = done(&mut make) {
            println!("{error}");
            return Ok(Err("debootstrap cannot make one; its message stands above"));
        }
    }
    Ok(Ok(root))
}

/// Installs, verifies, tries and removes the package; nothing of it is left.
fn package(root: &Path, package: &Path) -> Result<(), ChoreError> {
    super::copy(package, &root.join("tmp/fauxplat.deb"))?;
    let within = |line: &str| said(Command::new("chroot").arg(root).args(["sh", "-ec", line]));
    within("dpkg --install /tmp/fauxplat.deb")?;
    // A line for each file that is not as the package says.
    let changed = within("dpkg --verify fauxplat")?;
    if !changed.is_empty() {
        return Err(ChoreError::Dist(format!("dpkg --verify: {changed}")));
    }
    within("gzip -t /usr/share/man/man1/fauxplat.1.gz /usr/share/man/man1/fauxplat-compare.1.gz")?;
    within("test -s /usr/share/doc/fauxplat/copyright")?;
    within("bash -c '. /usr/share/bash-completion/completions/fauxplat && complete -p fauxplat'")?;
    expect(&try_in(root, "/usr/bin/fauxplat")?, "/usr/share/fauxplat/labs")?;
    within("dpkg --purge fauxplat")?;
    within("test ! -e /usr/bin/fauxplat && test ! -e /usr/share/fauxplat").map(drop)
}

fn expect(text: &str, words: &str) -> Result<(), ChoreError> {
    match text.contains(words) {
        true => Ok(()),
        false => Err(ChoreError::Dist(format!("`{words}` is missing from what was said: {text}"))),
    }
}
