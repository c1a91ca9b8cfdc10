//! Answers over HTTP to those who know the address: one thread, which lets every other go first, a fixed number of
//! connections, and nothing but what a [`Site`] gives it. It opens no file.
//!
//! The other way round, a [`Receiver`] is sent what somebody asked to be sent there.
//!
//! What it lets in is decided here and nowhere else: where it listens ([`address()`]), who may ask ([`Door`]), how much of a
//! request is read and for how long (`head`, `connection`). What is answered is the site's.

mod address;
mod connection;
mod door;
mod feed;
mod head;
mod lookup;
mod receiver;
mod server;
mod site;
mod token;

pub use address::{AddressError, address};
pub use door::Door;
pub use feed::Feed;
pub use receiver::{Delivery, PostError, Receiver, ReceiverError};
pub use server::{CONNECTIONS_MOST, Server};
pub use site::{Answer, Asked, Rules, Site};
pub use token::Token;
