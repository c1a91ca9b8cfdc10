//! The DiskSpd dialect from outside: words and profiles in, requests and errors out.

mod errors;
mod lines;
mod output;
mod profiles;
mod readers;
mod reference;
mod sizes;
mod spans;
mod vocabulary;
