//! HTML pages: each is a single file that loads nothing from elsewhere, whatever names it contains.

use fauxplat_model::Verdict;
use fauxplat_model::document::Findings;
use fauxplat_report::{Format, ReportError, Style, write};

use crate::common::{self, Owned};
use crate::comparisons::{self, comparison};
use crate::every_verb::without_runs;
use crate::{explain, own, sweep};

/// A record of every verb.
pub(crate) fn all() -> Vec<(&'static str, Owned)> {
    let compared = comparisons::compare(comparison("sort", "gsort", Verdict::Different, 1.0231, 0.0055));
    let mut all = vec![
        ("run", common::run(&["sort -n data", "gsort -n data"])),
        ("run_troubled", common::troubled_run()),
        ("compare", compared),
        ("compare_three", comparisons::compare_three()),
        ("compare_tails", comparisons::compare_tails()),
        ("against_baseline", comparisons::against_baseline()),
        ("aa", common::aa()),
        ("sweep", sweep::owned(sweep::sizes())),
        ("sweep_words", sweep::owned(sweep::words())),
        ("sweep_product", sweep::owned(sweep::product())),
        ("explain", explain::explained()),
    ];
    all.extend(without_runs());
    all
}

fn page(owned: &Owned) -> String {
    owned.render(Format::Html, &Style::default())
}

/// A piece of a page: a tag, or the text between two tags.
pub(crate) enum Token<'p> {
    Tag(&'p str),
    Text(&'p str),
}

/// Splits a page into tags and texts. The contents of a script or style are one text.
pub(crate) fn tokens(page: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once('<') {
        tokens.push(Token::Text(before));
        let (tag, after) = after.split_once('>').expect("a tag ends");
        tokens.push(Token::Tag(tag));
        let raw = ["script", "style"].into_iter().find(|name| tag.split(' ').next() == Some(name));
        rest = after;
        if let Some(end) = raw.map(|name| format!("</{name}>")) {
            let (text, _) = after.split_once(&end).expect("a script ends");
            tokens.push(Token::Text(text));
            rest = &after[text.len()..];
        }
    }
    assert!(rest.trim().is_empty(), "text after the page: {rest}");
    tokens
}

const ELEMENTS: [&str; 45] = [
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "a",
    "header",
    "main",
    "section",
    "script",
    "h1",
    "h2",
    "h3",
    "p",
    "span",
    "code",
    "em",
    "strong",
    "b",
    "div",
    "ul",
    "li",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "details",
    "summary",
    "figure",
    "figcaption",
    "button",
    "svg",
    "desc",
    "g",
    "text",
    "rect",
    "line",
    "polyline",
    "polygon",
    "circle",
    "path",
    "br",
];

const ATTRIBUTES: [&str; 47] = [
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
    "class",
    "href",
    "id",
    "tabindex",
    "type",
    "hidden",
    "data-name",
    "role",
    "aria-label",
    "scope",
    "xmlns",
    "viewBox",
    "width",
    "height",
    "x",
    "y",
    "x1",
    "x2",
    "y1",
    "y2",
    "cx",
    "cy",
    "r",
    "rx",
    "points",
    "text-anchor",
    "font-size",
    "transform",
    "open",
    "d",
    "fill",
    "stroke",
    "style",
    "title",
    "alt",
    "data-totals",
    "data-rows",
    "data-geometry",
    "data-depth",
    "data-spans",
    "data-do",
    "tabindex",
];

/// Names of the attributes of a tag. Panics unless every value is in quotes.
fn attributes(tag: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = tag.split_once(' ').map_or("", |(_, rest)| rest).trim_start();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        names.push(rest[..end].to_owned());
        rest = match rest[end..].strip_prefix("=\"") {
            Some(value) => value.split_once('"').expect("a value ends").1,
            None => &rest[end..],
        };
        rest = rest.trim_start();
    }
    names
}

/// Checks that every element of a page is known and properly nested, and every attribute is known.
pub(crate) fn check(name: &str, page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut ids: Vec<&str> = Vec::new();
    for token in tokens(page) {
        let Token::Tag(tag) = token else { continue };
        let element = tag.split(' ').next().unwrap_or_default();
        if let Some(closed) = element.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "{name}: <{tag}> closes another element");
            continue;
        }
        if element == "!DOCTYPE" {
            continue;
        }
        assert!(ELEMENTS.contains(&element), "{name}: <{tag}>");
        let mut known = attributes(tag);
        known.sort_unstable();
        assert!(known.windows(2).all(|two| two[0] != two[1]), "{name}: an attribute twice in <{tag}>");
        for attribute in known {
            assert!(ATTRIBUTES.contains(&attribute.as_str()), "{name}: {attribute} in <{tag}>");
        }
        ids.extend(tag.split_once(" id=\"").and_then(|(_, rest)| rest.split('"').next()));
        if element != "meta" {
            open.push(element);
        }
    }
    assert!(open.is_empty(), "{name}: {open:?} never end");
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "{name}: {ids:?}");
}

/// The JSON document inside a page.
fn raw(page: &str) -> &str {
    let (_, after) =
        page.split_once("<script id=\"record\" type=\"application/json\">").expect("it holds the data");
    after.split_once("</script>").expect("a script ends").0
}

/// The visible text of a page, with a line for each block; for drawings, the text for screen readers.
fn seen(page: &str) -> String {
    let (mut text, mut skipped) = (String::new(), 0);
    let mut last = "";
    for token in tokens(page) {
        match token {
            Token::Text(it) if last == "desc" => text.push_str(&format!("[drawing: {it}]")),
            Token::Text(it) if skipped == 0 => text.push_str(it),
            Token::Text(_) => {}
            Token::Tag(tag) => {
                let element = tag.split(' ').next().unwrap_or_default();
                last = element;
                match element {
                    "style" | "script" | "svg" | "head" => skipped += 1,
                    "/style" | "/script" | "/svg" | "/head" => skipped -= 1,
                    "/td" | "/th" => text.push_str("  "),
                    "/p" | "/h1" | "/h2" | "/h3" | "/tr" | "li" | "/li" | "/a" | "/figure" | "/summary"
                    | "/div" => {
                        text.push('\n');
                    }
                    _ => {}
                }
            }
        }
    }
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

#[test]
fn every_verb_has_a_page_that_is_well_formed_and_loads_nothing() {
    for (name, owned) in all() {
        let page = page(&owned);
        check(name, &page);
        for loads in ["src=", "href=\"http", "@import", "url(", "<link", "<iframe"] {
            assert!(!page.contains(loads), "{name}: {loads}");
        }
        assert_eq!(
            page.matches("http:").count(),
            page.matches("http://www.w3.org/2000/svg").count(),
            "{name}"
        );
        let json: serde_json::Value =
            serde_json::from_str(raw(&page)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let same: serde_json::Value =
            serde_json::from_str(&owned.render(Format::Json, &Style::default())).expect("JSON is JSON");
        assert_eq!(json, same, "{name}");
    }
}

#[test]
fn a_page_says_the_answer_first() {
    for (name, owned) in all() {
        insta::assert_snapshot!(name, seen(&page(&owned)));
    }
}

#[test]
fn what_matters_is_drawn() {
    let drawn = |owned: &Owned| page(owned).matches("<svg").count();
    let compared = comparisons::compare_three();
    assert_eq!(drawn(&common::run(&["sort", "gsort"])), 2, "a distribution for each command");
    assert_eq!(drawn(&compared), 3, "the distributions, and the differences of each comparison");
    assert!(page(&compared).contains("block by block"));
    assert_eq!(drawn(&comparisons::against_baseline()), 1, "a baseline has no blocks");
    let herd = own::led_by("Ann");
    assert_eq!(drawn(&herd), 1, "the curves; counts in bins are drawn with characters alone");
    check("herd", &page(&herd));
    assert!(page(&common::run(&["sort"])).contains("<title>Distribution of wall time</title>"));
}

/// A name that ends every kind of surrounding element, runs a script, and changes the direction of text.
const HOSTILE: &str = "</script></title></style><img src=x onerror=alert(1)>\"'><b onclick=\"x\">&lt;\u{202e}\u{200b}\u{1b}[31m\u{1}\u{5}\n]]>-->";

#[test]
fn nobody_breaks_out_of_a_page() {
    let mut compared = comparisons::compare(comparison(HOSTILE, "b", Verdict::Different, 1.0231, 0.0055));
    compared.header.warnings = vec![HOSTILE.into()];
    compared.header.not_measured = vec![HOSTILE.into(), HOSTILE.into()];
    compared.header.invocation = vec![HOSTILE.into()];
    compared.header.machine.cpu.model = HOSTILE.into();
    compared.header.started = HOSTILE.into();
    let mut troubled = common::troubled_run();
    troubled.commands[0].command = HOSTILE.into();
    if let Findings::Run(found) = &mut troubled.findings {
        found[0].tree[0].command = HOSTILE.into();
    }
    let mut swept = sweep::product();
    swept.factor = HOSTILE.into();
    swept.unit = Some(HOSTILE.into());
    swept.levels[0].level = HOSTILE.into();
    for owned in [compared, troubled, sweep::owned(swept), own::led_by(HOSTILE)] {
        let page = page(&owned);
        check("hostile", &page);
        assert!(!page.contains(['\u{202e}', '\u{200b}', '\u{1b}', '\u{1}', '\u{5}']));
        assert!(!page.contains("<img") && !page.contains("<b onclick"), "{page}");
        assert!(serde_json::from_str::<serde_json::Value>(raw(&page)).is_ok());
    }
}

#[test]
fn too_much_raw_data_stays_where_it_is() {
    let mut owned = common::run(&["sort"]);
    owned.samples = (0..20_000).map(|trial| common::sample(trial, 0, 5_000_000)).collect();
    let page = page(&owned);
    check("large", &page);
    assert!(!page.contains("id=\"record\"") && page.len() < 100_000, "{}", page.len());
    assert!(page.contains("<code>fauxplat history export 7</code>"));
}

/// An interrupted experiment of any verb is reported run by run.
#[test]
fn what_was_cut_off_is_shown_in_every_format() {
    for samples in [0, 1, 3, 7] {
        let mut cut = common::run(&["sort", "gsort", "never run"]);
        cut.header = common::header("compare");
        cut.samples.truncate(samples);
        cut.findings = Findings::Run((0..3).map(|index| common::run_findings(&cut.samples, index)).collect());
        let mut lost = cut.clone();
        lost.commands.truncate(1);
        let mut unjudged = comparisons::compare_three();
        unjudged.samples.truncate(samples);
        let Findings::Compare(found) = &mut unjudged.findings else { unreachable!("it is a comparison") };
        found.comparisons.clear();
        for owned in [cut, lost, unjudged] {
            for format in Format::ALL {
                let mut out = Vec::new();
                match write(&owned.record(), format, &Style::default(), &mut out) {
                    Ok(()) => assert!(!out.is_empty(), "{format} of {samples}"),
                    Err(error) => {
                        let own = [Format::Text, Format::Json, Format::Csv, Format::Markdown, Format::Html];
                        assert!(matches!(error, ReportError::NothingToExport { .. }), "{format}: {error}");
                        assert!(!own.contains(&format), "{format} of {samples}: {error}");
                    }
                }
            }
            check("cut off", &page(&owned));
        }
    }
}

#[test]
fn long_tables_can_be_searched_and_sorted() {
    let names: Vec<String> = (0..40).map(|number| format!("command {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert!(page(&common::run(&names)).contains("aria-sort"));
    assert!(!page(&common::run(&names[..2])).contains("aria-sort"));
}
