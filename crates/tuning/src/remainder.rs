//! Advice about changes that a restoration could not undo.

use std::path::Path;

use fauxplat_model::{KnobChange, KnobOutcome, Restoration};

/// Describes the changes that remain after a restoration, with advice: how to undo them, and whether to remove the
/// journal. `None` if nothing remains.
pub fn remainder(done: &Restoration, journal: &Path) -> Option<String> {
    let with = |outcome| done.changes.iter().filter(move |change| change.outcome == outcome);
    let (theirs, refused) = (with(KnobOutcome::Left), with(KnobOutcome::Refused));
    let left: Vec<String> = theirs.clone().chain(refused.clone()).map(words).collect();
    let mut said = Vec::new();
    if !left.is_empty() {
        said.push(format!("not everything was put back: {}", left.join("; ")));
    }
    if theirs.count() > 0 {
        said.push("`fauxplat restore --force` writes the old values".to_owned());
    }
    // Another restoration would be refused as well, and no process can tune the machine while the journal announces
    // these changes.
    if refused.count() > 0 {
        let journal = journal.display();
        said.push(format!("put back by hand what was refused, then remove the journal {journal}"));
    }
    said.extend(done.journal_error.as_ref().map(|why| {
        format!(
            "the journal was not updated ({why}) and still lists what was put back: remove it when that is mended"
        )
    }));
    (!said.is_empty()).then(|| said.join("; "))
}

/// Describes a change that remains: a value, or a folder or tasks that are not back in their place.
fn words(change: &KnobChange) -> String {
    let KnobChange { target, wanted, .. } = change;
    let why = change.reason.as_deref().unwrap_or("refused");
    match &change.after {
        Some(now) => format!("{target} is {now} and was {wanted} before ({why})"),
        None => format!("{target} is not {wanted} ({why})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(outcome: KnobOutcome, after: Option<&str>) -> KnobChange {
        KnobChange {
            target: "/proc/sys/vm/swappiness".into(),
            wanted: "60".into(),
            after: after.map(str::to_owned),
            outcome,
            reason: Some("because".into()),
            ..KnobChange::default()
        }
    }

    fn told(changes: &[KnobChange]) -> Option<String> {
        let done = Restoration { changes: changes.to_vec(), ..Restoration::default() };
        remainder(&done, Path::new("/run/journal"))
    }

    #[test]
    fn the_advice_is_about_what_is_left() {
        let (theirs, refused) =
            (change(KnobOutcome::Left, Some("33")), change(KnobOutcome::Refused, Some("1")));
        let said = told(std::slice::from_ref(&theirs)).unwrap();
        assert!(said.contains("is 33 and was 60 before (because)") && said.contains("--force"), "{said}");
        assert!(!said.contains("by hand"), "{said}");
        let said = told(std::slice::from_ref(&refused)).unwrap();
        assert!(said.contains("by hand") && said.ends_with("remove the journal /run/journal"), "{said}");
        assert!(!said.contains("--force"), "what the kernel refuses cannot be forced: {said}");
        let said = told(&[refused, theirs]).unwrap();
        assert!(said.contains("--force") && said.contains("by hand"), "{said}");
        assert_eq!(told(&[change(KnobOutcome::Restored, Some("60"))]), None);
        let said = told(&[change(KnobOutcome::Refused, None)]).unwrap();
        assert!(said.contains("swappiness is not 60 (because)"), "{said}");
    }
}
