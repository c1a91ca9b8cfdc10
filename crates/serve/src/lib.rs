//! Answers over HTTP to those who know the address: one thread, which runs at low priority, a fixed number of
//! connections, and only what a [`Site`] supplies. It opens no file.
//!
//! In the other direction, a [`Receiver`] is sent what the user asked to be sent there.
//!
//! Access is decided in this crate alone: where it listens ([`address()`]), who may ask ([`Door`]), how much of a
//! request is read and for how long (`head`, `connection`). The content of the answers is the site's.

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
pub use site::{Answer, Rules, Site, SiteRequest};
pub use token::Token;
