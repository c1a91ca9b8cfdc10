//! The gallery: its commands are run, and pictures are taken of the pages that they leave.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::*;

/// Most bytes of a picture, and of all pictures: every clone of the repository contains them.
const PICTURE_MOST: u64 = 60_000;
const ALL_MOST: u64 = 1_000_000;
/// Window of the browser in pixels, and the scale of the picture.
const WINDOW: &str = "1280,960";
const SMALLER: &str = "0.75";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// A section of the page: the command, and the picture of its result.
struct Exhibit {
    command: String,
    /// A file that it needs in its folder, if any: name and text.
    file: Option<(String, String)>,
    picture: PathBuf,
}

fn exhibits() -> Vec<Exhibit> {
    let page = fs::read_to_string(docs().join("gallery.md")).unwrap();
    let block = |section: &str, kind: &str| -> Option<String> {
        let (_, rest) = section.split_once(&format!("```{kind}\n"))?;
        rest.split_once("```").map(|(text, _)| text.to_owned())
    };
    let sections = page.split("\n## ").skip(1);
    let exhibit = |section: &str| {
        let (_, link) = section.split_once("](gallery/").unwrap();
        let (name, _) = link.split_once(')').unwrap();
        let named =
            section.split_once("job file `").map(|(_, rest)| rest.split_once('`').unwrap().0.to_owned());
        Exhibit {
            command: block(section, "sh").unwrap().trim_end().to_owned(),
            file: named.zip(block(section, "ini")),
            picture: docs().join("gallery").join(name),
        }
    };
    sections.map(exhibit).collect()
}

/// Runs the command of `exhibit` in `folder`; returns the page that it leaves.
fn page_of(exhibit: &Exhibit, folder: &Folder) -> PathBuf {
    let here = folder.make_dir("here");
    if let Some((name, text)) = &exhibit.file {
        fs::write(here.join(name), text).unwrap();
    }
    let bin = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let line = format!("{} --out {}", exhibit.command, here.display());
    let run = ended(folder.through("sh", &["-c", &line]).current_dir(&here).env("PATH", path));
    // Any verdict will do; "below" and "cannot tell" have exit codes of their own.
    assert!(matches!(run.code, Some(0 | 3 | 4)), "{line}: {:?} {}", run.code, run.err);
    let files = fs::read_dir(&here).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "html")).collect();
    // A comparison also leaves a page for each side; its own is written last.
    pages.sort_by_key(|path| fs::metadata(path).unwrap().modified().unwrap());
    pages.pop().unwrap_or_else(|| panic!("{line} leaves no page: {}", run.out))
}

/// Takes a picture of the first screen of `page` in a real browser; without one, takes the first drawing of the run.
fn pictured(page: &Path, picture: &Path, folder: &Folder) {
    fs::create_dir_all(picture.parent().unwrap()).unwrap();
    if has("chromium") {
        let mut browser = Command::new("chromium");
        let shot = format!("--screenshot={}", picture.display());
        let profile = format!("--user-data-dir={}", folder.text("browser"));
        let sizes = [format!("--window-size={WINDOW}"), format!("--force-device-scale-factor={SMALLER}")];
        browser.args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            &shot,
            &profile,
        ]);
        let taken = ended(browser.args(sizes).arg(format!("file://{}", page.display())));
        assert_eq!(taken.code, Some(0), "{}", taken.err);
        return;
    }
    let run = page.with_extension("plimsoll");
    let drawn = ended(&mut folder.plimsoll(&["report", &text(&run), "--png", "@/drawings"]));
    assert_eq!(drawn.code, Some(0), "{}", drawn.err);
    let mut drawings: Vec<PathBuf> =
        fs::read_dir(folder.path("drawings")).unwrap().map(|entry| entry.unwrap().path()).collect();
    drawings.sort();
    fs::copy(&drawings[0], picture).unwrap();
}

/// Reduces the picture to at most 256 colours: browsers render text in many shades of few colours.
fn with_few_colours(picture: &Path) {
    let mut reader = png::Decoder::new(BufReader::new(fs::File::open(picture).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    let bytes_each = frame.color_type.samples();
    // White stays white; if too many colours are left, the steps become coarser.
    for step in [16_u8, 32, 64] {
        let mut palette: Vec<[u8; 3]> = Vec::new();
        let mut indexed = Vec::with_capacity(pixels.len() / bytes_each);
        for pixel in pixels.chunks_exact(bytes_each) {
            let level = |channel: u8| (channel / step) as u16 * 255 / (255 / step) as u16;
            let colour = [pixel[0], pixel[1], pixel[2]].map(|channel| level(channel).min(255) as u8);
            let known = palette.iter().position(|other| *other == colour);
            let place = known.unwrap_or_else(|| {
                palette.push(colour);
                palette.len() - 1
            });
            indexed.push(place);
        }
        if palette.len() > 256 {
            continue;
        }
        let mut encoder = png::Encoder::new(fs::File::create(picture).unwrap(), frame.width, frame.height);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(palette.concat());
        encoder.set_compression(png::Compression::High);
        encoder.set_filter(png::Filter::NoFilter);
        let indexed: Vec<u8> = indexed.into_iter().map(|place| place as u8).collect();
        encoder.write_header().unwrap().write_image_data(&indexed).unwrap();
        return;
    }
    panic!("{} has more than 256 colours at four steps a channel", picture.display());
}

/// Set `PLIMSOLL_REGENERATE=1` to take the pictures anew.
#[test]
fn every_command_of_the_gallery_leaves_a_page_and_every_picture_is_there_and_small() {
    let exhibits = exhibits();
    assert!(exhibits.len() >= 7, "{} exhibits", exhibits.len());
    let is_made_anew = std::env::var_os("PLIMSOLL_REGENERATE").is_some();
    let mut all = fs::metadata(docs().join("terminal.svg")).unwrap().len();
    for exhibit in &exhibits {
        let folder = Folder::new();
        let page = page_of(exhibit, &folder);
        if is_made_anew {
            pictured(&page, &exhibit.picture, &folder);
            with_few_colours(&exhibit.picture);
        }
        let png = fs::read(&exhibit.picture).unwrap();
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "{}", exhibit.picture.display());
        let bytes = png.len() as u64;
        assert!(bytes <= PICTURE_MOST, "{}: {bytes} bytes", exhibit.picture.display());
        all += bytes;
    }
    assert!(all <= ALL_MOST, "{all} bytes of pictures");
    let kept = fs::read_dir(docs().join("gallery")).unwrap().count();
    assert_eq!(kept, exhibits.len(), "a picture that no section shows");
}
