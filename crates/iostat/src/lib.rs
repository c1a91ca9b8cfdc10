//! iostat: command lines in, iostat's text and JSON out.
//!
//! [`parse`] turns words into an [`IostatRequest`]; a [`Reporter`] turns successive [`Reading`]s of the counters into
//! the output of iostat of sysstat 12.6, byte for byte. The exception is a counter that was reset: iostat prints the
//! negative difference as a huge number, this crate prints no value (`null` in JSON).

mod asked;
mod cells;
mod colours;
mod columns;
mod error;
mod figures;
mod json;
mod parse;
mod reading;
mod reference;
mod report;
mod reporter;
mod rows;
mod text;

pub use ::options::{Entry, Support};
pub use asked::{Group, IostatRequest, Request, Source, Units};
pub use colours::Palette;
pub use error::IostatError;
pub use parse::parse;
pub use reading::{DiskLine, Host, Reading};
pub use reference::{entries, table};
pub use reporter::Reporter;
pub use rows::{Options, ROWS, Row, Takes};
