//! The fio dialect from outside: words in, words out, side by side with the real fio if it is installed.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod data;
mod errors;
mod examples;
mod fuzz;
mod layout;
mod oracle;
mod output;
mod peer;
mod real;
mod reference;
mod rows;
mod terms;
mod traces;
mod traps;
mod vocabulary;
mod words;
mod written;
mod wrong;
