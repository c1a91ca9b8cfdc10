//! The identity of a run file and its tables.

/// `application_id` of every run file: the letters `Plim`.
pub const APPLICATION_ID: i32 = 0x506c_696d;

/// `user_version` of the files that this version writes. It grows by one with every change that an older reader would
/// not understand; each version that was ever released stays readable.
pub const SCHEMA_VERSION: i32 = 3;

/// Tables and views of [`SCHEMA_VERSION`].
pub(crate) const SCHEMA: &str = include_str!("schema.sql");
