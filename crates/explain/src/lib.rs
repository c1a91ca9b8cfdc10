//! Command lines and job files of fio, DiskSpd, ioping, iostat and dd put into words: what they ask for, what is risky or
//! misleading about it, and what plimsoll has instead.
//!
//! [`find`] reads text as it was pasted; [`explain`] puts one thing that was found into words; [`text`] and [`json`] print it.

mod about_diskspd;
mod about_fio;
mod about_ioping;
mod dd;
mod figures;
mod fio_words;
mod iostat;
mod native;
mod page;
mod pasted;
mod plain;
mod risk;
mod risks_fio;
mod risks_other;
mod tool;
mod word;

pub use dd::{Dd, Flushed};
pub use iostat::Iostat;
pub use native::Native;
pub use page::{json, text};
pub use pasted::{Found, Kind, find, of_words};
pub use plain::{Around, ExplainError, Explained, Explanation, Told, explain, explain_all};
pub use risk::{Level, RISKS, Risk, When, every};
pub use tool::Tool;
pub use word::{Piece, Repair};
