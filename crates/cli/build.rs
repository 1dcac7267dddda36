//! Links the program statically and at a fixed address, because the dynamic loader takes most of the time of a short
//! command: it maps and binds three libraries, and relocates eleven thousand pointers on fifty pages. These steps are
//! half of the time of `fauxplat --version`, and every helper process takes that time as well.
//!
//! The addresses of fauxplat's own code are neither a secret nor a factor: measured programs are started by `exec` and
//! have address spaces of their own. `-C target-feature=+crt-static` and `-C relocation-model=static` would apply to
//! all crates, but procedural macros are shared libraries and cannot be built so.
#![expect(clippy::disallowed_macros, reason = "cargo reads what is printed")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// Libraries that the compiler passes to the linker as `-lNAME`, with the static archives that replace them.
const LIBRARIES: [(&str, &[&str]); 7] = [
    ("gcc_s", &["libgcc_eh.a", "libgcc.a"]),
    ("c", &["libc.a"]),
    ("m", &["libm.a"]),
    ("util", &["libutil.a"]),
    ("rt", &["librt.a"]),
    ("pthread", &["libpthread.a"]),
    ("dl", &["libdl.a"]),
];

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|is| is == value);
    let is_static = env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|list| list.contains("crt-static"));
    // For other systems, and in cross builds, the program is linked as usual.
    let is_here = env::var("HOST").ok() == env::var("TARGET").ok();
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") || is_static || !is_here {
        return Ok(());
    }
    println!("cargo:rustc-link-arg-bins=-no-pie");
    // Where the static archives are not installed, the program is linked dynamically.
    let Some(archives) = archives() else { return Ok(()) };
    let scripts = Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join("static");
    write_scripts(&scripts, &archives)?;
    println!("cargo:rustc-link-arg-bins=-static");
    println!("cargo:rustc-link-arg-bins=-L{}", scripts.display());
    Ok(())
}

/// Paths of the static archives of each library; `None` if an archive is not installed.
fn archives() -> Option<Vec<(&'static str, Vec<PathBuf>)>> {
    let places = |names: &[&str]| names.iter().map(|name| place(name)).collect::<Option<Vec<_>>>();
    LIBRARIES.iter().map(|&(library, names)| Some((library, places(names)?))).collect()
}

/// The path of an archive according to the compiler driver, which prints the bare name if it finds none.
#[expect(clippy::disallowed_methods, reason = "nothing is measured while the program is built")]
fn place(name: &str) -> Option<PathBuf> {
    let answer = Command::new("cc").arg(format!("-print-file-name={name}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(answer.stdout).ok()?.trim());
    path.is_absolute().then_some(path)
}

/// Writes a linker script for each library: the compiler asks the linker for shared libraries by name whatever other
/// options it gets, and a script of that name refers to the archive instead.
fn write_scripts(folder: &Path, archives: &[(&str, Vec<PathBuf>)]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (library, archives) in archives {
        let words: Vec<String> = archives.iter().map(|path| format!("\"{}\"", path.display())).collect();
        fs::write(folder.join(format!("lib{library}.so")), format!("GROUP({})\n", words.join(" ")))?;
    }
    Ok(())
}
