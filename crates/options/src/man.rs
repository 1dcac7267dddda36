//! Manual pages, from the definition of the command line.

use std::path::Path;

use clap::Command;
use clap::builder::Resettable;
use clap_mangen::Man;
use fauxplat_experiment::Failure;

use crate::help::definition;

/// Verbs that users can call although the overview does not list them. All other hidden verbs are called by fauxplat
/// itself.
const UNLISTED: [&str; 2] = ["man", "completions"];

/// The manual page of a verb, named by its words, such as `fleet run`; without words, the page of fauxplat.
///
/// # Errors
/// Fails if there is no such verb.
pub fn verb_page(verb: &[String]) -> Result<String, Failure> {
    let whole = whole();
    let verb = if verb.first().is_some_and(|first| first == "help") { &verb[1..] } else { verb };
    let is_for_people = |verb: &&Command| !verb.is_hide_set() || UNLISTED.contains(&verb.get_name());
    let found =
        verb.iter().try_fold(&whole, |command, word| command.find_subcommand(word).filter(is_for_people));
    let missing =
        || Failure::usage(format!("man: there is no verb `{}` (see fauxplat help)", verb.join(" ")));
    found.map(page).ok_or_else(missing)
}

/// Writes the manual pages of all verbs into a folder.
///
/// # Errors
/// Fails if the folder cannot be written.
pub fn write_pages(folder: &Path) -> Result<(), Failure> {
    let fail = |path: &Path, error| Failure::usage(format!("{}: {error}", path.display()));
    std::fs::create_dir_all(folder).map_err(|error| fail(folder, error))?;
    for (name, text) in pages(&whole()) {
        let path = folder.join(format!("{name}.1"));
        std::fs::write(&path, text).map_err(|error| fail(&path, error))?;
    }
    Ok(())
}

/// The definition of the command line without the subcommands `help`, which would get pages.
fn whole() -> Command {
    let mut cli = definition().disable_help_subcommand(true);
    cli.build();
    cli
}

/// Names and texts of the manual pages of a command and of its visible subcommands.
fn pages(command: &Command) -> Vec<(&str, String)> {
    let below = command.get_subcommands().filter(|below| !below.is_hide_set()).flat_map(pages);
    std::iter::once((name(command), page(command))).chain(below).collect()
}

fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// The manual page, in roff, of a command that has been built. Pages have no date, so that builds are reproducible.
pub fn page(command: &Command) -> String {
    let mut page = Vec::new();
    // The text after the options becomes sections of its own below, so both texts around the options are removed here.
    let bare = command.clone().after_help(Resettable::Reset).before_help(Resettable::Reset);
    Man::new(bare).render(&mut page).expect("memory takes every text");
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let page = String::from_utf8_lossy(&page).into_owned();
    let begun =
        page.lines().map(|line| if line.starts_with(".TH ") { title(command) } else { line.to_owned() });
    begun.map(|line| line + "\n").collect::<String>() + &sections(&after)
}

/// The title line of a page, see `groff_man(7)`, with the program and its version in the footer. Empty arguments, such
/// as the date, need quotes, or the next argument would take their place.
fn title(command: &Command) -> String {
    let source = match command.get_version() {
        Some(version) => format!("{} {version}", name(command)),
        // A verb has no version of its own.
        None => format!("fauxplat {}", env!("CARGO_PKG_VERSION")),
    };
    format!(".TH {} 1 \"\" \"{}\"", quoted(name(command)), quoted(&source))
}

/// Converts the help text after the options to sections of a manual page. A line that ends with a colon begins a
/// section.
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

/// A line of text, escaped so that roff does not interpret it as a request, see `groff(7)`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_a_page_with_its_sections() {
        let after = "Examples:\n  light --on\n\nExit codes:\n  0  done";
        let text = page(&Command::new("light").about("Shines").version("1").after_help(after));
        for part in [
            ".TH light 1 \"\" \"light 1\"\n",
            "Shines",
            ".SH \"EXAMPLES\"",
            "light \\-\\-on",
            ".SH \"EXIT STATUS\"",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }

    /// The last line of each page, including pages of subcommands, names the program and its version.
    #[test]
    fn every_page_ends_with_the_version() {
        let version = format!("\"fauxplat {}\"", env!("CARGO_PKG_VERSION"));
        for (name, text) in pages(&whole()) {
            let head = text.lines().find(|line| line.starts_with(".TH ")).unwrap_or_default();
            assert!(head.ends_with(&format!(" 1 \"\" {version}")), "{name}: {head}");
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
