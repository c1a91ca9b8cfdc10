//! What a load runs on: opened, guarded, laid out.

pub mod named;
mod open;
pub mod unwritten;

pub use open::{OneFile, OpenTarget, OpenTargetError, Wish, open_own_device, open_path};
