//! The server as browsers and hostile clients meet it, through real sockets.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod address;
mod hostile;
mod news;
mod small;
