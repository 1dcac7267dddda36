//! Links the program at a fixed address.
//!
//! At an address that is drawn at each start, the loader would have to mend eleven thousand pointers before `main`, and
//! write to fifty pages for it: a quarter of the time of `fauxplat --version`. Where our own code lies is no secret and no
//! factor: measured programs are started by `exec` and have address spaces of their own. The same could be said by
//! `-C relocation-model=static` for all crates, but procedural macros are libraries, and cannot be linked so.
#![expect(clippy::disallowed_macros, reason = "cargo reads what is printed")]

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|is| is == value);
    let is_static = std::env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|list| list.contains("crt-static"));
    // Elsewhere the start of a static program is made for one that can be moved.
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && !is_static {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
