//! Colours of the text, chosen by `S_COLORS` and `S_COLORS_SGR` (iostat(1) of sysstat 12.6, "ENVIRONMENT").

/// Select Graphic Rendition parameters, between `ESC [` and `m`, for each kind of cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Palette {
    high: String,
    item: String,
    middle: String,
    number: String,
    zero: String,
}

impl Default for Palette {
    fn default() -> Self {
        let [high, item, middle, number, zero] =
            ["31;1", "32;22", "35;1", "34;1", "34;22"].map(str::to_owned);
        Palette { high, item, middle, number, zero }
    }
}

/// Percentage from which a share is high; from `MIDDLE` on it is in the middle.
const HIGH: f64 = 75.0;
const MIDDLE: f64 = 50.0;

/// The properties of a cell that determine its colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell {
    /// A percentage, and its number of decimals.
    Share(f64, usize),
    /// Any other value, and its number of decimals.
    Value(f64, usize),
}

impl Palette {
    /// Returns the colours of the text, given the values of both variables; `None`: no colours. If the first variable
    /// does not decide, `unsaid` applies: a terminal has colours.
    pub fn chosen(
        colours: Option<&str>,
        renditions: Option<&str>,
        unsaid: Option<Palette>,
    ) -> Option<Palette> {
        let palette = match colours {
            Some("always") => Some(Palette::default()),
            Some("never") => None,
            _ => unsaid,
        };
        palette.map(|palette| palette.with(renditions.unwrap_or_default()))
    }

    /// Changes the colours by `H=31;1:I=32;22:…`; as in sysstat, invalid renditions are ignored.
    fn with(mut self, renditions: &str) -> Palette {
        for (kind, rendition) in renditions.split(':').filter_map(|part| part.split_once('=')) {
            let place = match kind {
                "H" => &mut self.high,
                "I" => &mut self.item,
                "M" => &mut self.middle,
                "N" => &mut self.number,
                "Z" => &mut self.zero,
                _ => continue,
            };
            if !rendition.is_empty() && rendition.bytes().all(|byte| byte.is_ascii_digit() || byte == b';') {
                rendition.clone_into(place);
            }
        }
        self
    }

    /// Prints a name, with the surrounding blanks.
    pub(super) fn item(&self, name: &str) -> String {
        // Control characters in a name would be executed by the terminal.
        let clean: String =
            name.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect();
        painted(&self.item, &clean)
    }

    /// Prints a number, with the leading blanks.
    pub(super) fn number(&self, cell: Cell, text: &str) -> String {
        let (value, decimals) = match cell {
            Cell::Share(share, _) if share >= HIGH => return painted(&self.high, text),
            Cell::Share(share, _) if share >= MIDDLE => return painted(&self.middle, text),
            Cell::Share(value, decimals) | Cell::Value(value, decimals) => (value, decimals),
        };
        // A value counts as zero if it is printed as zero.
        let is_zero = value < 0.5 / 10_f64.powi(decimals as i32);
        painted(if is_zero { &self.zero } else { &self.number }, text)
    }
}

fn painted(rendition: &str, text: &str) -> String {
    format!("\u{1b}[{rendition}m{text}\u{1b}[0m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_or_else_a_terminal_choose() {
        let terminal = || Some(Palette::default());
        let chosen = |colours, unsaid| Palette::chosen(colours, None, unsaid).is_some();
        assert!(chosen(Some("always"), None) && chosen(None, terminal()) && chosen(Some("auto"), terminal()));
        assert!(!chosen(Some("never"), terminal()) && !chosen(None, None));
    }

    #[test]
    fn a_rendition_replaces_that_of_its_kind_alone() {
        let palette = Palette::default().with("H=33;1:N=bad:X=1:Z=");
        assert_eq!(palette, Palette { high: "33;1".to_owned(), ..Palette::default() });
        assert_eq!(palette.number(Cell::Share(80.0, 2), "80.00"), "\u{1b}[33;1m80.00\u{1b}[0m");
        assert_eq!(palette.number(Cell::Value(80.0, 2), "80.00"), "\u{1b}[34;1m80.00\u{1b}[0m");
        assert_eq!(palette.number(Cell::Share(0.4, 0), "0"), "\u{1b}[34;22m0\u{1b}[0m");
    }
}
