//! Published limits: the catalogue, its evaluation, and what is published.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod bursting;
mod catalogue;
mod demand;
mod governor;
mod ledger;
mod matching;
mod meter;
mod parameters;
mod prices;
mod published;
