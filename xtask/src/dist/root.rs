//! Tries the release artefacts where nothing else is installed: in a root file system with nothing but the archive, and
//! in a fresh Debian.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Target, archive, deb, done, folder, fresh, has, program, said, workspace};
use crate::error::ChoreError;

/// Installs and tries the archive and the package for the architecture of this machine.
pub(crate) fn installed() -> Result<(), ChoreError> {
    let program = program::build(Target::HERE)?.map_err(ChoreError::Dist)?;
    bare(&archive(Target::HERE, &program)?)?;
    println!("passed   the archive in a root with nothing else");
    match debian()? {
        Ok(root) => {
            package(&root, &deb::package(Target::HERE, &program)?)?;
            println!("passed   the package in a fresh Debian");
        }
        Err(why) => println!("skipped  the package in a fresh Debian: {why}"),
    }
    match guest()? {
        Ok(()) => println!("passed   the archive for arm64 in a guest"),
        Err(why) => println!("skipped  the archive for arm64 in a guest: {why}"),
    }
    Ok(())
}

/// Shell script that tries the program in a root file system. A shell outside mounts what is needed and changes the
/// root; fauxplat measures itself, since the root has no other program.
const TRIAL: &str = "set -e; root=$1; program=$2; mount -t proc proc $root/proc; : >> $root/dev/null; \
                     mount --bind /dev/null $root/dev/null; chroot $root $program --version; \
                     chroot $root $program lab list; chroot $root $program-blink --led sim:0 --max-time 1s --log nowhere; chroot $root $program compare --help; \
                     chroot $root $program run --runs 3 --store none \"$program --version\"";

fn try_in(root: &Path, program: &str) -> Result<String, ChoreError> {
    let mut unshare = Command::new("unshare");
    unshare.args(["--map-root-user", "--mount", "--pid", "--fork", "sh", "-c", TRIAL, "sh"]);
    let text = said(unshare.arg(root).arg(program))?;
    match text.contains("wall time") {
        true => Ok(text),
        false => Err(ChoreError::Dist(format!("{program} reports no time in {}: {text}", root.display()))),
    }
}

/// Tries the archive in a root file system without libraries, shell and devices.
fn bare(archive: &Path) -> Result<(), ChoreError> {
    let root = fresh("bare")?;
    done(Command::new("tar").args(["--strip-components=1", "-xzf"]).arg(archive).arg("-C").arg(&root))?;
    for name in ["proc", "dev", "tmp"] {
        fs::create_dir(root.join(name)).map_err(ChoreError::at(root.join(name)))?;
    }
    let text = try_in(&root, "/bin/fauxplat")?;
    expect(&text, "/share/fauxplat/labs")
}

/// Path of a root file system with a fresh Debian, which is made once; the inner error is the reason why it cannot be
/// made.
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
        let Some((release, mirror)) = sources()? else {
            return Ok(Err("apt has no source of packages here"));
        };
        let mut make = Command::new("debootstrap");
        make.args(["--variant=minbase", &release]).arg(&root).arg(mirror);
        if let Err(error) = done(&mut make) {
            println!("{error}");
            return Ok(Err("debootstrap cannot make one; its message stands above"));
        }
    }
    Ok(Ok(root))
}

/// Name of a Debian release and address of its mirror, from the sources of this machine's apt; `None` where there are
/// none.
fn sources() -> Result<Option<(String, String)>, ChoreError> {
    let mut targets = Command::new("apt-get");
    let said =
        said(targets.args(["indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages"]))?;
    // Names with `-security` or `-updates` are no releases, but additions to one.
    let mut releases = said.lines().filter_map(|line| line.split_once(' '));
    let source = releases.find(|(release, _)| !release.contains('-'));
    Ok(source.map(|(release, mirror)| (release.to_owned(), mirror.to_owned())))
}

/// Tries the archive for arm64 in a guest; the inner error is the reason why that is not possible.
fn guest() -> Result<Result<(), String>, ChoreError> {
    let target = Target::Arm64;
    if cfg!(target_arch = "aarch64") {
        return Ok(Err("this is such a machine".to_owned()));
    }
    let program = match program::build(target)? {
        Ok(program) => program,
        Err(why) => return Ok(Err(why)),
    };
    let root = fresh("arm64")?;
    done(
        Command::new("tar")
            .args(["--strip-components=1", "-xzf"])
            .arg(archive(target, &program)?)
            .arg("-C")
            .arg(&root),
    )?;
    let program = root.join("bin/fauxplat");
    let trial = format!(
        "set -e; {0} --version; {0} lab list; {0}-blink --led sim:0 --max-time 1s --log nowhere; {0} run --runs 3 --store none '{0} --version'",
        program.display()
    );
    let mut run = Command::new(workspace().join("vm/run"));
    let output = run.args(["arm64-pmu", "--seconds", "300", "--", "sh", "-c", &trial]).output();
    let output = output.map_err(ChoreError::at("vm/run"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match output.status.code() {
        Some(NO_TEST_BED) => Ok(Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
        Some(0) => expect(&text, "wall time").map(Ok),
        code => Err(ChoreError::Dist(format!("in an arm64 guest it ends with {code:?}: {text}"))),
    }
}

/// Exit code of `vm/run` if no guest can be started.
const NO_TEST_BED: i32 = 3;

/// Installs, verifies, tries and removes the package, and checks that no program or lab remains.
fn package(root: &Path, package: &Path) -> Result<(), ChoreError> {
    super::copy(package, &root.join("tmp/fauxplat.deb"))?;
    let within = |line: &str| said(Command::new("chroot").arg(root).args(["sh", "-ec", line]));
    within("dpkg --install /tmp/fauxplat.deb")?;
    // `dpkg --verify` prints a line for each file that differs from that of the package.
    let changed = within("dpkg --verify fauxplat")?;
    if !changed.is_empty() {
        return Err(ChoreError::Dist(format!("dpkg --verify: {changed}")));
    }
    within("cd /usr/share/man/man1 && gzip -t fauxplat.1.gz fauxplat-compare.1.gz fauxplat-blink.1.gz")?;
    within("test -s /usr/share/doc/fauxplat/copyright")?;
    within("bash -c '. /usr/share/bash-completion/completions/fauxplat && complete -p fauxplat'")?;
    expect(&try_in(root, "/usr/bin/fauxplat")?, "/usr/share/fauxplat/labs")?;
    within("dpkg --purge fauxplat")?;
    within(
        "test ! -e /usr/bin/fauxplat && test ! -e /usr/bin/fauxplat-blink && test ! -e /usr/share/fauxplat",
    )
    .map(drop)
}

fn expect(text: &str, words: &str) -> Result<(), ChoreError> {
    match text.contains(words) {
        true => Ok(()),
        false => Err(ChoreError::Dist(format!("`{words}` is missing from what was said: {text}"))),
    }
}
