//! A standalone SVG as a PNG of the same picture, with the font that the page carries.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// The family of the embedded font, by its own name.
const FAMILY: &str = "Noto Sans";
/// Pixels of a picture at full size; a greater one is drawn smaller, so that a sheet of many devices stays in bounds.
const PIXELS_MAX: f64 = 24e6;

/// Why there is no PNG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotDrawn(String);

impl std::fmt::Display for NotDrawn {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "the picture cannot be drawn: {}; its SVG can be had with --svg", self.0)
    }
}

impl std::error::Error for NotDrawn {}

/// Draws pictures; made once, because it reads the font.
#[derive(Clone)]
pub struct Painter {
    fonts: Arc<fontdb::Database>,
}

impl Default for Painter {
    fn default() -> Painter {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(include_bytes!(concat!(env!("OUT_DIR"), "/regular.ttf")).to_vec());
        fonts.load_font_data(include_bytes!(concat!(env!("OUT_DIR"), "/bold.ttf")).to_vec());
        fonts.set_sans_serif_family(FAMILY);
        Painter { fonts: Arc::new(fonts) }
    }
}

impl Painter {
    /// The bytes of a PNG file of a standalone SVG, one of its units a pixel.
    pub fn png(&self, svg: &str) -> Result<Vec<u8>, NotDrawn> {
        let options =
            Options { fontdb: Arc::clone(&self.fonts), font_family: FAMILY.to_owned(), ..Options::default() };
        let tree = Tree::from_str(svg, &options).map_err(|error| NotDrawn(error.to_string()))?;
        let (wide, high) = (f64::from(tree.size().width()), f64::from(tree.size().height()));
        let scale = (PIXELS_MAX / (wide * high)).sqrt().min(1.0);
        let size = |length: f64| (length * scale).ceil() as u32;
        let mut pixels = Pixmap::new(size(wide), size(high))
            .ok_or_else(|| NotDrawn(format!("{wide} × {high} pixels is no size")))?;
        let transform = Transform::from_scale(scale as f32, scale as f32);
        resvg::render(&tree, transform, &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| NotDrawn(error.to_string()))
    }
}
