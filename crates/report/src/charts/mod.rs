//! Charts of a run, as SVG and as PNG.
//!
//! A chart is a row of panels; a panel has two axes, lines, levels (claims), markers (knee, crossover) and bands
//! (phases of the run). Two tables list the charts: `table` has those of a run, `definitions` those of a watched
//! device. `drawing` writes SVG, and nothing reads it back.

pub(crate) mod axis;
mod by_depth;
pub(crate) mod chart;
mod comparison;
pub mod definitions;
pub(crate) mod drawing;
pub(crate) mod engineering;
mod glance;
pub(crate) mod ink;
pub(crate) mod joined;
pub(crate) mod ladders;
mod legend;
mod machine;
mod marks;
mod modelled;
mod names;
pub(crate) mod over_time;
mod overload;
pub(crate) mod panel;
pub(crate) mod panels;
mod pictures;
mod plot;
pub mod png;
mod relations;
mod reported;
mod series;
mod sheet;
pub(crate) mod table;
mod timeline;
mod view;
mod watched;

pub use chart::Chart;
pub(crate) use comparison::forest;
pub(crate) use drawing::font_faces;
pub use drawing::{Drawing, Font};
pub(crate) use engineering::title as unit_title;
pub use ink::{Ink, dark_rules, rules};
pub use ladders::depths;
pub(crate) use panel::Level;
pub use pictures::{Form, Picture, pictures};
pub(crate) use relations::RELATIONS;
pub(crate) use series::MeasuredChart;
pub(crate) use table::{DrawnChart, Part, Source, drawn, measured_series};
pub use view::{DevicesIn, PictureOptions, View, is_like, names_in, samples_in};
pub use watched::DeviceChart;
pub(crate) use watched::seen;
