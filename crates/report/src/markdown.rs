//! Markdown for pull-request comments: the verdict as a sentence, tables, and the conditions folded away.

use std::io::{self, Write};

use fauxplat_model::document::{Findings, Header, Record};
use fauxplat_model::{
    AaFindings, CompareFindings, Comparison, RunFindings, SweepFindings, TableFindings, TopoFindings,
};

use crate::grid::{Grid, Tone};
use crate::parts::Part;
use crate::samples::compared;
use crate::sweep::{grids, sentences};
use crate::text;
use crate::words::{spaced, visible};
use crate::{ReportError, tables, verbs, verdict};

/// Writes GitHub-flavoured Markdown.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), ReportError> {
    match record.findings {
        Findings::Run(found) => run(record, found, out)?,
        Findings::Compare(found) => compare(record, found, out)?,
        Findings::Aa(found) => aa(record, found, out)?,
        Findings::Sweep(found) => sweep(found, out)?,
        Findings::Topo(found) => return Ok(topo(record, found, out)?),
        Findings::Table(found) => return Ok(live(found, out)?),
        Findings::Tune(_) | Findings::TuneList(_) | Findings::Restore(_) => {
            return Ok(parts(&verbs::parts(record), out)?);
        }
        _ => parts(&verbs::parts(record), out)?,
    }
    if verbs::is_look(record.findings) {
        return Ok(inspected(record.header, out)?);
    }
    Ok(foot(record.header, out)?)
}

fn run(record: &Record, found: &[RunFindings], out: &mut dyn Write) -> io::Result<()> {
    for (command, found) in record.commands.iter().zip(found) {
        paragraph(&format!("**{}**", code(&command.name)), out)?;
        let metrics = tables::metrics(found);
        if !metrics.rows.is_empty() {
            table(&metrics, out)?;
        }
        let zero = tables::zero_metrics(found);
        if !zero.is_empty() {
            paragraph(&format!("Zero in every run: {}.", zero.join(", ")), out)?;
        }
        for rates in &found.rates {
            paragraph(&prose(&text::along(rates)), out)?;
        }
    }
    if found.len() > 1 {
        table(&tables::relative(record, found), out)?;
        paragraph("Medians alone name no winner: `fauxplat compare` gives a verdict.", out)?;
    }
    Ok(())
}

fn compare(record: &Record, found: &CompareFindings, out: &mut dyn Write) -> io::Result<()> {
    for comparison in &found.comparisons {
        let sentence = verdict::sentence(comparison, &code(&comparison.a), &code(&comparison.b));
        paragraph(&format!("**{sentence}**"), out)?;
    }
    let compared = compared(record);
    if let Some(sentence) =
        text::winner(found, |index| compared.get(index).map_or_else(String::new, |it| code(it.0)))
    {
        paragraph(&sentence, out)?;
    }
    table(&tables::effects(record, found), out)?;
    for comparison in &found.comparisons {
        grounds(comparison, found.comparisons.len() > 1, out)?;
    }
    table(&tables::resources(record), out)?;
    text::notes(found).iter().try_for_each(|(_, note)| paragraph(note, out))
}

/// What one verdict rests upon.
fn grounds(comparison: &Comparison, titled: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut sentences = Vec::new();
    sentences.extend(titled.then(|| format!("{}:", code(&comparison.b))));
    if let Some(guard) = verdict::guard(comparison) {
        let label = if guard.is_warning { "**Warning:** " } else { "" };
        sentences.push(format!("{label}{}", guard.sentence));
    }
    if comparison.pairs > 0 {
        sentences.push(verdict::tests(comparison));
    }
    sentences.extend(verdict::secondary(comparison));
    if comparison.pairs > 1 {
        sentences.extend(verdict::budget(comparison));
    }
    paragraph(&sentences.join(" "), out)
}

fn aa(record: &Record, found: &AaFindings, out: &mut dyn Write) -> io::Result<()> {
    if !found.strata.is_empty() {
        paragraph(&format!("**{}**", text::calibration(record, found).0), out)?;
        table(&tables::strata(found), out)?;
    }
    if let Some(rivals) = tables::rivals(found) {
        paragraph(&format!("**{}**", text::RIVALS_TITLE), out)?;
        table(&rivals, out)?;
    }
    if !found.power.is_empty() {
        paragraph(&format!("**{}**", text::POWER_TITLE), out)?;
        table(&tables::power(&found.power), out)?;
    }
    paragraph(&text::elapsed(found), out)
}

fn live(found: &TableFindings, out: &mut dyn Write) -> io::Result<()> {
    paragraph(&format!("**{}**", code(&found.file)), out)?;
    if !found.values.is_empty() {
        table(&tables::live(found), out)?;
    }
    paragraph(&text::publisher(found), out)
}

fn sweep(found: &SweepFindings, out: &mut dyn Write) -> io::Result<()> {
    let finding = &found.finding;
    paragraph(&format!("**{}**", prose(&sentences::conclusion(found).1)), out)?;
    let failing = sentences::failing(found).into_iter().map(|sentence| format!("**{}**", prose(&sentence)));
    let rest = sentences::period(found).into_iter().chain([sentences::shares(finding)]);
    let rest = rest.chain(sentences::parts(finding)).chain(sentences::peaks(finding));
    failing
        .chain(rest.map(|sentence| prose(&sentence)))
        .try_for_each(|sentence| paragraph(&sentence, out))?;
    if !finding.peaks.is_empty() {
        table(&grids::peaks(found), out)?;
    }
    if found.levels.len() <= grids::TABLE_LEVELS_MAX {
        table(&grids::levels(found), out)?;
    }
    paragraph(&prose(&sentences::plan(found)), out)
}

fn topo(record: &Record, found: &TopoFindings, out: &mut dyn Write) -> io::Result<()> {
    paragraph(&format!("**{}**", prose(&text::machine(&record.header.machine))), out)?;
    if let Some(pick) = &found.pick {
        paragraph(&format!("{}: **{}**", code(&pick.relation), pick.cpus), out)?;
    }
    let (tables, notes) = crate::topo::tables(found);
    tables.iter().try_for_each(|grid| table(grid, out))?;
    notes.iter().try_for_each(|note| paragraph(&prose(note), out))?;
    record.header.warnings.iter().try_for_each(|it| paragraph(&format!("**Warning:** {}", prose(it)), out))
}

/// Warnings in the open, the rest folded away.
fn foot(header: &Header, out: &mut dyn Write) -> io::Result<()> {
    doubts(header, out)?;
    writeln!(out, "- condition: {}", prose(&text::condition(&header.condition)))?;
    if let Some(loads) = text::loads(&header.condition) {
        writeln!(out, "- beside: {}", prose(&loads))?;
    }
    if let Some(counters) = text::counters(&header.definition) {
        writeln!(out, "- rate: {}", prose(&counters))?;
    }
    writeln!(out, "- machine: {}", prose(&text::machine(&header.machine)))?;
    writeln!(out, "- repeat with: {}", code(&text::repeat(header)))?;
    writeln!(out, "\n</details>")
}

/// The same below what was found by looking alone: there is no condition, and nothing to repeat.
fn inspected(header: &Header, out: &mut dyn Write) -> io::Result<()> {
    doubts(header, out)?;
    writeln!(out, "- machine: {}", prose(&text::machine(&header.machine)))?;
    writeln!(out, "\n</details>")
}

fn doubts(header: &Header, out: &mut dyn Write) -> io::Result<()> {
    for warning in &header.warnings {
        paragraph(&format!("**Warning:** {}", prose(warning)), out)?;
    }
    writeln!(out, "<details><summary>Conditions</summary>\n")?;
    for reason in &header.not_measured {
        writeln!(out, "- not measured: {}", prose(reason))?;
    }
    Ok(())
}

fn parts(parts: &[Part], out: &mut dyn Write) -> io::Result<()> {
    parts.iter().try_for_each(|part| match part {
        Part::Sentence(Tone::Title, text) => paragraph(&format!("**{text}**"), out),
        Part::Sentence(_, text) => paragraph(text, out),
        Part::Table(grid) => table(grid, out),
        Part::Bars(bars) => {
            let lines = bars.lines(true, 100, "…", ('▕', '▏')).join("\n");
            writeln!(out, "{}\n\n```text\n{}\n```\n", bars.title, spaced(&lines))
        }
        Part::Block { title, lines } => {
            paragraph(&format!("**{title}**"), out)?;
            for line in lines {
                writeln!(out, "{}- {}", "  ".repeat(line.depth - 1), prose(&spaced(&line.text)))?;
            }
            writeln!(out)
        }
    })
}

fn paragraph(text: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", spaced(text))
}

fn table(grid: &Grid, out: &mut dyn Write) -> io::Result<()> {
    row(grid.header.iter().map(|title| cell(title)), out)?;
    let rules =
        (0..grid.header.len()).map(|column| if grid.is_numeric(column) { "--:" } else { ":--" }.to_owned());
    row(rules, out)?;
    for line in &grid.rows {
        let cells = line.cells.iter().enumerate().map(|(column, text)| match column == 0 && grid.named {
            true => code(text).replace('|', "\\|"),
            false => cell(text),
        });
        row(cells, out)?;
    }
    writeln!(out)
}

fn row(cells: impl Iterator<Item = String>, out: &mut dyn Write) -> io::Result<()> {
    let cells: Vec<String> = cells.collect();
    writeln!(out, "| {} |", cells.join(" | "))
}

fn cell(text: &str) -> String {
    spaced(text).replace('<', "&lt;").replace('|', "\\|")
}

/// A name as code, in which nothing is a link, a mention or markup. The fence is longer than any within.
fn code(name: &str) -> String {
    let name = visible(name);
    let longest = name.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if name.starts_with('`') || name.ends_with('`') || name.is_empty() { " " } else { "" };
    format!("{fence}{pad}{name}{pad}{fence}")
}

/// Somebody else's sentence, in which nothing is markup.
fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        if "\\`*_[]<>|#@~&".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_their_code() {
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(code("a\nb"), "`a\\nb`");
        assert_eq!(prose("@all <b> *x*"), "\\@all \\<b\\> \\*x\\*");
    }
}
