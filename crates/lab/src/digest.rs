//! Digest of a lab, stored in each record, so that a later run knows whether the recorded result is one of the present
//! lab.

use std::path::Path;

use fauxplat_experiment::Failure;
use fauxplat_model::sha256_of_parts;

use crate::Lab;

/// Files that the digest leaves out, since no experiment reads them. The definition is hashed separately, with its
/// options filled in.
const ABOUT: [&str; 3] = ["lab.toml", "README.md", "outcomes.toml"];

impl Lab {
    /// SHA-256 of the definition with its options filled in and of all files that the experiments need.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn digest(&self) -> Result<String, Failure> {
        let definition = serde_json::to_vec(&self.definition).map_err(Failure::machine)?;
        let files = self.files()?;
        let parts = files
            .iter()
            .filter(|(path, _)| !is_about(path))
            .flat_map(|(path, data)| [path.as_os_str().as_encoded_bytes(), data]);
        Ok(sha256_of_parts(std::iter::once(&definition[..]).chain(parts)))
    }
}

fn is_about(path: &Path) -> bool {
    ABOUT.iter().any(|name| path == Path::new(name))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use fauxplat_plan::LabSettings;

    use crate::catalog::find;

    const LAB: &str = "question = 'Is it?'\nsource = 'nobody'\nmachine = 'any'\n\
        [option.n]\nabout = 'a number'\ndefault = '1'\n\
        [[experiment]]\nname = 'x'\nrun = 'echo {n}'\n\
        [[claim]]\nname = 'c'\npublished = { statement = 's' }\n\
        [[claim.check]]\nexperiment = 'x'\npointer = '/n'\nis = 1.0\notherwise = ''\n";

    #[test]
    fn another_setting_or_another_file_makes_another_lab() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| fs::write(folder.path().join(file), text).unwrap();
        let digest = |settings: &LabSettings| {
            find(folder.path().to_str().unwrap(), settings).unwrap().digest().unwrap()
        };
        let plain = LabSettings::new();
        write("lab.toml", LAB);
        fs::create_dir(folder.path().join("subject")).unwrap();
        write("subject/x.c", "1");
        let first = digest(&plain);
        write("README.md", "# another word");
        write("lab.toml", &format!("# a remark\n{LAB}"));
        assert_eq!(digest(&plain), first, "what no experiment sees changes nothing");
        let set = |value: &str| LabSettings::from([("n".to_owned(), vec![value.to_owned()])]);
        assert_eq!(digest(&set("1")), first);
        assert_ne!(digest(&set("2")), first);
        write("subject/x.c", "2");
        assert_ne!(digest(&plain), first);
    }

    #[test]
    fn a_built_in_lab_is_the_same_in_its_folder() {
        let plain = LabSettings::new();
        let labs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs/layout-roulette");
        let digest = |name: &str| find(name, &plain).unwrap().digest().unwrap();
        assert_eq!(digest("layout-roulette"), digest(labs.to_str().unwrap()));
    }
}
