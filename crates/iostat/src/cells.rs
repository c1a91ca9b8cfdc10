//! One value as a cell of the text.

use super::asked::Units;
use super::columns::Form;

/// How cells are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style<'a> {
    /// Units beside each value.
    pub(super) human: bool,
    /// Decimals, where chosen.
    pub(super) decimals: Option<u8>,
    /// Unit of amounts.
    pub(super) units: Units,
    /// Decimal point of the locale.
    pub(super) point: &'a str,
}

/// Units of 1,024 each, from kilobytes on.
const STEPS: [char; 6] = ['k', 'M', 'G', 'T', 'P', '?'];

impl Style<'_> {
    /// Two decimals, or what was chosen.
    fn plain(self) -> usize {
        usize::from(self.decimals.unwrap_or(2))
    }

    /// One decimal beside a unit, or none where none was chosen.
    fn beside_unit(self) -> usize {
        usize::from(self.decimals != Some(0))
    }

    /// A cell of `width` with a blank before it; blank altogether where the value is not known.
    pub(super) fn cell(self, form: Form, width: usize, value: Option<f64>) -> String {
        let Some(value) = value else { return " ".repeat(width + 1) };
        let text = match form {
            Form::Number => format!("{value:.*}", self.plain()),
            Form::Percent => self.percent(value),
            Form::Amount | Form::Whole | Form::Kilobytes if self.human => self.with_unit(value / 2.0),
            Form::Amount => format!("{:.*}", self.plain(), value / self.units.sectors()),
            Form::Whole => format!("{:.0}", (value / self.units.sectors()).floor()),
            Form::Kilobytes => format!("{:.*}", self.plain(), value / 2.0),
        };
        format!(" {:>width$}", text.replace('.', self.point))
    }

    /// Per cent, with its sign beside it for people.
    fn percent(self, value: f64) -> String {
        match self.human {
            true => format!("{value:.*}%", self.beside_unit()),
            false => format!("{value:.*}", self.plain()),
        }
    }

    /// A share of the CPUs.
    pub(super) fn share(self, value: f64) -> String {
        format!(" {:>7}", self.percent(value).replace('.', self.point))
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
