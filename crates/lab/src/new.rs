//! Creation of a lab: a directory that follows the rules of labs and can be run, which the user then changes into a lab
//! of their own.

use std::fs;
use std::path::Path;

use fauxplat_experiment::Failure;

const FILES: [(&str, &str); 4] = [
    ("lab.toml", include_str!("../template/lab.toml")),
    ("outcomes.toml", include_str!("../template/outcomes.toml")),
    ("README.md", include_str!("../template/README.md")),
    ("subject/count.sh", include_str!("../template/subject/count.sh")),
];

/// Creates a directory with a lab named after the directory.
///
/// # Errors
/// Fails if the name is invalid for a lab, or the directory exists or cannot be written.
pub fn create(folder: &Path) -> Result<(), Failure> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_letter = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    if name.is_empty() || !name.chars().all(is_letter) || name.starts_with('-') {
        return Err(Failure::usage(format!(
            "lab new {}: a lab is called by small letters, digits and hyphens, such as cache-order",
            folder.display()
        )));
    }
    let fail = |error: std::io::Error| Failure::usage(format!("lab new: {}: {error}", folder.display()));
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent).map_err(fail)?;
    }
    // Unlike `create_dir_all`, `create_dir` fails if the directory exists, so that no lab is overwritten.
    fs::create_dir(folder).map_err(fail)?;
    for (file, text) in FILES {
        let place = folder.join(file);
        fs::create_dir_all(place.parent().unwrap_or(folder)).map_err(fail)?;
        fs::write(place, text.replace("{name}", name)).map_err(fail)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog, check};
    use fauxplat_plan::LabSettings;

    #[test]
    fn a_new_lab_keeps_the_rules() {
        let yard = tempfile::tempdir().unwrap();
        let folder = yard.path().join("below/my-lab");
        create(&folder).unwrap();
        let lab = catalog::find(folder.to_str().unwrap(), &LabSettings::new()).unwrap();
        let found = check(&lab);
        assert_eq!(found.complaints, [""; 0]);
        assert_eq!((found.claims, found.machines), (1, 3));
        assert!(lab.readme.starts_with("# my-lab: ") && lab.readme.contains("lab run ./my-lab"));
        let again = create(&folder).unwrap_err().to_string();
        assert!(again.contains("my-lab") && again.contains("exists"), "{again}");
        for name in ["My Lab", "-x", "", "a_b"] {
            assert!(create(&yard.path().join(name)).is_err(), "{name}");
        }
    }

    #[test]
    fn whatever_a_lab_lacks_is_said_with_what_to_do() {
        let yard = tempfile::tempdir().unwrap();
        let folder = yard.path().join("lab");
        create(&folder).unwrap();
        let whole = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
        let (lab, outcomes, page) = (whole("lab.toml"), whole("outcomes.toml"), whole("README.md"));
        let claim = &lab[lab.find("[[claim]]").unwrap()..];
        let copy = format!("{lab}{}", claim.replace("twice the work", "twice the work, again"));
        for (file, text, words) in [
            (
                "outcomes.toml",
                outcomes.replace("not here", "reproduced"),
                "is not here, and reproduced was expected",
            ),
            (
                "outcomes.toml",
                outcomes[..outcomes.rfind("[[machine]]").unwrap()].to_owned(),
                "no machine on which the claim `twice the work` is undecided: add",
            ),
            (
                "outcomes.toml",
                outcomes.replace("gives.work", "gives.play"),
                "experiment `play`, which the lab does not have",
            ),
            (
                "outcomes.toml",
                outcomes.replace("gives.work", "gives.play"),
                "says nothing of the experiment `work`",
            ),
            ("outcomes.toml", outcomes.replace("expect", "expects"), "unknown field `expects`"),
            ("outcomes.toml", String::new(), "there is none"),
            ("lab.toml", copy, "`twice the work` and `twice the work, again` say the same"),
            ("README.md", page.replace("## Why", "## Because"), "no `## Why`"),
        ] {
            let before = whole(file);
            fs::write(folder.join(file), text).unwrap();
            let found = check(&catalog::find(folder.to_str().unwrap(), &LabSettings::new()).unwrap());
            assert!(found.complaints.iter().any(|it| it.contains(words)), "{words}: {:?}", found.complaints);
            fs::write(folder.join(file), before).unwrap();
        }
    }
}
