//! The server as a browser and as somebody hostile meet it, through real sockets.

mod address;
mod hostile;
mod news;
mod small;
