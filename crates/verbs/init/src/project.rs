//! Suggests how to build a project, from the files in its folder.

use std::path::Path;

/// Files that identify a build system, each with the command that builds; the first file that exists decides.
const BUILDS: [(&str, &str); 7] = [
    ("Cargo.toml", "cargo build --release"),
    ("go.mod", "go build ./..."),
    ("CMakeLists.txt", "cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build"),
    ("meson.build", "meson setup build --buildtype=release && meson compile -C build"),
    ("Makefile", "make"),
    ("makefile", "make"),
    ("package.json", "npm ci"),
];

/// Command that builds the project in a folder; `None` if no file identifies a build system.
pub(crate) fn build(folder: &Path) -> Option<&'static str> {
    BUILDS.iter().find(|(file, _)| folder.join(file).is_file()).map(|(_, build)| *build)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_makefile_beside_a_manifest_is_a_cargo_project() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(build(folder.path()), None);
        std::fs::write(folder.path().join("Makefile"), "").unwrap();
        assert_eq!(build(folder.path()), Some("make"));
        std::fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        assert_eq!(build(folder.path()), Some("cargo build --release"));
    }
}
