//! Every chart of a run as a picture with the name of its file.

use analysis::Analysis;
use record::Run;

use super::drawing::{Drawing, Font};
use super::png::{Painter, PngError};
use super::relations::RELATIONS;
use super::table::{CHARTS_OF_RUNS, Files, Source};
use super::view::{PictureOptions, View};
use crate::words::provenance::provenance;
use crate::words::sentence::capital;
use crate::words::wrap::clean;

/// A drawing for a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Name of the file without its extension: `02-vda-iops`.
    pub name: String,
    /// Title: the subject of the picture.
    pub title: String,
    drawing: Drawing,
}

/// The two kinds of picture files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Vector drawing that scales to any size.
    Svg,
    /// Raster image.
    Png,
}

impl Form {
    /// File name extension.
    pub fn ending(self) -> &'static str {
        match self {
            Form::Svg => "svg",
            Form::Png => "png",
        }
    }
}

impl Picture {
    /// Returns the name of the picture's file.
    pub fn file(&self, form: Form) -> String {
        format!("{}.{}", self.name, form.ending())
    }

    /// Returns the content of the picture's file.
    ///
    /// # Errors
    /// [`PngError`] if the picture cannot be converted to PNG.
    pub fn bytes(&self, form: Form, painter: &Painter) -> Result<Vec<u8>, PngError> {
        match form {
            Form::Svg => Ok(self.svg().into_bytes()),
            Form::Png => painter.png(&self.bare()),
        }
    }

    /// Returns the text of an SVG file with an embedded font.
    pub fn svg(&self) -> String {
        self.drawing.file(Font::Embedded)
    }

    /// Returns the text of an SVG file without the font, for [`super::png::Painter::png`], which has its own.
    pub fn bare(&self) -> String {
        self.drawing.file(Font::Left)
    }
}

/// Returns every chart for which there is data, with its provenance below it, numbered in this order: the sheet of
/// all devices and their stack, the machine and its devices, the effect of overload, then the charts of the run's
/// own load or of another tool's output.
pub fn pictures(run: &Run, analysis: &Analysis, options: &PictureOptions) -> Vec<Picture> {
    let view = View::of(run, analysis, options.clone());
    let mut drawn: Vec<Picture> = Vec::new();
    // The sheet draws its own title.
    let foot = provenance(run);
    let alone = |drawing: Drawing| drawing.footed(&foot);
    drawn.extend(view.sheet().map(|sheet| picture("all-devices", "All charts of all devices", alone(sheet))));
    let related = view.relations();
    drawn.extend(related.map(|drawing| picture("relations", RELATIONS, alone(drawing.titled(RELATIONS)))));
    let devices = view.devices().iter().flat_map(|device| view.charts(device));
    for chart in view.cpu().into_iter().chain(devices) {
        let name = match chart.device.is_empty() {
            true => chart.definition.id.to_owned(),
            false => format!("{}-{}", file_words(&chart.device), chart.definition.id),
        };
        let head = format!("{} {}{}", chart.number, chart.title, chart.note);
        let zeros = Some(chart.zeros).filter(|zeros| !zeros.is_empty()).map(|zeros| capital(&zeros));
        let below: Vec<String> = zeros.into_iter().chain(foot.iter().cloned()).collect();
        drawn.push(picture(&name, &chart.title, chart.drawing.titled(&head).footed(&below)));
    }
    let source = Source { run, analysis, view: Some(&view) };
    for row in CHARTS_OF_RUNS.iter().filter(|row| row.files == Files::Written) {
        let chart = row.chart(&source);
        drawn.extend(chart.map(|chart| {
            let drawing = alone(chart.drawing.titled(&chart.title));
            picture(row.id, &chart.title, drawing)
        }));
    }
    numbered(drawn)
}

fn picture(name: &str, title: &str, drawing: Drawing) -> Picture {
    // Titles contain names of devices and phases, which come unchecked from a run file.
    Picture { name: name.to_owned(), title: clean(title), drawing }
}

fn numbered(mut drawn: Vec<Picture>) -> Vec<Picture> {
    let digits = drawn.len().to_string().len().max(2);
    for (at, picture) in drawn.iter_mut().enumerate() {
        picture.name = format!("{:0digits$}-{}", at + 1, picture.name);
    }
    drawn
}

/// Returns a device's name as part of a file name: letters, digits, dots, dashes and underscores; anything else
/// becomes a dash.
fn file_words(device: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    device.chars().map(|letter| if plain(letter) { letter } else { '-' }).collect()
}
