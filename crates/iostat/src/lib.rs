//! iostat: its words in, its text and JSON out.
//!
//! [`parse`] turns words into [`Asked`]; a [`Reporter`] turns one [`Reading`] of the counters after the other into what
//! iostat of sysstat 12.6 prints, byte for byte, but where a counter was reset: there it prints nothing (in JSON `null`)
//! in place of a difference below zero read as a huge number.

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
pub use asked::{Asked, Group, Request, Source, Units};
pub use colours::Palette;
pub use error::IostatError;
pub use parse::parse;
pub use reading::{DiskLine, Host, Reading};
pub use reference::{entries, table};
pub use reporter::Reporter;
pub use rows::{Options, ROWS, Row, Takes};
