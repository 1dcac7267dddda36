//! The lines by which two revisions differ.

use std::path::Path;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    hunks: Vec<Hunk>,
}

/// Successive lines of the newer revision that replace lines of the older revision.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hunk {
    /// Path below the top of the repository.
    file: String,
    first: u32,
    last: u32,
    /// First lines of functions that the hunk changes: those among its own lines, and that of the function around its
    /// beginning, which git shows after the hunk's range.
    heads: Vec<String>,
    /// Whether a side of the hunk, removed or added lines, has begun.
    begun: [bool; 2],
    /// The line after the hunk's range, until a line is found that lies within its function.
    around: Option<String>,
}

impl Hunk {
    /// Takes a removed (`side` 0) or added line into account. A hunk that begins with the first line of a function
    /// changes nothing of the function before it.
    fn take(&mut self, side: usize, text: &str) {
        let is_head = text.starts_with(|it: char| it.is_alphabetic() || it == '_' || it == '$');
        if is_head {
            self.heads.push(text.to_owned());
        } else if !self.begun[side] {
            self.heads.extend(self.around.take());
        }
        self.begun[side] = true;
    }
}

impl Changes {
    /// Reads a diff without lines of context, as `git diff --unified=0` writes it.
    pub(crate) fn parse(diff: &str) -> Self {
        let mut hunks = Vec::new();
        let mut file = String::new();
        // The number of content lines that still follow in the hunk: an added line can look like the header of a file.
        let mut content = 0;
        for line in diff.lines() {
            if content > 0 && line.starts_with(['+', '-']) {
                content -= 1;
                let side = usize::from(line.starts_with('+'));
                hunks.iter_mut().last().into_iter().for_each(|hunk: &mut Hunk| hunk.take(side, &line[1..]));
            } else if let Some(path) = line.strip_prefix("--- a/").or_else(|| line.strip_prefix("+++ b/")) {
                // An added or deleted file has /dev/null on the other side.
                path.trim_end().clone_into(&mut file);
            } else if let Some(hunk) = line.strip_prefix("@@ ").and_then(|rest| hunk(&file, rest)) {
                content = hunk.0;
                hunks.push(hunk.1);
            }
        }
        Changes { hunks }
    }

    pub fn files(&self) -> usize {
        let mut files: Vec<&str> = self.hunks.iter().map(|hunk| hunk.file.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        files.len()
    }

    /// Number of changed places, which are hunks of the diff.
    pub fn places(&self) -> usize {
        self.hunks.len()
    }

    /// Whether a function is changed: either its name is in a first line of a function of a hunk, or `line`, a line of the function with
    /// its file, is within a hunk. The path of the file may be absolute, or relative to the folder in which it was
    /// compiled.
    pub fn touch(&self, function: &str, line: Option<(&str, u32)>) -> bool {
        let name = own_name(function);
        self.hunks.iter().any(|hunk| {
            let is_of_file = line.is_none_or(|(file, _)| is_same_file(&hunk.file, file));
            let is_at_line = line.is_some_and(|(_, line)| (hunk.first..=hunk.last).contains(&line));
            is_of_file && (is_at_line || hunk.heads.iter().any(|head| has_word(head, name)))
        })
    }
}

/// Parses the rest of a hunk header after `@@ `, such as `-10,2 +12,3 @@ head`. Returns the number of content lines
/// that follow, and the hunk.
fn hunk(file: &str, rest: &str) -> Option<(u32, Hunk)> {
    let (ranges, head) = rest.split_once(" @@")?;
    let (old, new) = ranges.split_once(' ')?;
    let (_, removed) = range(old.strip_prefix('-')?)?;
    let (first, added) = range(new.strip_prefix('+')?)?;
    let last = first + added.saturating_sub(1);
    let around = Some(head.trim().to_owned());
    let hunk = Hunk { file: file.to_owned(), first, last, heads: Vec::new(), begun: [false; 2], around };
    Some((removed + added, hunk))
}

/// First line and number of lines of a range such as `12,3`, or of `12` for a single line.
fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// The name of a function without its modules, parameters and types.
fn own_name(function: &str) -> &str {
    let plain = function.split(['(', '<']).find(|part| !part.is_empty()).unwrap_or(function);
    plain.rsplit(['.', ':']).find(|part| !part.is_empty()).unwrap_or(plain)
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|it: char| !it.is_alphanumeric() && it != '_').any(|it| it == word && !word.is_empty())
}

fn is_same_file(path: &str, known: &str) -> bool {
    !path.is_empty() && (Path::new(known).ends_with(path) || Path::new(path).ends_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "\
diff --git a/src/work.c b/src/work.c
index 1..2 100644
--- a/src/work.c
+++ b/src/work.c
@@ -3,0 +4,2 @@ static int walk(int n)
++++ b/fake.c
+    n++;
@@ -20 +22 @@ int main(void)
-    walk(1);
+    walk(2);
@@ -30,2 +31,0 @@ void gone(void)
-    a();
-    b();
diff --git a/notes b/notes
deleted file mode 100644
--- a/notes
+++ /dev/null
@@ -1 +0,0 @@
-a note
";

    #[test]
    fn a_function_is_touched_by_its_head_or_by_a_line() {
        let changes = Changes::parse(DIFF);
        assert_eq!(changes.places(), 4);
        assert!(changes.touch("walk", None) && changes.touch("ns::walk(int)", Some(("work.c", 99))));
        assert!(changes.touch("main", Some(("/tmp/tree/src/work.c", 22))));
        assert!(changes.touch("inlined", Some(("src/work.c", 5))));
        assert!(!changes.touch("walker", None) && !changes.touch("int_", None));
        assert!(!changes.touch("walk", Some(("other.c", 4))), "the function of another file");
        assert!(!changes.touch("elsewhere", Some(("work.c", 6))));
        assert!(changes.touch("gone", None), "lines that are only removed change their function");
    }

    /// Git names the function before the first changed line, even where that line begins the next function.
    #[test]
    fn a_hunk_that_begins_with_a_function_changes_none_before_it() {
        let signature = "--- a/w.c\n+++ b/w.c\n@@ -12 +12 @@ static int helper(int n)\n-int outer(int n)\n+int outer(long n)\n";
        let changes = Changes::parse(signature);
        assert!(changes.touch("outer", None) && !changes.touch("helper", None));
        let added = "--- a/w.c\n+++ b/w.c\n@@ -9,0 +10,3 @@ int helper(int n)\n+int fresh(void)\n+{\n+}\n";
        let changes = Changes::parse(added);
        assert!(changes.touch("fresh", None) && !changes.touch("helper", None));
        let across = "--- a/w.c\n+++ b/w.c\n@@ -9,3 +9,3 @@ int helper(int n)\n-    n++;\n-}\n-int outer(int n)\n+    n--;\n+}\n\
                      +int outer(long n)\n";
        let changes = Changes::parse(across);
        assert!(changes.touch("outer", None) && changes.touch("helper", None));
    }

    #[test]
    fn an_added_line_is_no_name_of_a_file() {
        let changes = Changes::parse(DIFF);
        assert!(!changes.touch("x", Some(("fake.c", 22))));
        assert_eq!(changes.files(), 2);
        assert_eq!(Changes::parse(""), Changes::default());
        assert_eq!(Changes::parse("@@ nonsense\n@@ -1 +x @@\n").places(), 0);
    }
}
