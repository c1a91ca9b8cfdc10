//! Opens, guards and lays out the target of a load.

mod laying;
mod leave;
pub mod named;
mod open;
pub mod unwritten;

pub use leave::{WriteTarget, destruction_words, leave_to_write, tell_what_goes};
pub use open::{Holes, OneFile, OpenTarget, OpenTargetError, Wish, open_own_device, open_path, usual_region};
