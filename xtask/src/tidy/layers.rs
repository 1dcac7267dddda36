//! Checks ranks and columns of crates: a crate imports only lower ranks, and pure, machine and state crates meet only
//! where ARCHITECTURE.md says so.
//!
//! Dev-dependencies are left out: tests may import any crate.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::ChoreError;
use crate::violation::Violation;

/// Crates without a layer: the chores, and the fuzz targets, which import crates of every layer.
const OUTSIDE: [&str; 2] = ["xtask", "fauxplat-fuzz"];

/// The crate below the application that executes plans, and for that imports crates of all columns.
const MEETING_PLACE: &str = "fauxplat-experiment";

/// Columns from which each column may import crates.
const COLUMNS: [(&str, &[&str]); 5] = [
    ("pure", &["pure"]),
    ("own", &["pure", "own"]),
    ("machine", &["pure", "own", "machine"]),
    ("state", &["pure", "state"]),
    ("app", &["pure", "own", "machine", "state", "app"]),
];

/// Facts about a crate, from its manifest.
struct Crate<'a> {
    name: &'a str,
    manifest: PathBuf,
    rank: u64,
    column: &'a str,
    imports: Vec<&'a str>,
}

/// Checks all crates, given the output of `cargo metadata --no-deps`.
pub(super) fn check(metadata: &Value) -> Result<Vec<Violation>, ChoreError> {
    let root = metadata["workspace_root"].as_str().ok_or(ChoreError::Metadata("a workspace root"))?;
    let packages = metadata["packages"].as_array().ok_or(ChoreError::Metadata("packages"))?;
    let mut violations = Vec::new();
    let mut crates = BTreeMap::new();
    for package in packages.iter().filter(|package| OUTSIDE.iter().all(|name| package["name"] != *name)) {
        match read(package, Path::new(root)) {
            Ok(found) => drop(crates.insert(found.name, found)),
            Err(violation) => violations.push(violation),
        }
    }
    violations.extend(crates.values().flat_map(|importer| imports(importer, &crates)));
    Ok(violations)
}

fn read<'a>(package: &'a Value, root: &Path) -> Result<Crate<'a>, Violation> {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or("Cargo.toml"));
    let manifest = manifest.strip_prefix(root).unwrap_or(manifest).to_owned();
    let layer = &package["metadata"]["layer"];
    let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
    let imports = dependencies
        .iter()
        .filter(|dependency| dependency["kind"] != "dev" && dependency["path"].is_string())
        .filter_map(|dependency| dependency["name"].as_str());
    let known = |column: &&str| COLUMNS.iter().any(|(name, _)| name == column);
    match (package["name"].as_str(), layer["rank"].as_u64(), layer["column"].as_str().filter(known)) {
        (Some(name), Some(rank), Some(column)) => {
            Ok(Crate { name, manifest, rank, column, imports: imports.collect() })
        }
        _ => Err(Violation::new(
            manifest,
            None,
            "the crate has no layer",
            "add [package.metadata.layer] with rank = 0 to 7 and column = \"pure\", \"own\", \"machine\", \"state\" or \"app\"",
        )),
    }
}

/// Violations by the imports of a crate that its rank or column forbids.
fn imports(importer: &Crate<'_>, crates: &BTreeMap<&str, Crate<'_>>) -> Vec<Violation> {
    let check = |name: &&str| wrong(importer, crates.get(name)?);
    importer.imports.iter().filter_map(check).collect()
}

fn wrong(importer: &Crate<'_>, imported: &Crate<'_>) -> Option<Violation> {
    let violation = |what, cure| Some(Violation::new(&importer.manifest, None, what, cure));
    let (name, other) = (importer.name, imported.name);
    if imported.rank >= importer.rank {
        return violation(
            format!("{name} (rank {}) imports {other} (rank {})", importer.rank, imported.rank),
            "move what is shared into a crate of lower rank".to_owned(),
        );
    }
    let allowed = COLUMNS.iter().find(|(column, _)| *column == importer.column).map_or(&[][..], |row| row.1);
    if name == MEETING_PLACE || allowed.contains(&imported.column) {
        return None;
    }
    violation(
        format!("{name} ({}) imports {other} ({})", importer.column, imported.column),
        format!("let {MEETING_PLACE} or the application bring the two together"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(name: &str, rank: u64, column: &str, imports: &[(&str, Option<&str>)]) -> Value {
        let dependency =
            |(name, kind): &(&str, Option<&str>)| json!({"name": name, "kind": kind, "path": "/w"});
        json!({
            "name": name,
            "manifest_path": format!("/w/crates/{name}/Cargo.toml"),
            "metadata": {"layer": {"rank": rank, "column": column}},
            "dependencies": imports.iter().map(dependency).collect::<Vec<_>>(),
        })
    }

    fn messages(packages: &[Value]) -> Vec<String> {
        let metadata = json!({"workspace_root": "/w", "packages": packages});
        check(&metadata).unwrap().iter().map(Violation::to_string).collect()
    }

    fn base() -> Vec<Value> {
        vec![
            package("units", 0, "pure", &[]),
            package("table", 0, "own", &[("libc", None)]),
            package("sys", 1, "machine", &[("units", None), ("table", None)]),
            package("store", 2, "state", &[("units", None)]),
            package("topology", 2, "machine", &[("units", None), ("sys", None)]),
            package(
                "fauxplat-experiment",
                5,
                "machine",
                &[("store", None), ("topology", None), ("units", None)],
            ),
            package("cli", 6, "app", &[("fauxplat-experiment", None), ("store", None)]),
            json!({"name": "xtask", "manifest_path": "/w/xtask/Cargo.toml", "metadata": null}),
        ]
    }

    fn with(extra: Value) -> Vec<String> {
        let mut packages = base();
        packages.push(extra);
        messages(&packages)
    }

    #[test]
    fn the_architecture_is_allowed() {
        assert_eq!(messages(&base()), Vec::<String>::new());
    }

    #[test]
    fn an_import_of_the_same_or_a_higher_rank_is_refused() {
        let report = package("report", 2, "pure", &[("units", None), ("store", None)]);
        let expected = "crates/report/Cargo.toml: report (rank 2) imports store (rank 2); move what is shared into a crate of lower rank";
        assert_eq!(with(report), [expected]);
        let stats = package("stats", 0, "pure", &[("units", None)]);
        assert_eq!(with(stats).len(), 1);
        let build = package("stats", 0, "pure", &[("cli", Some("build"))]);
        assert_eq!(with(build).len(), 1);
    }

    #[test]
    fn columns_do_not_mix() {
        let plan = package("plan", 2, "pure", &[("sys", None)]);
        let expected = "crates/plan/Cargo.toml: plan (pure) imports sys (machine); let fauxplat-experiment or the application bring the two together";
        assert_eq!(with(plan), [expected]);
        assert_eq!(with(package("load", 4, "machine", &[("store", None)])).len(), 1);
        assert_eq!(with(package("fleet", 3, "state", &[("topology", None)])).len(), 1);
        assert_eq!(with(package("later", 3, "own", &[("store", None)])).len(), 1);
    }

    #[test]
    fn tests_may_import_anything() {
        assert_eq!(with(package("plan", 2, "pure", &[("cli", Some("dev"))])), Vec::<String>::new());
    }

    #[test]
    fn every_crate_states_its_layer() {
        let bare = json!({"name": "bare", "manifest_path": "/w/crates/bare/Cargo.toml", "metadata": null});
        let odd = package("odd", 1, "magic", &[]);
        for crate_ in [bare, odd] {
            let found = with(crate_);
            assert!(found.len() == 1 && found[0].contains("has no layer"), "{found:?}");
        }
    }

    #[test]
    fn metadata_of_another_form_is_an_error() {
        assert!(matches!(check(&json!({})), Err(ChoreError::Metadata(_))));
    }
}
