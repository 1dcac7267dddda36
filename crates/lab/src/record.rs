//! Records of labs on a machine: the JSON documents of `lab run`, read back.

use std::collections::BTreeMap;
use std::path::Path;

use fauxplat_experiment::Failure;
use fauxplat_model::document::Header;
use fauxplat_model::{LabFindings, LabOutcome, LabRecordFacts, LabResult, MachineFacts};
use fauxplat_sys::text::read_text;
use serde::Deserialize;
use serde_json::Value;

const SCHEMA: &str = "fauxplat.lab/1";
/// Greatest size of a record, in bytes: far more than all labs with their pages take.
const BYTES_MAX: usize = 64 << 20;

#[derive(Clone, Debug)]
pub struct LabRecord {
    pub header: Header,
    pub findings: LabFindings,
}

/// Reads the record of a run of labs, which is the document of `lab run`, from a file.
///
/// # Errors
/// Fails if the file cannot be read or is no document of `lab run`.
pub fn read(path: &Path) -> Result<LabRecord, Failure> {
    // Messages of the JSON reader quote the file, so line breaks are removed.
    let fail = |why: String| Failure::usage(format!("{}: {}", path.display(), why.replace('\n', " ")));
    let text = read_text(path, BYTES_MAX).map_err(|error| fail(error.to_string()))?;
    let document: Value =
        serde_json::from_str(&text).map_err(|error| fail(format!("no JSON document: {error}")))?;
    match document["schema"].as_str() {
        Some(SCHEMA) => {}
        Some(other) => {
            return Err(fail(format!("the file is a document of {other}, and not of lab run ({SCHEMA})")));
        }
        None => return Err(fail(format!("the file is no document of lab run ({SCHEMA})"))),
    }
    let broken = |error: serde_json::Error| fail(format!("its {SCHEMA} is incomplete or wrong: {error}"));
    let header = Header::deserialize(&document).map_err(broken)?;
    let findings = LabFindings::deserialize(&document).map_err(broken)?;
    Ok(LabRecord { header, findings })
}

impl LabRecord {
    /// Summarises the record for a comparison of machines.
    pub fn facts(&self, path: &Path) -> LabRecordFacts {
        LabRecordFacts {
            file: path.display().to_string(),
            machine: self.header.machine.clone(),
            started: self.header.started.clone(),
            fauxplat_version: self.header.fauxplat_version.clone(),
            labs: self.findings.labs.len(),
        }
    }

    /// The results that remain valid on this machine with this version: results of labs that are not requested now, and
    /// of requested labs that ran to their end without error and have not changed since. `asked` maps the name of each
    /// requested lab to its digest.
    ///
    /// # Errors
    /// Fails if the record belongs to another machine or version.
    pub fn done(
        self,
        machine: &MachineFacts,
        version: &str,
        asked: &BTreeMap<String, String>,
    ) -> Result<Vec<LabResult>, String> {
        let of = |it: &MachineFacts| {
            (it.cpu.model.clone(), it.cpu.online.clone(), it.kernel.clone(), it.hypervisor.clone())
        };
        if of(&self.header.machine) != of(machine) {
            let cpu = &self.header.machine.cpu.model;
            return Err(format!(
                "the file is the record of another machine ({cpu}, Linux {}): name another file",
                self.header.machine.kernel
            ));
        }
        if self.header.fauxplat_version != version {
            return Err(format!("fauxplat {} made it: name another file", self.header.fauxplat_version));
        }
        let stands = |lab: &LabResult| asked.get(&lab.name).is_none_or(|digest| is_done(lab, digest));
        Ok(self.findings.labs.into_iter().filter(stands).collect())
    }
}

/// Whether a lab was run to its end, without errors, with the files and options that it has now.
fn is_done(lab: &LabResult, digest: &str) -> bool {
    lab.complete
        && lab.outcome.is_some_and(|outcome| outcome != LabOutcome::Error)
        && lab.digest.as_deref() == Some(digest)
}
