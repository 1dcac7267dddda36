//! Compiles the marks, which C programs get from the header alone.
#![expect(clippy::disallowed_macros, reason = "cargo reads what a build script prints")]

fn main() {
    println!("cargo::rerun-if-changed=include/fauxplat_region.h");
    println!("cargo::rerun-if-changed=src/region.c");
    cc::Build::new()
        .file("src/region.c")
        .include("include")
        .std("gnu99")
        .opt_level(2)
        .compile("fauxplat_region");
}
