//! Findings become text, JSON, CSV, Markdown and the formats that CI systems read.
