//! Adds the text of source lines and instructions to the functions of a profile.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use fauxplat_launch::{Capture, plain};
use fauxplat_model::{
    Annotated, AnnotatedFunction, AnnotatedInstruction, AnnotatedLine, ProfileFindings, ProfiledObject,
};
use fauxplat_sys::text::read_text;

/// Maximum size of a source file in bytes; a larger one is not hand-written.
const SOURCE_MAX: usize = 16 << 20;
/// Number of lines shown before and after a line with samples.
const AROUND: u32 = 2;
/// Maximum size in bytes of a function that is disassembled, and maximum time for that.
const CODE_MAX: u64 = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(20);
/// Number of bytes of code that are disassembled beyond the last instruction with a sample.
const BEHIND: u64 = 16;

/// Adds the texts of lines and instructions, or the reasons why they cannot be read.
pub(super) fn fill(found: &ProfileFindings, annotated: &mut Annotated) {
    for function in &mut annotated.functions {
        lines(function);
        if let Err(why) = instructions(found, function) {
            function.instructions.clear();
            function.missing.push(why);
        }
    }
}

fn lines(function: &mut AnnotatedFunction) {
    let Some(file) = &function.file else { return };
    let text = match read_text(Path::new(file), SOURCE_MAX) {
        Ok(text) => text,
        Err(error) => {
            function.missing.push(format!("the source cannot be read: {error}"));
            return;
        }
    };
    let all: Vec<&str> = text.lines().collect();
    let seen: BTreeMap<u32, AnnotatedLine> = function.lines.drain(..).map(|line| (line.line, line)).collect();
    let near = |line: &u32| line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND);
    let shown: BTreeSet<u32> = seen.keys().flat_map(near).collect();
    let line = |number: u32| {
        let text = all.get(number as usize - 1).map(|text| (*text).to_owned());
        let known = seen.get(&number).cloned();
        let is_shown = text.is_some() || known.is_some();
        is_shown.then(|| AnnotatedLine { line: number, text, ..known.unwrap_or_default() })
    };
    function.lines = shown.into_iter().filter_map(line).collect();
}

/// Disassembles a function from its first to its last instruction with samples, by `objdump` of binutils.
fn instructions(found: &ProfileFindings, function: &mut AnnotatedFunction) -> Result<(), String> {
    let (Some(first), Some(last)) = (function.instructions.first(), function.instructions.last()) else {
        return Ok(());
    };
    let (first, last) = (first.address, last.address);
    let is_meant = |it: &&fauxplat_model::ProfiledInstruction| {
        (first..=last).contains(&it.address) && found.frames[it.frame as usize].name == function.name
    };
    let object =
        found.instructions.iter().find(is_meant).and_then(|it| found.objects.get(it.object as usize));
    let object = object.filter(|object| object.path.starts_with('/'));
    let object = object.ok_or("its instructions are in no file")?;
    is_still_there(object)?;
    if last - first > CODE_MAX {
        return Err("its instructions are too far apart to be shown".to_owned());
    }
    let text = disassembled(&object.path, first, last + BEHIND)?;
    let seen: BTreeMap<u64, AnnotatedInstruction> =
        function.instructions.iter().map(|it| (it.address, it.clone())).collect();
    let one = |(address, text)| AnnotatedInstruction {
        address,
        text,
        ..seen.get(&address).cloned().unwrap_or_default()
    };
    let shown: Vec<AnnotatedInstruction> = text.lines().filter_map(instruction).map(one).collect();
    if shown.is_empty() {
        return Err(format!(
            "{} has no instructions at its address: the file may have been replaced",
            object.path
        ));
    }
    function.instructions = shown;
    Ok(())
}

/// Refuses an object file that was rebuilt since the profile was taken, or that is another file of the same path in
/// another container. A file without a build id is assumed to be unchanged.
fn is_still_there(object: &ProfiledObject) -> Result<(), String> {
    let now = fauxplat_profile::build_id(Path::new(&object.path));
    match object.build_id.is_some() && now != object.build_id {
        true => Err(format!("{} is another build than the one that ran, or gone", object.path)),
        false => Ok(()),
    }
}

fn disassembled(path: &str, first: u64, end: u64) -> Result<String, String> {
    let program = plain::find(&["objdump".to_owned()]);
    let program = program.map_err(|_| "objdump (binutils), which shows instructions, is not installed")?;
    let range = [format!("--start-address={first:#x}"), format!("--stop-address={end:#x}")];
    let words = ["--disassemble", "--no-show-raw-insn", "--demangle"].map(str::to_owned);
    let arguments = words.into_iter().chain(range).chain([path.to_owned()]).collect();
    let capture = Capture { program, arguments, limit: Some(PATIENCE), ..Capture::default() };
    let done = capture.run().map_err(|error| format!("objdump: {error}"))?;
    match done.outcome.is_success() {
        true => Ok(done.output.text().into_owned()),
        false => Err(format!("objdump cannot read {path}: {}", done.errors.text().trim())),
    }
}

fn instruction(line: &str) -> Option<(u64, String)> {
    let (address, text) = line.trim_start().split_once(":\t")?;
    Some((u64::from_str_radix(address, 16).ok()?, text.replace('\t', " ").trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_build_under_the_same_path_is_not_disassembled() {
        let path = std::env::current_exe().unwrap().display().to_string();
        let object = |path: &str, build_id: Option<&str>| ProfiledObject {
            path: path.to_owned(),
            build_id: build_id.map(str::to_owned),
            ..ProfiledObject::default()
        };
        let own = fauxplat_profile::build_id(Path::new(&path));
        assert_eq!(is_still_there(&object(&path, own.as_deref())), Ok(()));
        assert_eq!(is_still_there(&object(&path, None)), Ok(()));
        let refused = is_still_there(&object(&path, Some("00"))).unwrap_err();
        assert!(refused.contains("another build"), "{refused}");
        assert!(is_still_there(&object("/nowhere/at/all", Some("00"))).is_err());
    }
}
