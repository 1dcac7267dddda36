//! Makes the Debian package, see deb(5) and the Debian Policy Manual.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Target, commit_time, done, folder, fresh, has, install, program, said, write};
use crate::cargo::root as workspace;
use crate::error::ChoreError;

/// Writes the package for the architecture of this machine, and prints its path.
pub(crate) fn deb() -> Result<(), ChoreError> {
    if !has("dpkg-deb") {
        return Err(ChoreError::Skipped("there is no dpkg-deb here (apt-get install dpkg)"));
    }
    let program = program::build(Target::HERE)?.map_err(ChoreError::Dist)?;
    println!("{}", package(Target::HERE, &program)?.display());
    Ok(())
}

fn architecture(target: Target) -> &'static str {
    match target {
        Target::X86_64 => "amd64",
        Target::Arm64 => "arm64",
    }
}

pub(super) fn package(target: Target, program: &Path) -> Result<PathBuf, ChoreError> {
    let tree = fresh("deb")?;
    install(target, program, &tree, "/usr")?;
    settle(&tree)?;
    let name = format!("fauxplat_{}_{}.deb", env!("CARGO_PKG_VERSION"), architecture(target));
    let size = said(Command::new("du").args(["-sk", "--apparent-size"]).arg(&tree))?;
    let size = size.split_whitespace().next().unwrap_or("0").to_owned();
    write(&tree.join("DEBIAN/md5sums"), &sums(&tree)?)?;
    write(&tree.join("DEBIAN/control"), &control(architecture(target), &size))?;
    let time = commit_time();
    done(Command::new("find").arg(&tree).args([
        "-exec",
        "touch",
        "-h",
        "-d",
        &format!("@{time}"),
        "{}",
        "+",
    ]))?;
    done(Command::new("chmod").arg("-R").arg("u+w,go-w,a+rX").arg(&tree))?;
    let path = folder()?.join(name);
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--root-owner-group", "--build"]).env("SOURCE_DATE_EPOCH", &time);
    done(pack.arg(&tree).arg(&path))?;
    Ok(path)
}

/// Changes the tree that `make install` makes to follow Debian's rules: compressed man pages, completions of zsh in the
/// folder for packages, licences and changelog below `doc`.
fn settle(tree: &Path) -> Result<(), ChoreError> {
    let share = tree.join("usr/share");
    let pages = fs::read_dir(share.join("man/man1")).map_err(ChoreError::at(share.join("man/man1")))?;
    let pages: Vec<PathBuf> = pages.flatten().map(|entry| entry.path()).collect();
    done(Command::new("gzip").arg("-9nf").args(&pages))?;
    let zsh = share.join("zsh");
    fs::rename(zsh.join("site-functions"), zsh.join("vendor-completions")).map_err(ChoreError::at(&zsh))?;
    let doc = share.join("doc/fauxplat");
    write(&doc.join("copyright"), &copyright()?)?;
    super::copy(&workspace().join("CHANGELOG.md"), &doc.join("changelog"))?;
    done(Command::new("gzip").arg("-9nf").arg(doc.join("changelog")))
}

fn control(architecture: &str, size_kib: &str) -> String {
    let maintainer = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let name = maintainer("DEBFULLNAME").unwrap_or_else(|| "The fauxplat contributors".to_owned());
    let address = maintainer("DEBEMAIL").unwrap_or_else(|| "fauxplat@example.invalid".to_owned());
    format!(
        "Package: fauxplat\nVersion: {}\nArchitecture: {architecture}\nMaintainer: {name} <{address}>\n\
         Installed-Size: {size_kib}\nSection: utils\nPriority: optional\n\
         Description: performance laboratory: is it really faster, and what moved the number\n \
         Measures and compares commands with a stated error rate, finds what nobody looks at\n \
         that moves a running time, and says what on this machine spoils a measurement.\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Content of the file `copyright`, in Debian's machine-readable form.
fn copyright() -> Result<String, ChoreError> {
    let path = workspace().join("LICENSE-MIT");
    let text = fs::read_to_string(&path).map_err(ChoreError::at(&path))?;
    let holder = text.lines().find_map(|line| line.strip_prefix("Copyright (c) ")).unwrap_or_default();
    let body = text.split_once(holder).map_or(text.as_str(), |(_, body)| body);
    let indented = |line: &str| if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") };
    let body: String = body.trim().lines().map(indented).collect();
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: fauxplat\n\n\
         Files: *\nCopyright: {holder}\nLicense: Expat or Apache-2.0\n\nLicense: Expat\n{body}\nLicense: Apache-2.0\n \
         On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.\n"
    ))
}

/// Checksums of the files of the package, one file a line, as `md5sum` writes them.
fn sums(tree: &Path) -> Result<String, ChoreError> {
    let files = said(Command::new("find").args(["usr", "-type", "f"]).current_dir(tree))?;
    let mut files: Vec<&str> = files.lines().collect();
    files.sort_unstable();
    Ok(said(Command::new("md5sum").args(&files).current_dir(tree))? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_control_file_has_what_dpkg_asks_for() {
        let text = control("amd64", "12");
        for field in ["Package", "Version", "Architecture", "Maintainer", "Description"] {
            assert!(text.lines().any(|line| line.starts_with(&format!("{field}: "))), "{text}");
        }
        assert!(text.ends_with(".\n") && text.lines().all(|line| !line.is_empty()), "{text}");
    }

    #[test]
    fn the_copyright_names_holder_and_both_licences() {
        let text = copyright().unwrap();
        assert!(text.contains("Copyright: 2026 ") && text.contains("Permission is hereby granted"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("License: ")).count(), 3, "{text}");
    }
}
