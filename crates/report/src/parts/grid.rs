//! Tables, independent of how they are drawn.

/// How good or bad a row or sentence is, or its role in the report, shown in colour where possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// A row or sentence without a judgement, as most are.
    Plain,
    Title,
    /// Headings of tables, and marginal notes.
    Faint,
    /// A good result.
    Good,
    /// A bad result.
    Bad,
    /// A decided result that is neither good nor bad.
    Neutral,
    /// A result that is not decided, or not reliable.
    Doubt,
}

/// A row of a table.
pub struct Row {
    pub(crate) tone: Tone,
    pub(crate) cells: Vec<String>,
    /// Address to which the first cell links on pages; empty without a link.
    pub(crate) page: String,
}

impl Row {
    pub(crate) fn map(&self, change: impl Fn(&String) -> String) -> Row {
        Row { tone: self.tone, cells: self.cells.iter().map(change).collect(), page: self.page.clone() }
    }
}

/// A table. The first column is text, which is shortened if there is no room.
pub struct Grid {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Row>,
    /// Indices of columns that may be left out if there is no room, the most dispensable first.
    pub(crate) dispensable: Vec<usize>,
    /// Whether the first column holds names such as those of commands, which may be shortened.
    pub(crate) named: bool,
}

impl Grid {
    /// A table without rows, from its titles and the indices of its dispensable columns.
    pub fn new(header: &[&str], dispensable: &[usize]) -> Self {
        let header = header.iter().map(|&title| title.to_owned()).collect();
        Grid { header, rows: Vec::new(), dispensable: dispensable.to_vec(), named: false }
    }

    pub fn named(header: &[&str], dispensable: &[usize]) -> Self {
        Grid { named: true, ..Grid::new(header, dispensable) }
    }

    /// Whether a column holds numbers, which are aligned to the right.
    pub(crate) fn is_numeric(&self, column: usize) -> bool {
        let is_number =
            |cell: &str| cell.chars().next().is_none_or(|c| c.is_ascii_digit() || "+−-–<?".contains(c));
        column > 0 && self.rows.iter().all(|row| is_number(&row.cells[column]))
    }

    pub fn push(&mut self, tone: Tone, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.header.len());
        self.rows.push(Row { tone, cells, page: String::new() });
    }

    /// Adds a row whose first cell links to the page at this relative address.
    pub(crate) fn push_leading(&mut self, tone: Tone, cells: Vec<String>, page: &str) {
        self.push(tone, cells);
        if let Some(row) = self.rows.last_mut() {
            page.clone_into(&mut row.page);
        }
    }
}
