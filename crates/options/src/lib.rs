//! What the tables of other tools' options share.

mod errno;
pub mod near;
mod number;

pub use errno::errno_text;
pub use number::power;
