//! Manual pages, from the definition of the command line.

use std::path::Path;

use clap::Command;
use clap::builder::Resettable;
use clap_mangen::Man;
use fauxplat_experiment::Failure;

use crate::help::definition;

/// Writes a manual page per verb.
pub fn man(folder: &Path) -> Result<(), Failure> {
    create(folder)?;
    let mut cli = definition().disable_help_subcommand(true);
    cli.build();
    pages(&cli, folder)
}

/// Writes the manual page of another program into a folder.
///
/// # Errors
/// It cannot be written.
pub fn page(mut command: Command, folder: &Path) -> Result<(), Failure> {
    create(folder)?;
    command.build();
    pages(&command, folder)
}

/// Writes the page of a command and those of its subcommands. Pages have no date, so that builds can be reproduced.
fn pages(command: &Command, folder: &Path) -> Result<(), Failure> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        pages(below, folder)?;
    }
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let path = folder.join(format!("{name}.1"));
    let fail = |error: std::io::Error| Failure::usage(format!("{}: {error}", path.display()));
    let mut page = Vec::new();
    // Texts before and after the options become sections of their own.
    let bare = command.clone().after_help(Resettable::Reset).before_help(Resettable::Reset);
    Man::new(bare).render(&mut page).map_err(fail)?;
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    page.extend_from_slice(sections(&after).as_bytes());
    std::fs::write(&path, page).map_err(fail)
}

/// The text below the options as sections of a manual page: a line that ends with a colon begins a section.
fn sections(after: &str) -> String {
    let mut out = String::new();
    for line in after.lines() {
        match line.strip_suffix(':').filter(|title| !title.starts_with(' ')) {
            Some(title) => {
                let end = if out.is_empty() { "" } else { ".fi\n" };
                out += &format!("{end}.SH \"{}\"\n.nf\n", quoted(&heading(title)));
            }
            None if out.is_empty() => out += &format!(".SH NOTES\n.nf\n{}\n", guarded(line)),
            None => out += &format!("{}\n", guarded(line)),
        }
    }
    if out.is_empty() { out } else { out + ".fi\n" }
}

/// Title of a section by the conventions of `man-pages(7)`.
fn heading(title: &str) -> String {
    match title {
        "Exit codes" => "EXIT STATUS".to_owned(),
        title => title.to_uppercase(),
    }
}

/// A line that roff does not take for a request, see `groff(7)`.
fn guarded(line: &str) -> String {
    let text = line.replace('\\', "\\e").replace('-', "\\-");
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
}

fn quoted(text: &str) -> String {
    guarded(text).replace('"', "\\(dq")
}

/// Makes a folder.
///
/// # Errors
/// It cannot be made.
pub(crate) fn create(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_program_has_a_page_with_its_sections() {
        let folder = tempfile::tempdir().unwrap();
        let after = "Examples:\n  light --on\n\nExit codes:\n  0  done";
        let command = Command::new("light").about("Shines").version("1").after_help(after);
        page(command, &folder.path().join("new")).unwrap();
        let text = std::fs::read_to_string(folder.path().join("new/light.1")).unwrap();
        for part in [".TH light 1", "Shines", ".SH \"EXAMPLES\"", "light \\-\\-on", ".SH \"EXIT STATUS\""] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }

    #[test]
    fn what_stands_below_the_options_becomes_sections() {
        let text = "Kinds, each so:\n  a  -x\n.dot\n\nExamples:\n  b\\c\n\nExit codes:\n  0  done";
        assert_eq!(
            sections(text),
            ".SH \"KINDS, EACH SO\"\n.nf\n  a  \\-x\n\\&.dot\n\n.fi\n.SH \"EXAMPLES\"\n.nf\n  b\\ec\n\n.fi\n.SH \"EXIT \
             STATUS\"\n.nf\n  0  done\n.fi\n"
        );
        assert_eq!(sections(""), "");
    }
}
