//! What reports say, record by record.

mod baseline;
mod common;
mod doctor;
mod evidence;
mod explain;
mod exports;
mod json;
mod markdown;
mod properties;
mod sweep;
mod text;
