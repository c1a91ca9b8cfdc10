//! Colours by what they stand for. The page gives each its dark-mode value and its dashes, by the colour itself.

use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, FontStyle, FontTransform, IntoFont as _, RGBColor, TextStyle};

/// What a line, a level or a word stands for.
///
/// The first three are of the palette of Okabe and Ito, which stays apart for colour-blind eyes; shapes and dashes say
/// the same a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Reads.
    Read,
    /// Reads, the 99th percentile.
    ReadTail,
    /// Writes.
    Write,
    /// Writes, the 99th percentile.
    WriteTail,
    /// Flushes, and what the device counts.
    Flush,
    /// What is claimed.
    Claim,
    /// A marker at a place of the x axis.
    Marker,
    /// Words and numbers.
    Word,
    /// The frame.
    Frame,
    /// The grid.
    Grid,
    /// Every second band.
    Band,
    /// The page itself, behind labels that stand in the way of a line.
    Page,
}

/// Light and dark value of each colour; the dark one is for the page's style sheet.
const VALUES: [(Ink, u32, u32); 12] = [
    (Ink::Read, 0x0072b2, 0x56b4e9),
    (Ink::ReadTail, 0x0072b3, 0x56b4e9),
    (Ink::Write, 0xd55e00, 0xe69f00),
    (Ink::WriteTail, 0xd55e01, 0xe69f00),
    (Ink::Flush, 0x009e73, 0x2fc99a),
    (Ink::Claim, 0xa04080, 0xe090c0),
    (Ink::Marker, 0x444b54, 0xb8c0ca),
    (Ink::Word, 0x333a41, 0xd0d6dc),
    (Ink::Frame, 0x808890, 0x808890),
    (Ink::Grid, 0xe3e6e9, 0x343a41),
    (Ink::Band, 0xf1f3f5, 0x20252a),
    (Ink::Page, 0xffffff, 0x15181b),
];

/// Inks whose lines are dashed.
const DASHED: [Ink; 4] = [Ink::ReadTail, Ink::WriteTail, Ink::Claim, Ink::Marker];

/// Every length is drawn at this many units a pixel, so that whole numbers are fine enough.
pub const UNITS: i32 = 2;

impl Ink {
    /// The colour in the light.
    pub fn colour(self) -> RGBColor {
        let light = self.values().0;
        RGBColor((light >> 16) as u8, (light >> 8) as u8, light as u8)
    }

    fn values(self) -> (u32, u32) {
        let found = VALUES.iter().find(|(ink, _, _)| *ink == self);
        found.map_or((0, 0), |&(_, light, dark)| (light, dark))
    }

    /// The colour in the light as a page writes it, for which the page knows the dark one.
    pub fn hex(self) -> String {
        format!("#{:06X}", self.values().0)
    }

    /// Text of `pixels` height in this colour, upright.
    pub fn text<'a>(self, pixels: i32, anchor: (HPos, VPos)) -> TextStyle<'a> {
        // The SVG backend divides sizes by this.
        const TO_EM: f64 = 1.24;
        let size = f64::from(pixels * UNITS) * TO_EM;
        let font = (FAMILY, size, FontStyle::Normal).into_font().transform(FontTransform::None);
        TextStyle { font, color: self.colour().to_backend_color(), pos: Pos::new(anchor.0, anchor.1) }
    }
}

/// The embedded subset first, then what the viewer has.
pub const FAMILY: &str = "plimsoll,sans-serif";

/// Style rules that dash lines and, within a dark page, give every ink its dark value.
pub fn rules() -> String {
    let dash = 5 * UNITS;
    let gap = 3 * UNITS;
    let dashed: Vec<String> =
        DASHED.iter().map(|ink| format!("[stroke=\"#{:06X}\"]", ink.values().0)).collect();
    format!("{}{{stroke-dasharray:{dash} {gap}}}", dashed.join(","))
}

/// Style rules for a dark background.
pub fn dark_rules() -> String {
    VALUES
        .iter()
        .map(|(_, light, dark)| {
            format!(
                ".chart [stroke=\"#{light:06X}\"]{{stroke:#{dark:06x}}}.chart [fill=\"#{light:06X}\"]{{fill:#{dark:06x}}}"
            )
        })
        .collect()
}

/// Width of `text` in pixels, a little on the safe side: the advances of Noto Sans in classes, in thousandths of an em.
pub fn width(text: &str, pixels: i32) -> i32 {
    let thousandths: i32 = text.chars().map(advance).sum();
    (thousandths * pixels).div_euclid(1000) + 1
}

fn advance(letter: char) -> i32 {
    match letter {
        'i' | 'j' | 'l' | ' ' | '.' | ',' | '\'' | ':' => 280,
        'f' | 'r' | 't' | '(' | ')' | '/' | '-' | 'I' => 420,
        'm' | 'w' | 'M' | 'W' | '%' => 930,
        'A'..='Z' => 690,
        _ => 600,
    }
}
