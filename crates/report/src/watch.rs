//! A watched machine in words: the verdict on its contract, the table by phase, the contract, the findings in short.

pub use crate::watch_words::place_words;
