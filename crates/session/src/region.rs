//! Lines at the bottom of a terminal that are redrawn in place, even after the terminal has been resized.

use std::cell::RefCell;
use std::rc::Rc;

use crate::output;

/// Width assumed for a terminal that does not report one, in columns.
const COLUMNS: usize = 80;
/// Smallest width used, in columns; a narrower line could show no figures at all.
const COLUMNS_LEAST: usize = 20;

/// Returns the columns that a line may take: one less than the terminal has now, so that the line does not wrap.
pub(crate) fn room() -> usize {
    let said = || std::env::var("COLUMNS").ok()?.parse().ok();
    kernel::columns_of_stderr().or_else(said).unwrap_or(COLUMNS).max(COLUMNS_LEAST) - 1
}

/// Lengths of the lines now shown, which a terminal wraps when it becomes narrower. All clones share the same
/// lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Region {
    drawn: Rc<RefCell<Vec<usize>>>,
}

impl Region {
    /// Overwrites the lines shown with `lines`, each of which must be shorter than the terminal is wide.
    pub(crate) fn draw(&self, lines: &[String]) {
        output::region(self.above(), lines);
        self.drawn.replace(lines.iter().map(|line| line.chars().count()).collect());
    }

    /// Removes the lines shown.
    pub(crate) fn clear(&self) {
        if !self.drawn.borrow().is_empty() {
            self.draw(&[]);
        }
    }

    /// Rows of the terminal above the row in which the last line ends.
    fn above(&self) -> usize {
        rows(&self.drawn.borrow(), room() + 1).saturating_sub(1)
    }
}

/// Rows that lines of these lengths take in a terminal of `columns` columns.
fn rows(lengths: &[usize], columns: usize) -> usize {
    lengths.iter().map(|&length| length.div_ceil(columns.max(1)).max(1)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_a_narrower_terminal_has_wrapped_takes_the_rows_that_it_needs() {
        assert_eq!(rows(&[79, 10, 0], 80), 3);
        assert_eq!(rows(&[79, 10, 0], 40), 4);
        assert_eq!(rows(&[79, 41], 20), 4 + 3);
        assert_eq!(rows(&[], 80), 0);
    }
}
