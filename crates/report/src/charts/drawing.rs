//! A drawing as SVG: rectangles, lines, circles, polygons and words, written but never parsed.

use super::ink::{Ink, UNITS, rules, shortened, width};
use crate::base64::base64;
use crate::markup::{Element, Markup, element, markup};

/// CSS font family: the embedded subset first, then the viewer's own fonts.
const FAMILY: &str = "plimsoll,sans-serif";

/// A place in drawing units: [`UNITS`] to a pixel.
pub(crate) type Spot = (i32, i32);

/// Converts a place from pixels to drawing units.
pub(crate) fn in_units((x, y): (i32, i32)) -> Spot {
    (x * UNITS, y * UNITS)
}

/// Shapes drawn so far; later ones lie on top of earlier ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Canvas {
    drawn: Markup,
    /// Left and right edge of each panel in drawing units, if the panels stand side by side in one row.
    panels: Vec<(i32, i32)>,
    /// A separate form for narrow pages, if these need more than single panels of this canvas.
    narrow: Option<Box<Narrow>>,
}

/// A canvas for narrow pages.
#[derive(Clone, Debug, PartialEq)]
struct Narrow {
    canvas: Canvas,
    /// Width and height in pixels.
    size: (i32, i32),
}

/// A line's colour and its width in drawing units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stroke {
    pub ink: Ink,
    pub width: i32,
}

/// Returns a stroke `tenths` tenths of a pixel wide.
pub(crate) fn stroke(ink: Ink, tenths: i32) -> Stroke {
    Stroke { ink, width: (tenths * UNITS / 10).max(1) }
}

/// Fill and edge of a closed figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Filled(Ink),
    /// Filled, with an edge of another colour around it.
    Both(Ink, Stroke),
    /// Filled with this opacity in percent, so that shapes below show through.
    Tinted(Ink, u8),
}

/// Appearance of words: colour, height in pixels, weight, and the point of the words that is at the given place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub ink: Ink,
    pub pixels: i32,
    pub weight: Weight,
    pub across: Across,
    pub up: Up,
}

/// Weight of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Normal,
    Bold,
}

/// End of the words that is at the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Across {
    Start,
    Middle,
    End,
}

/// Height of the words that is at the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Up {
    /// The upper edge of the letters.
    Top,
    /// The middle of the letters.
    Centre,
    /// A little below the letters.
    Below,
    /// The baseline.
    Base,
}

impl Type {
    /// Words that start at the place and are centred on its height.
    pub fn beside(ink: Ink, pixels: i32) -> Type {
        Type { ink, pixels, weight: Weight::Normal, across: Across::Start, up: Up::Centre }
    }

    /// Words that start at the place, with their baseline on it.
    pub fn from(ink: Ink, pixels: i32) -> Type {
        Type { up: Up::Base, ..Type::beside(ink, pixels) }
    }

    pub fn bold(self) -> Type {
        Type { weight: Weight::Bold, ..self }
    }

    pub fn placed(self, across: Across, up: Up) -> Type {
        Type { across, up, ..self }
    }
}

impl Canvas {
    /// Records that a panel spans the full height between the left edge `from` and the right edge `to`.
    pub fn stands(&mut self, from: i32, to: i32) {
        self.panels.push((from, to));
    }

    /// Sets the form that a narrow page shows instead of the drawing.
    pub fn narrowed(&mut self, canvas: Canvas, size: (i32, i32)) {
        self.narrow = Some(Box::new(Narrow { canvas, size }));
    }

    /// Draws a rectangle between two opposite corners.
    pub fn rectangle(&mut self, one: Spot, other: Spot, paint: Paint) {
        let (left, top) = (one.0.min(other.0), one.1.min(other.1));
        let shape = element("rect")
            .with("x", left)
            .with("y", top)
            .with("width", one.0.max(other.0) - left)
            .with("height", one.1.max(other.1) - top);
        self.drawn.push(paint.on(shape).empty());
    }

    pub fn circle(&mut self, centre: Spot, radius: i32, paint: Paint) {
        let shape = element("circle").with("cx", centre.0).with("cy", centre.1).with("r", radius);
        self.drawn.push(paint.on(shape).empty());
    }

    pub fn polygon(&mut self, corners: &[Spot], paint: Paint) {
        self.drawn.push(paint.on(element("polygon")).with("points", points(corners)).empty());
    }

    /// Draws a straight solid line, even if its ink is dashed.
    pub fn ruled(&mut self, from: Spot, to: Spot, line: Stroke) {
        let shape = line.on(element("line"));
        let shape = shape.with("x1", from.0).with("y1", from.1).with("x2", to.0).with("y2", to.1);
        self.drawn.push(shape.empty());
    }

    /// Draws a line through `places`, with the dashes of its ink.
    pub fn line(&mut self, places: &[Spot], line: Stroke) {
        let shape = line.on(element("polyline").with("fill", "none"));
        self.drawn.push(shape.with("points", points(places)).empty());
    }

    /// Draws the outline of an area and shades the area in the same colour.
    pub fn shaded(&mut self, places: &[Spot], line: Stroke) {
        let shape = element("polyline").with("fill", line.ink.hex()).with("fill-opacity", ".35");
        self.drawn.push(line.on(shape).with("points", points(places)).empty());
    }

    /// Draws `words` at a place, or nothing if they are empty.
    pub fn words(&mut self, words: &str, at: Spot, look: Type) {
        if words.is_empty() {
            return;
        }
        let mut text = element("text").with("x", at.0).with("y", at.1);
        // Offsets are relative to the height of the letters, because renderers differ in their baseline attributes.
        text = match look.up {
            Up::Top => text.with("dy", "0.76em"),
            Up::Centre => text.with("dy", "0.5ex"),
            Up::Below => text.with("dy", "-0.5ex"),
            Up::Base => text,
        };
        text = match look.across {
            Across::Start => text,
            Across::Middle => text.with("text-anchor", "middle"),
            Across::End => text.with("text-anchor", "end"),
        };
        text = text.with("font-family", FAMILY).with("font-size", look.pixels * UNITS);
        text = text.with("fill", look.ink.hex());
        if look.weight == Weight::Bold {
            text = text.with("font-weight", "bold");
        }
        self.drawn.push(text.holding(words));
    }

    /// Draws another canvas, shifted down by `units`.
    pub fn lower(&mut self, other: Canvas, units: i32) {
        let group = element("g").with("transform", format_args!("translate(0 {units})"));
        self.drawn.push(group.holding(other.drawn));
    }

    /// Draws another canvas, unshifted.
    pub fn add(&mut self, other: Canvas) {
        self.drawn.push(other.drawn);
    }
}

impl Stroke {
    fn on(self, shape: Element) -> Element {
        shape.with("stroke", self.ink.hex()).with("stroke-width", self.width)
    }
}

impl Paint {
    fn on(self, shape: Element) -> Element {
        match self {
            Paint::Filled(ink) => shape.with("fill", ink.hex()),
            Paint::Both(ink, edge) => edge.on(shape.with("fill", ink.hex())),
            Paint::Tinted(ink, percent) => {
                shape.with("fill", ink.hex()).with("fill-opacity", format_args!(".{percent:02}"))
            }
        }
    }
}

fn points(places: &[Spot]) -> String {
    let places: Vec<String> = places.iter().map(|(x, y)| format!("{x},{y}")).collect();
    places.join(" ")
}

/// A finished drawing with its title and description.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    pub(crate) title: String,
    /// Description of the drawing, for readers who cannot see it.
    pub(crate) description: String,
    /// Width and height in pixels.
    pub(crate) size: (i32, i32),
    pub(crate) canvas: Canvas,
}

/// Whether the file of a drawing contains its font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Font {
    /// Inside the file, so that the drawing looks the same everywhere.
    Embedded,
    /// Left to the renderer.
    Left,
}

/// Height of a file's title bar, in pixels.
const TITLE: i32 = 26;
/// Height of the title's letters, in pixels.
const TITLE_LETTER: i32 = 13;
/// Margin left and right of the title, in pixels.
const TITLE_MARGIN: i32 = 8;

impl Drawing {
    /// Returns the drawing for a page, which supplies the style and the font.
    pub fn svg(&self) -> Markup {
        self.around("chart", self.canvas.drawn.clone())
    }

    /// Returns [`Drawing::svg`] and its replacement for a narrow page: the narrow form if there is one, or else
    /// each of several panels separately. `name` is unique in the page.
    pub(crate) fn on_page(&self, name: &str) -> Markup {
        let panels = &self.canvas.panels;
        match &self.canvas.narrow {
            Some(narrow) => {
                return markup![self.around("chart whole", self.canvas.drawn.clone()), self.narrow(narrow)];
            }
            None if panels.len() < 2 => return self.svg(),
            None => {}
        }
        // A browser matches styles of a `use` copy only from the copied element downwards, so that element carries
        // the class.
        let drawn = element("g")
            .with("id", format_args!("drawn-{name}"))
            .with("class", "chart")
            .holding(self.canvas.drawn.clone());
        let part = |(place, panel): (usize, &(i32, i32))| {
            let label = format!("{}, part {} of {}", self.title, place + 1, panels.len());
            self.part(*panel, &label, name)
        };
        markup![self.around("chart whole", drawn), panels.iter().enumerate().map(part).collect::<Markup>()]
    }

    /// Returns the form for a narrow page.
    fn narrow(&self, narrow: &Narrow) -> Markup {
        let (wide, high) = narrow.size;
        element("svg")
            .with("class", "chart part")
            .with("role", "img")
            .with("aria-label", self.title.as_str())
            .with("viewBox", format_args!("0 0 {} {}", wide * UNITS, high * UNITS))
            .holding(narrow.canvas.drawn.clone())
    }

    /// Returns one panel, as a reference to the whole drawing already in the page.
    fn part(&self, (from, to): (i32, i32), label: &str, name: &str) -> Markup {
        element("svg")
            .with("class", "chart part")
            .with("role", "img")
            .with("aria-label", label)
            .with("viewBox", format_args!("{from} 0 {} {}", to - from, self.size.1 * UNITS))
            .holding(element("use").with("href", format_args!("#drawn-{name}")).empty())
    }

    /// Returns the drawing as a separate file: light theme, with its dashes.
    pub fn file(&self, font: Font) -> String {
        let faces = if font == Font::Embedded { font_faces() } else { String::new() };
        let style = format!("{faces}text{{font-family:{FAMILY}}}{}", rules());
        let ground = element("rect").with("width", "100%").with("height", "100%").with("fill", "#ffffff");
        let style = element("style").holding(Markup::trusted(style));
        self.around("chart", markup![style, ground.empty(), self.canvas.drawn.clone()]).into()
    }

    fn around(&self, class: &str, drawn: Markup) -> Markup {
        let (wide, high) = (self.size.0 * UNITS, self.size.1 * UNITS);
        element("svg")
            .with("xmlns", "http://www.w3.org/2000/svg")
            .with("class", class)
            .with("role", "img")
            .with("viewBox", format_args!("0 0 {wide} {high}"))
            .holding(markup![
                element("title").holding(&self.title),
                element("desc").holding(&self.description),
                drawn,
            ])
    }

    /// Adds a title above the drawing. Only files need this: a page writes the title itself.
    pub(crate) fn titled(self, title: &str) -> Drawing {
        let (wide, high) = self.size;
        let mut canvas = Canvas::default();
        let title = shortened(title, TITLE_LETTER, wide - 2 * TITLE_MARGIN);
        let look = Type::from(Ink::Word, TITLE_LETTER).bold();
        canvas.words(&title, (TITLE_MARGIN * UNITS, (TITLE - 8) * UNITS), look);
        canvas.lower(self.canvas, TITLE * UNITS);
        Drawing { canvas, size: (wide, high + TITLE), ..self }
    }

    /// Adds `pieces` in small letters below the drawing, as many on a line as fit. Only files need this: a page
    /// gives them once elsewhere.
    pub(crate) fn footed(mut self, pieces: &[String]) -> Drawing {
        let (wide, high) = self.size;
        let lines = foot_lines(pieces, wide - 2 * TITLE_MARGIN);
        for (place, line) in lines.iter().enumerate() {
            let base = high + FOOT_ROOM + FOOT_LINE * (place as i32 + 1) - 4;
            let at = in_units((TITLE_MARGIN, base));
            self.canvas.words(line, at, Type::from(Ink::Marker, FOOT_LETTER));
        }
        let foot = if lines.is_empty() { 0 } else { 2 * FOOT_ROOM + FOOT_LINE * lines.len() as i32 };
        Drawing { size: (wide, high + foot), ..self }
    }
}

/// Height of the letters of the small print below a file's drawing, in pixels.
const FOOT_LETTER: i32 = 10;
/// Height of a line of the small print, in pixels.
const FOOT_LINE: i32 = 14;
/// Room above and below the small print, in pixels.
const FOOT_ROOM: i32 = 4;
/// Separator between two pieces on a line.
const BETWEEN: &str = " · ";

/// Joins pieces into lines of at most `wide` pixels; breaks a piece that is longer than a line.
fn foot_lines(pieces: &[String], wide: i32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        let joined = lines.last().map(|line| format!("{line}{BETWEEN}{piece}"));
        match joined.filter(|line| width(line, FOOT_LETTER) <= wide) {
            Some(line) => {
                lines.pop();
                lines.push(line);
            }
            None => lines.extend(broken(piece, wide)),
        }
    }
    lines
}

/// Most lines for one piece. A command line may be long, and its options show the request.
const FOOT_LINES_MAX: usize = 3;

/// Breaks one piece between words. Shortens the last line if it is still too long, and any word longer than a line.
fn broken(piece: &str, wide: i32) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in piece.split(' ').filter(|word| !word.is_empty()) {
        let last = lines.pop().unwrap_or_default();
        let joined = if last.is_empty() { word.to_owned() } else { format!("{last} {word}") };
        match width(&joined, FOOT_LETTER) <= wide || lines.len() + 1 == FOOT_LINES_MAX {
            true => lines.push(joined),
            false => lines.extend([last, word.to_owned()]),
        }
    }
    lines.iter().filter(|line| !line.is_empty()).map(|line| fitted(line, wide)).collect()
}

/// Returns the line, shortened if it does not fit.
fn fitted(line: &str, wide: i32) -> String {
    if width(line, FOOT_LETTER) <= wide { line.to_owned() } else { shortened(line, FOOT_LETTER, wide) }
}

/// The font, by weight: Noto Sans, cut down to the characters that charts use (Copyright 2012 Google Inc., Apache
/// License 2.0).
pub(super) static FONT: [(&str, &[u8]); 2] = [
    ("400", include_bytes!(concat!(env!("OUT_DIR"), "/regular.ttf"))),
    ("700", include_bytes!(concat!(env!("OUT_DIR"), "/bold.ttf"))),
];

/// Returns the font as `@font-face` rules with `data:` addresses.
pub(crate) fn font_faces() -> String {
    let face = |(weight, font): (&str, &[u8])| {
        let data = base64(font);
        format!(
            "@font-face{{font-family:plimsoll;font-weight:{weight};src:url(data:font/ttf;base64,{data})}}"
        )
    };
    FONT.map(face).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_is_there_and_small() {
        let faces = font_faces();
        assert!(faces.contains("data:font/ttf;base64,AAEAAA"), "no TrueType header");
        assert!(faces.len() < 60_000, "{} bytes", faces.len());
    }
}
