//! What the tables of other tools' options share: rows, help and reference pages made from them, near misses, and
//! readers of numbers and error codes.

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
