//! Shared parts of the option tables of other tools: rows, help and reference pages generated from them, suggestions
//! for mistyped names, and parsers for numbers and error codes.

mod entry;
mod errno;
pub mod help;
pub mod near;
mod number;
pub mod reference;
mod row;

pub use entry::Entry;
pub use errno::{errno_name, errno_named, errno_text};
pub use number::power;
pub use row::{Row, Support, Table};
