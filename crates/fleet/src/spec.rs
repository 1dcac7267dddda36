//! Parses the value of `--on`, which names an engine.

use crate::FleetError;
use crate::engine::Engine;
use crate::fan::{Fan, Tool};
use crate::local::Local;
use crate::site::Site;
use crate::slurm::Slurm;

/// Maximum number of nodes that are processes of this machine.
const LOCAL_MAX: u32 = 10_000;

/// Returns the engine that the value of `--on` names: `local:N`, `slurm`, `slurm:PARTITION`, `ssh:INVENTORY`, or the
/// name of a tool in place of `ssh`.
///
/// # Errors
/// Fails where the words are invalid, or where the tool is not installed.
pub fn engine(words: &str, site: Site) -> Result<Box<dyn Engine>, FleetError> {
    let refuse = |why: &str| FleetError::Words { words: words.to_owned(), why: why.to_owned() };
    let (kind, rest) = words.split_once(':').unwrap_or((words, ""));
    let inventory = || match rest {
        "" => Err(refuse(
            "this engine takes an inventory: names of hosts such as n[1-9], a group such as @all, or a file",
        )),
        // The inventory becomes an argument of other programs, so it must not look like an option.
        _ if rest.starts_with('-') => Err(refuse("an inventory does not begin like an option")),
        _ => Ok(rest.to_owned()),
    };
    match kind {
        "local" => {
            let count = rest.parse().ok().filter(|count| (1..=LOCAL_MAX).contains(count));
            let why = || format!("`local` takes a number of nodes from 1 to {LOCAL_MAX}, as in local:2");
            let count = count.ok_or_else(|| refuse(&why()))?;
            Ok(Box::new(Local::new(count, site)))
        }
        "slurm" => Ok(Box::new(Slurm::new((!rest.is_empty()).then(|| rest.to_owned()), site)?)),
        "ssh" => {
            let inventory = inventory()?;
            Ok(Box::new(Fan::new(Tool::for_inventory(&inventory)?, inventory, site)))
        }
        _ => match Tool::named(kind) {
            Some(tool) => Ok(Box::new(Fan::new(tool, inventory()?, site))),
            None => Err(refuse(
                "the engine is none of local:N, slurm[:PARTITION], ssh:INVENTORY, clush:…, pdsh:…, ansible:…",
            )),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::RunFolder;
    use crate::site::EngineOptions;

    #[test]
    fn words_name_engines() {
        let runs = crate::private();
        let folder = RunFolder::make(runs.path()).unwrap();
        let site = Site { folder, order: String::new(), options: EngineOptions::default() };
        let of = |words: &str| engine(words, site.clone()).map(|engine| engine.words());
        for words in ["local:2", "slurm", "slurm:all", "clush:n[1-3]", "pdsh:n1,n2", "ansible:hosts.ini"] {
            assert_eq!(of(words).unwrap(), words);
        }
        for bad in ["", "local", "local:0", "local:x", "slurm:$(x)", "ssh", "clush:", "clush:-w", "nomad:x"] {
            let said = of(bad).unwrap_err().to_string();
            assert!(said.starts_with("--on "), "{bad}: {said}");
        }
        assert_eq!(of("local:3").unwrap(), "local:3");
        let nodes = engine("local:2", site.clone()).unwrap().nodes().unwrap();
        assert_eq!(nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(), ["local-1", "local-2"]);
    }
}
