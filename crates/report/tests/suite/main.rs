//! Tests of the reports of constructed records.

mod baseline;
mod brief;
mod common;
mod comparisons;
mod constructed;
mod described;
mod every_verb;
mod evidence;
mod explain;
mod exports;
mod fleet;
mod grammars;
mod hostile;
mod html;
mod json;
mod markdown;
mod own;
mod profile;
mod properties;
mod renamed;
mod sweep;
mod text;
mod third;
