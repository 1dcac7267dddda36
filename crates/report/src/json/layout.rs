//! Layout of JSON documents: indented down to the list of runs, then one line per element.

use std::io::{self, Write};

use serde_json::ser::Formatter;

/// Depth of brackets down to which lines are broken, that of `commands[].runs[]`: document, commands, command, runs.
const BROKEN_DEPTH: usize = 4;

/// JSON formatter that breaks lines only within the outer brackets.
///
/// serde's pretty layout writes each field on a separate line: a hundred thousand runs would be three million lines.
#[derive(Default)]
pub(crate) struct LinePerRun {
    depth: usize,
    has_value: bool,
}

impl LinePerRun {
    fn open<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        out.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        let broken = self.depth <= BROKEN_DEPTH && self.has_value;
        self.depth -= 1;
        self.has_value = true;
        if broken {
            self.new_line(out)?;
        }
        out.write_all(bracket)
    }

    fn next<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        match (first, self.depth <= BROKEN_DEPTH) {
            (true, false) => Ok(()),
            (false, false) => out.write_all(b", "),
            (true, true) => self.new_line(out),
            (false, true) => {
                out.write_all(b",")?;
                self.new_line(out)
            }
        }
    }

    fn new_line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for LinePerRun {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;

    #[test]
    fn breaks_lines_down_to_the_fourth_bracket() {
        let value = serde_json::json!({"a": [{"b": [{"c": 1, "d": []}, {}], "e": []}], "f": {}});
        let mut text = Vec::new();
        value
            .serialize(&mut serde_json::Serializer::with_formatter(&mut text, LinePerRun::default()))
            .unwrap();
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&text).unwrap(), value);
        insta::assert_snapshot!(String::from_utf8(text).unwrap());
    }
}
