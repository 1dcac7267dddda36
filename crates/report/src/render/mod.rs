//! Parts as they are read: text, Markdown, pages, drawings.

mod canvas;
mod chart;
pub(crate) mod drawings;
pub(crate) mod html;
pub(crate) mod markdown;
mod pen;
pub(crate) mod text;
