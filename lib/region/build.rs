//! Compiles `src/region.c`, by which Rust calls the inline functions of the C header that mark regions.
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
