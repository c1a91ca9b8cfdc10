//! Reads the repository's own files, so that its rules are tests instead of advice.
//!
//! No part of plimsoll imports this crate, and it imports no other crate of the workspace. The rules are written in
//! `ARCHITECTURE.md` and `CONTRIBUTING.md`; the tests in `tests/` say what to do when one of them is broken.

mod citations;
mod decisions;
mod functions;
mod layers;
mod links;
mod repository;
mod shapes;
mod skips;
mod source;
mod weight;

pub use citations::{Citation, cited_in_comments, cited_in_page, defined, foreign_in_comments};
pub use decisions::{Decision, text_decisions};
pub use functions::{Function, functions};
pub use layers::{ConfinedLibraries, Crate, Layer, LayerError, crates, layer_table, library_table};
pub use links::{Anchor, Link, anchors, links, places};
pub use repository::{files, root};
pub use shapes::Shape;
pub use skips::{ExpectedSkip, Skip, expected, skips, unexpected};
pub use source::{code_only, has_word, test_spans};
pub use weight::{CrateFile, Weight};
