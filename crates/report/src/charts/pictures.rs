//! Every chart of a run as a picture with the name of its file.

use analysis::Analysis;
use record::Run;

use super::ink::{UNITS, shortened};
use super::panel::MARGIN;
use super::relations::words;
use super::view::{PictureOptions, View};
use super::{Chart, Font, standalone};

/// A drawing for a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Name of the file without its ending: `02-vda-iops`.
    pub name: String,
    /// What it shows.
    pub title: String,
    drawing: String,
}

impl Picture {
    /// The text of an SVG file.
    pub fn svg(&self) -> String {
        standalone(&self.drawing, Font::Embedded)
    }

    /// The same for [`super::png::Painter::png`], which has the font.
    pub fn bare(&self) -> String {
        standalone(&self.drawing, Font::Left)
    }
}

/// Every chart that there is data for, in the order of their names: the sheet of all devices first, then the machine and
/// its devices, then what overload does, then the charts of the run's own load or of what another tool printed.
pub fn pictures(run: &Run, analysis: &Analysis, options: &PictureOptions) -> Vec<Picture> {
    let view = View::of(run, analysis, options.clone());
    let mut drawn: Vec<(String, String, String)> = Vec::new();
    // The sheet has a title of its own.
    let sheet = view.sheet();
    if !sheet.is_empty() {
        drawn.push(("all-devices".to_owned(), "All charts of all devices".to_owned(), sheet));
    }
    if let Some(relations) = view.relations() {
        let title = "How the devices stand on each other".to_owned();
        drawn.push(("relations".to_owned(), title.clone(), titled(&relations, &title)));
    }
    let devices = view.devices().iter().flat_map(|device| view.charts(device));
    for chart in view.cpu().into_iter().chain(devices) {
        let name = match chart.device.is_empty() {
            true => chart.definition.id.to_owned(),
            false => format!("{}-{}", file_words(&chart.device), chart.definition.id),
        };
        let head = format!("{} {}{}", chart.number, chart.title, chart.note);
        drawn.push((name, chart.title, titled(&chart.svg, &head)));
    }
    let rest = [view.overload(), view.summary()].into_iter().flatten().chain(own(run, analysis));
    drawn.extend(rest.map(|chart| {
        let drawing = titled(&chart.svg, &chart.title);
        (chart.id.to_owned(), chart.title, drawing)
    }));
    numbered(drawn)
}

/// A drawing for a page below its title, which the page writes itself and a file has nobody else to write.
fn titled(drawing: &str, title: &str) -> String {
    let Some(((head, size), inner)) = drawing.split_once("</desc>").and_then(|(head, inner)| {
        let (_, size) = head.split_once("viewBox=\"0 0 ")?;
        Some(((head, size.split('"').next()?), inner))
    }) else {
        return drawing.to_owned();
    };
    let mut numbers = size.split(' ').filter_map(|number| number.parse::<i32>().ok());
    let (Some(wide), Some(high), Some(inner)) =
        (numbers.next(), numbers.next(), inner.strip_suffix("</svg>"))
    else {
        return drawing.to_owned();
    };
    let head = head.replacen(&format!("0 0 {size}"), &format!("0 0 {wide} {}", high + TITLE * UNITS), 1);
    let title = shortened(title, TITLE_LETTER, wide / UNITS - 2 * MARGIN);
    let title = words((MARGIN, TITLE - 8), (TITLE_LETTER, "bold"), &title);
    format!("{head}</desc>{title}<g transform=\"translate(0 {})\">{inner}</g></svg>", TITLE * UNITS)
}

/// Height of the title of a file, and of its letters, in pixels.
const TITLE: i32 = 26;
const TITLE_LETTER: i32 = 13;

/// Charts of the run's own load, and of what another tool printed.
fn own(run: &Run, analysis: &Analysis) -> Vec<Chart> {
    let own = [
        super::rate(run, analysis),
        super::bandwidth(run, analysis),
        super::latency(run, analysis),
        super::depths(run, analysis),
        super::by_depth(run),
        super::block_sizes(run, analysis),
        super::percentiles(analysis),
    ];
    own.into_iter().flatten().chain(super::reported(run)).collect()
}

fn numbered(drawn: Vec<(String, String, String)>) -> Vec<Picture> {
    let digits = drawn.len().to_string().len().max(2);
    let picture = |(at, (name, title, drawing)): (usize, (String, String, String))| Picture {
        name: format!("{:0digits$}-{name}", at + 1),
        title,
        drawing,
    };
    drawn.into_iter().filter(|part| !part.2.is_empty()).enumerate().map(picture).collect()
}

/// A device's name as part of the name of a file: letters, digits, dots and dashes.
fn file_words(device: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    device.chars().map(|letter| if plain(letter) { letter } else { '-' }).collect()
}
