//! What the tables of other tools' options share.

pub mod near;
