//! Explains command lines and job files of fio, DiskSpd, ioping, iostat and dd: the load that they request, its risks,
//! and plimsoll's own commands for the same question.
//!
//! [`find`] reads pasted text; [`explain_all`] puts what was found into words; [`pages`] prints it.

mod about_diskspd;
mod about_fio;
mod about_ioping;
mod about_iostat;
mod beside;
mod call;
mod concerns;
mod data_fio;
mod dd;
mod depth_fio;
mod explanation;
mod figures;
mod file_text;
mod files_fio;
mod fio_words;
mod lengths_fio;
mod load;
mod loops;
mod margin;
mod native;
mod pace_fio;
mod page;
mod pasted;
mod plain;
mod reach;
mod risk;
mod risks_figures;
mod risks_fio;
mod risks_other;
mod settings;
mod several;
mod standing;
mod tool;
mod unknown;
mod variables;
mod word;
mod words;

pub use dd::{Dd, DdFlush};
pub use explanation::{
    ApplicableRisk, Around, Correction, ExplainError, ExplainedLoad, ExplainedText, ExplainedWord,
    Explanation, Form, Taken,
};
pub use native::Native;
pub use page::{Detail, Style};
pub use pasted::{Kind, PastedCommand, find, of_words};
pub use plain::{every, explain_all};
pub use risk::{Level, Risk, When};
pub use several::pages;
pub use standing::Standing;
pub use tool::Tool;
pub use word::{Piece, Repair};
