//! A run in a single SQLite file.
//!
//! [`Writer`] stores a run while it happens, [`write()`] stores one that is over, and [`read`] returns it, whether
//! it ended well or was cut off; from a damaged file, [`read_what_can_be`] returns the intact part. Tables and
//! columns are described in `docs/reference/run-file.md`; they are designed to be readable without this crate too.

mod birth;
mod cell;
mod confined;
mod earlier;
mod error;
mod header;
mod machine;
mod observed;
mod place;
mod reader;
mod rebuild;
mod recorder;
mod remarks;
mod reported;
mod samples;
mod scan;
mod schema;
mod steps;
mod table;
mod trend;
mod writer;

pub use birth::at;
pub use error::{RunfileError, WriteError};
pub use place::{Whose, names, state_directory, state_directory_from, stem_of, stem_of_run};
pub use reader::{read, read_packed, read_what_can_be};
pub use recorder::{EntryKind, Outcome, Recorder};
pub use remarks::StoredTrend;
pub use schema::{APPLICATION_ID, SCHEMA_VERSION};
pub use trend::{NotStored, store_trend};
pub use writer::{SameDevice, Writer, write};
