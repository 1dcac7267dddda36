//! The target whose name this program has, driven by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let target = fauxplat_fuzz::Target::find(env!("CARGO_BIN_NAME")).expect("the manifest names targets that there are");
    (target.run)(bytes);
});
