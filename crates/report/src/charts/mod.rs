//! Charts as SVG: the only module that knows how to draw.
//!
//! A chart is a row of panels; a panel has two axes, lines, levels (claims), markers (knee, crossover) and bands (phases of
//! the run). What to draw from a run is decided beside it: over time in `over_time`, ladders and percentiles in
//! `ladders`, the machine in `machine`.

mod axis;
mod by_depth;
pub mod definitions;
mod engineering;
mod ink;
mod ladders;
mod legend;
mod machine;
mod marks;
mod over_time;
mod overload;
mod panel;
mod pictures;
pub mod png;
mod relations;
mod reported;
mod series;
mod sheet;
mod timeline;
mod view;
mod watched;

pub use by_depth::by_depth;
pub(crate) use engineering::title as unit_title;
pub use ink::{Ink, dark_rules, rules};
pub(crate) use ink::{UNITS, width};
pub use ladders::{block_sizes, depths, percentiles};
pub use machine::{cpu, devices};
pub(crate) use over_time::kind_words;
pub use over_time::{bandwidth, latency, rate};
pub use pictures::{Picture, pictures};
pub use reported::reported;
pub(crate) use series::{MeasuredChart, measured_series};
pub use view::{DevicesIn, PictureOptions, View, is_like};
pub use watched::DeviceChart;

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
        standalone(&self.svg, Font::Embedded)
    }
}

/// Whether a drawing carries its font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Font {
    /// Inside the file, so that it looks the same anywhere.
    Embedded,
    /// Left to who draws it.
    Left,
}

/// A drawing as a file of its own, light, with its dashes and its size in pixels.
pub fn standalone(svg: &str, font: Font) -> String {
    let faces = if font == Font::Embedded { crate::markup::font_faces() } else { String::new() };
    let style = format!(
        "<style>{faces}text{{font-family:plimsoll,sans-serif}}{}</style><rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
        rules()
    );
    match svg.find("</desc>") {
        Some(at) => {
            let (head, rest) = svg.split_at(at + "</desc>".len());
            format!("{head}{style}{rest}")
        }
        None => svg.to_owned(),
    }
}
