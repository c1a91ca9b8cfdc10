//! A value as a cell of the text.

use super::asked::Units;
use super::colours::{Cell, Palette};
use super::columns::Form;

/// Format of cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style<'a> {
    /// Whether a unit follows each value.
    pub(super) human: bool,
    /// Number of decimals, if typed.
    pub(super) decimals: Option<u8>,
    /// Unit of amounts.
    pub(super) units: Units,
    /// Decimal point of the locale.
    pub(super) point: &'a str,
    /// Colours, if any.
    pub(super) palette: Option<&'a Palette>,
}

/// Prefixes of units, each 1,024 times the previous one, from kilobytes on.
const STEPS: [char; 6] = ['k', 'M', 'G', 'T', 'P', '?'];

impl Style<'_> {
    /// Number of decimals: as typed, or two.
    fn plain(self) -> usize {
        usize::from(self.decimals.unwrap_or(2))
    }

    /// Number of decimals before a unit: as typed, or one.
    fn beside_unit(self) -> usize {
        usize::from(self.decimals != Some(0))
    }

    /// Prints a cell of `width` with a blank before it, all blank if the value is unknown.
    pub(super) fn cell(self, form: Form, width: usize, value: Option<f64>) -> String {
        let Some(value) = value else { return " ".repeat(width + 1) };
        let (text, cell) = match form {
            Form::Number => self.number(value),
            Form::Percent => return self.share(value, width),
            Form::Amount | Form::Whole | Form::Kilobytes if self.human => {
                (self.with_unit(value / 2.0), Cell::Value(value / 2.0, 2))
            }
            Form::Amount => self.number(value / self.units.sectors()),
            Form::Whole => {
                let whole = (value / self.units.sectors()).floor();
                (format!("{whole:.0}"), Cell::Value(whole, 0))
            }
            Form::Kilobytes => self.number(value / 2.0),
        };
        self.coloured(cell, &text, width)
    }

    fn number(self, value: f64) -> (String, Cell) {
        (format!("{value:.*}", self.plain()), Cell::Value(value, self.plain()))
    }

    /// Prints `text` in a cell of `width` with a blank before it; its unit has no colour.
    fn coloured(self, cell: Cell, text: &str, width: usize) -> String {
        let number = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let unit = &text[number.len()..];
        let padded = format!(" {:>1$}", number.replace('.', self.point), width - unit.len().min(width));
        let number = self.palette.map_or_else(|| padded.clone(), |palette| palette.number(cell, &padded));
        number + unit
    }

    /// Prints a percentage; with units, its sign follows.
    fn percent(self, value: f64) -> String {
        match self.human {
            true => format!("{value:.*}%", self.beside_unit()),
            false => format!("{value:.*}", self.plain()),
        }
    }

    /// Prints a percentage in a cell of `width`.
    pub(super) fn share(self, value: f64, width: usize) -> String {
        let decimals = if self.human { self.beside_unit() } else { self.plain() };
        self.coloured(Cell::Share(value, decimals), &self.percent(value), width)
    }

    /// Formats a name, padding included, in the palette's colour.
    pub(super) fn item(self, name: &str) -> String {
        self.palette.map_or_else(|| name.to_owned(), |palette| palette.item(name))
    }

    fn with_unit(self, kilobytes: f64) -> String {
        let mut value = kilobytes;
        let mut step = 0;
        while value >= 1024.0 && step + 1 < STEPS.len() {
            value /= 1024.0;
            step += 1;
        }
        format!("{value:.*}{}", self.beside_unit(), STEPS[step])
    }
}
