//! Orders labs as a course, each after the labs that it builds upon.

use fauxplat_experiment::Failure;
use fauxplat_model::LabResult;
use fauxplat_options::OutputArgs;

use crate::output;

/// The labs that belong to the course, each after the labs that it needs, and otherwise the shortest first. Where labs
/// need each other in a circle, the shortest comes first.
pub(super) fn in_order(labs: Vec<LabResult>) -> Vec<LabResult> {
    let mut open: Vec<LabResult> = labs.into_iter().filter(|lab| lab.course.is_some()).collect();
    open.sort_by(|a, b| a.expected_s.total_cmp(&b.expected_s).then_with(|| a.name.cmp(&b.name)));
    let mut ordered: Vec<LabResult> = Vec::new();
    while !open.is_empty() {
        let next = open.iter().position(|lab| after(lab).all(|name| !open.iter().any(|it| it.name == name)));
        ordered.push(open.remove(next.unwrap_or(0)));
    }
    ordered
}

fn after(lab: &LabResult) -> impl Iterator<Item = &str> {
    lab.course.iter().flat_map(|course| course.after.iter().map(String::as_str))
}

pub(super) fn table(labs: &[LabResult], output: &OutputArgs) -> Result<(), Failure> {
    let row = |(at, lab): (usize, &LabResult)| {
        let needed: Vec<&str> = after(lab).collect();
        vec![
            (at + 1).to_string(),
            lab.name.clone(),
            format!("{:.1}", lab.expected_s / 60.0),
            if needed.is_empty() { "–".to_owned() } else { needed.join(", ") },
            lab.course.as_ref().map(|course| course.teaches.clone()).unwrap_or_default(),
        ]
    };
    let rows: Vec<Vec<String>> = labs.iter().enumerate().map(row).collect();
    output::wide_table(&["", "lab", "minutes", "after", "teaches"], &rows, output)
}
