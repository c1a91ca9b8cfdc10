//! Charts as files: the options that select them, and folders of PNG and SVG files, each written whole or not at all.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use analysis::Analysis;
use clap::{Args, ValueEnum};
use record::Run;
use report::charts::png::Painter;
use report::charts::{DevicesIn, Form, Picture, PictureOptions, names_in, pictures, samples_in};

use session::failure::Failure;
use session::files::{Kind, Shelf};
use session::inputs::InputRun;
use session::place::short;
use session::watch::{fits, unknown_device};

/// Which part of a recording is drawn, and how its pictures look.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Pictures")]
pub(crate) struct PictureArguments {
    /// Write every chart as a PNG file into this folder
    #[arg(long, value_name = "DIR")]
    pub png: Option<PathBuf>,
    /// Write every chart as an SVG file into this folder
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Where devices stand in the picture of all of them
    #[arg(long, value_enum, default_value_t)]
    pub devices_in: Placement,
    /// Size of one panel of that picture: inches (4x3), or pixels (600x400px)
    #[arg(long, value_name = "WxH", default_value = "4x3", value_parser = panel)]
    pub panel: (u32, u32),
    /// First sample to draw, from 0; -10 is the tenth from the end
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub first: i64,
    /// Draw up to this sample and not it; -1 leaves the last one out
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub last: Option<i64>,
    /// Say what a device is, e.g. sda="physical drive"
    #[arg(long, value_name = "DEVICE=WORDS", value_parser = described)]
    pub describe: Vec<(String, String)>,
    /// Draw this device alone; * and ? stand for letters
    #[arg(long, value_name = "PATTERN")]
    pub device: Vec<String>,
    /// Leave this device out; * and ? stand for letters
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
}

/// Where the devices of the sheet stand.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Placement {
    /// Side by side
    #[default]
    Columns,
    /// One below the other
    Rows,
}

/// Pixels of an inch in a drawing.
const PER_INCH: f64 = 96.0;
/// Least and greatest side of a panel in pixels: below, the labels have no room; above, no picture has.
const SIDES: std::ops::RangeInclusive<f64> = 150.0..=4000.0;

fn panel(words: &str) -> Result<(u32, u32), String> {
    let help = "write inches as 4x3 or pixels as 600x400px";
    let (sizes, factor) = match words.strip_suffix("px") {
        Some(pixels) => (pixels, 1.0),
        None => (words, PER_INCH),
    };
    let (wide, high) = sizes.split_once(['x', '×']).ok_or(help)?;
    let side = |text: &str| text.trim().parse::<f64>().map(|size| size * factor).map_err(|_| help.to_owned());
    let (wide, high) = (side(wide)?, side(high)?);
    match SIDES.contains(&wide) && SIDES.contains(&high) {
        true => Ok((wide.round() as u32, high.round() as u32)),
        false => Err("a side is 150 to 4000 pixels, or 1.6 to 41 inches".to_owned()),
    }
}

fn described(words: &str) -> Result<(String, String), String> {
    match words.split_once('=') {
        Some((device, said)) if !device.trim().is_empty() && !said.trim().is_empty() => {
            Ok((device.trim().to_owned(), said.trim().to_owned()))
        }
        _ => Err("write DEVICE=WORDS, e.g. sda=\"physical drive\"".to_owned()),
    }
}

impl PictureArguments {
    /// Returns the picture options for recording number `file` (from 1), read from `source`.
    pub fn options(&self, file: usize, source: &Path) -> PictureOptions {
        PictureOptions {
            file,
            source: source.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            devices_in: match self.devices_in {
                Placement::Columns => DevicesIn::Columns,
                Placement::Rows => DevicesIn::Rows,
            },
            panel: self.panel,
            first: self.first,
            last: self.last,
            described: self.describe.clone(),
            only: self.device.clone(),
            excluded: self.exclude.clone(),
        }
    }

    /// Refuses a range of samples that is empty in every recording, such as one that begins after the last sample.
    pub fn within(&self, runs: &[InputRun]) -> Result<(), Failure> {
        let options = self.options(1, Path::new(""));
        let samples = || runs.iter().map(|recorded| samples_in(&recorded.run));
        let most = samples().max().unwrap_or(0);
        match most > 0 && samples().all(|count| options.leave_nothing_of(count)) {
            false => Ok(()),
            true => Err(Failure::refused(format!(
                "--first {}{} leaves nothing to draw: there are {most} samples, 0 to {}",
                self.first,
                self.last.map_or(String::new(), |last| format!(" --last {last}")),
                most - 1
            ))),
        }
    }

    /// Refuses options that name devices absent from all `runs`, and an exclusion that leaves nothing to draw.
    pub fn know<'r>(&self, runs: impl Iterator<Item = &'r Run>) -> Result<(), Failure> {
        let names = names_in(runs);
        let described = self.describe.iter().map(|(device, _)| ("--describe", device));
        let named = self.device.iter().map(|word| ("--device", word));
        // A pattern may match no device.
        let plain = self.exclude.iter().filter(|word| !word.contains(['*', '?']));
        let excluded = plain.map(|word| ("--exclude", word));
        for (option, word) in described.chain(named).chain(excluded) {
            if !names.iter().any(|name| fits(word, name)) {
                return Err(unknown_device(option, word, &names));
            }
        }
        let out = |name: &String| self.exclude.iter().any(|pattern| fits(pattern, name));
        match !self.exclude.is_empty() && names.iter().all(out) {
            true => Err(Failure::refused(format!(
                "--exclude {} leaves no block device to draw; leave it out, or name one with --device",
                self.exclude.join(" --exclude ")
            ))),
            false => Ok(()),
        }
    }

    /// Writes the pictures of a run into `sub` of the requested folders, and returns a list of the files, or for many
    /// their number and folder.
    pub fn write(
        &self,
        drawn: (&Run, &Analysis),
        options: &PictureOptions,
        sub: &str,
    ) -> Result<String, Failure> {
        if self.png.is_none() && self.svg.is_none() {
            return Ok(String::new());
        }
        let all = pictures(drawn.0, drawn.1, options);
        if all.is_empty() {
            return Ok("pictures  none: there is nothing to draw of what was asked\n".to_owned());
        }
        let folders = [(&self.svg, Form::Svg), (&self.png, Form::Png)];
        let mut told = String::new();
        for (folder, form) in folders.iter().filter_map(|(folder, form)| Some((folder.as_ref()?, *form))) {
            let folder = folder.join(sub);
            let shelf = ready(&folder, &all, form)?;
            write_all(&shelf, &all, form)?;
            told += &listed(&folder, &all, form);
        }
        Ok(told)
    }
}

/// Writes one picture as a PNG of this name into a folder.
pub fn put(folder: &Path, name: &str, picture: &Picture) -> Result<PathBuf, Failure> {
    let shelf = Shelf::named(folder).map_err(|error| {
        Failure::failed(format!("{}: cannot be made: {error}; name another folder", folder.display()))
    })?;
    let bytes = picture.bytes(Form::Png, &Painter::default()).map_err(Failure::failed)?;
    shelf.put(name, &bytes, PICTURE)?;
    Ok(shelf.path_of(name))
}

/// Kind of a picture, recognised by the name of the program that drew it.
const PICTURE: Kind = Kind {
    word: "picture",
    remedy: "move it, or name another folder",
    is_ours: |there, _| there[..there.len().min(HEAD)].windows(8).any(|part| part == b"plimsoll"),
};

/// Number of first bytes of a picture that are searched for that name.
const HEAD: usize = 4096;

/// Creates the folder; before anything is written, refuses if a file that plimsoll did not draw would be lost.
fn ready(folder: &Path, all: &[Picture], form: Form) -> Result<Shelf, Failure> {
    let shelf = Shelf::named(folder).map_err(|error| {
        Failure::failed(format!("{}: cannot be made: {error}; name another folder", folder.display()))
    })?;
    all.iter().try_for_each(|picture| shelf.gives_way(&picture.file(form), &[], PICTURE))?;
    Ok(shelf)
}

/// Writes all pictures, two at a time: they are independent, and a sheet takes as long as twenty others.
fn write_all(shelf: &Shelf, all: &[Picture], form: Form) -> Result<(), Failure> {
    let painter = Painter::default();
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), Failure> {
        while let Some(picture) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let bytes = picture.bytes(form, &painter).map_err(Failure::failed)?;
            shelf.put(&picture.file(form), &bytes, PICTURE)?;
        }
        Ok(())
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(2);
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended = running.into_iter().map(|thread| {
            thread.join().unwrap_or_else(|_| Err(Failure::failed("a picture could not be drawn")))
        });
        ended.collect::<Vec<_>>().into_iter().collect()
    })
}

/// Maximum number of files that are listed; more are only counted.
const LISTED: usize = 12;

/// Lists the pictures written to `folder`, or only counts them if there are more than [`LISTED`].
fn listed(folder: &Path, all: &[Picture], form: Form) -> String {
    let mut text = format!("pictures  {} {} in {}\n", all.len(), form.ending().to_uppercase(), short(folder));
    if all.len() > LISTED {
        return text;
    }
    for picture in all {
        let line = format!("  {}  {}", picture.file(form), picture.title);
        text.extend(line.chars().take(report::COLUMNS));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_is_inches_or_pixels() {
        assert_eq!(panel("4x3"), Ok((384, 288)));
        assert_eq!(panel("5.5x4"), Ok((528, 384)));
        assert_eq!(panel("600x400px"), Ok((600, 400)));
        for wrong in ["4", "4x", "x3", "axb", "4x3cm"] {
            assert!(panel(wrong).is_err_and(|words| words.contains("4x3")), "{wrong}");
        }
        for wrong in ["1x1", "100x3", "4x-3", "NaNx3"] {
            assert!(panel(wrong).is_err_and(|words| words.contains("150 to 4000")), "{wrong}");
        }
        assert_eq!(described("sda=physical drive"), Ok(("sda".into(), "physical drive".into())));
        assert!(described("sda").is_err() && described("=x").is_err() && described("sda= ").is_err());
    }
}
