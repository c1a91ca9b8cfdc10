//! Conversion of a standalone SVG to a PNG of the same picture, with the font that the page contains.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use super::drawing::FONT;

/// Family name in the embedded font.
const FAMILY: &str = "Noto Sans";
/// Most pixels of a picture. A larger one is scaled down, so that a sheet of many devices stays within bounds.
const PIXELS_MAX: f64 = 24e6;

/// Reason why there is no PNG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PngError(String);

impl std::fmt::Display for PngError {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "the picture cannot be drawn: {}; its SVG can be had with --svg", self.0)
    }
}

impl std::error::Error for PngError {}

/// Draws pictures. Creating it reads the font, so it is created once.
#[derive(Clone)]
pub struct Painter {
    fonts: Arc<fontdb::Database>,
}

impl Default for Painter {
    fn default() -> Painter {
        let mut fonts = fontdb::Database::new();
        FONT.iter().for_each(|(_, font)| fonts.load_font_data(font.to_vec()));
        fonts.set_sans_serif_family(FAMILY);
        Painter { fonts: Arc::new(fonts) }
    }
}

impl Painter {
    /// Returns a PNG of a standalone SVG, with one unit for each pixel.
    pub fn png(&self, svg: &str) -> Result<Vec<u8>, PngError> {
        let options =
            Options { fontdb: Arc::clone(&self.fonts), font_family: FAMILY.to_owned(), ..Options::default() };
        let tree = Tree::from_str(svg, &options).map_err(|error| PngError(error.to_string()))?;
        let (wide, high) = (f64::from(tree.size().width()), f64::from(tree.size().height()));
        let scale = (PIXELS_MAX / (wide * high)).sqrt().min(1.0);
        let size = |length: f64| (length * scale).ceil() as u32;
        let mut pixels = Pixmap::new(size(wide), size(high))
            .ok_or_else(|| PngError(format!("{wide} × {high} pixels is no size")))?;
        let transform = Transform::from_scale(scale as f32, scale as f32);
        resvg::render(&tree, transform, &mut pixels.as_mut());
        pixels.encode_png().map(|png| signed(&png)).map_err(|error| PngError(error.to_string()))
    }
}

/// Length of the PNG signature and the first chunk, the header.
const HEADER_END: usize = 33;

/// Returns the PNG with a chunk that names the program that drew it (PNG specification, 11.3.3.2: `Software`).
fn signed(png: &[u8]) -> Vec<u8> {
    let words = concat!("tEXtSoftware\0plimsoll ", env!("CARGO_PKG_VERSION")).as_bytes();
    let (header, rest) = png.split_at(HEADER_END.min(png.len()));
    let length = (words.len() - 4) as u32;
    [header, &length.to_be_bytes(), words, &crc(words).to_be_bytes(), rest].concat()
}

/// Returns the checksum of a chunk (PNG specification, annex D).
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
    let add = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc));
    !bytes.iter().fold(u32::MAX, add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_specification() {
        assert_eq!(crc(b"IEND"), 0xae42_6082);
    }
}
