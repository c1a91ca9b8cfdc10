//! Charts as SVG: the only module that knows how to draw.
//!
//! A chart is a row of panels; a panel has two axes, lines, levels (claims), markers (knee, crossover) and bands (phases of
//! the run). What to draw from a run is decided beside it: over time in `over_time`, ladders and percentiles in
//! `ladders`, the machine in `machine`.

mod axis;
pub mod definitions;
mod ink;
mod ladders;
mod machine;
mod over_time;
mod panel;
mod reported;

pub use ink::{Ink, dark_rules, rules};
pub(crate) use ink::{UNITS, width};
pub use ladders::{block_sizes, depths, percentiles};
pub use machine::{cpu, devices};
pub(crate) use over_time::kind_words;
pub use over_time::{bandwidth, latency, rate};
pub use reported::reported;

use crate::markup::Table;

/// A drawing with the same figures as a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Name within a page, for links.
    pub id: &'static str,
    /// What it shows.
    pub title: String,
    /// What is to be seen, for those who do not see it.
    pub description: String,
    /// The drawing: an `svg` element.
    pub svg: String,
    /// The figures.
    pub table: Table,
}

impl Chart {
    /// The drawing as a file of its own: with its font and its dashes, light.
    pub fn standalone(&self) -> String {
        let style = format!(
            "<style>{}{}</style><rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
            crate::markup::font_faces(),
            rules()
        );
        match self.svg.find("</desc>") {
            Some(at) => {
                let (head, rest) = self.svg.split_at(at + "</desc>".len());
                format!("{head}{style}{rest}")
            }
            None => self.svg.clone(),
        }
    }
}
