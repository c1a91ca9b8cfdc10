//! ioping: command lines in, ioping's output out.
//!
//! [`parse`] turns words into an [`IopingRequest`]; [`Region::of`] returns the range of its requests on a target; a
//! [`Session`] decides on requests and output. The crate reads no clock and does no I/O.

mod asked;
mod commandline;
mod defaults;
mod error;
mod figures;
mod lines;
mod noise;
mod number;
mod reference;
mod region;
mod row;
mod rows;
mod session;
mod tally;
mod truth;

pub use asked::{Engine, IopingRequest, Keeping, Mix, Order, Request, Sync};
pub use commandline::parse;
pub use error::IopingError;
pub use lines::{Target, Wall};
pub use noise::Noise;
pub use options::{Entry, errno_text};
pub use reference::{entries, table, usage};
pub use region::{Kind, Region};
pub use row::{Since, Takes};
pub use rows::ROWS;
pub use session::{Next, Once, RequestOutcome, Session};
pub use truth::{Evidence, untrue};
