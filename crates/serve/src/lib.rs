//! Answers over HTTP to those who know the address: one thread of low priority, a fixed number of connections, and
//! only the content that a [`Site`] supplies. This crate opens no file.
//!
//! In the other direction, a [`Delivery`] sends figures to a [`Receiver`] that the user has named.
//!
//! This crate alone decides on access: the address to listen on ([`address()`]), the admitted requests ([`Door`]),
//! and the size and time limits for a request (`head`, `connection`). The content of the answers is the site's.

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
