//! The DiskSpd dialect from outside: words and profiles in, requests and errors out.

mod errors;
mod lines;
mod profiles;
mod sizes;
mod vocabulary;
