//! Pieces removed from an input before it is read, recorded so that every place still has its original column.

/// Pieces removed from a text, in order: line, column in the remaining text, and length in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cuts {
    marks: Vec<(u32, u32, u32)>,
}

/// Most pieces recorded, twelve bytes each; beyond them, columns are those of the remaining text.
const MARKS_MOST: usize = 1 << 20;

impl Cuts {
    /// Records that `width` characters preceded `column` of `line`, both counted from 1.
    pub fn push(&mut self, line: u32, column: u32, width: u32) {
        if width > 0 && self.marks.len() < MARKS_MOST {
            self.marks.push((line, column, width));
        }
    }

    /// Returns the original column of the character at `column` of `line` in the remaining text.
    pub fn column(&self, line: u32, column: u32) -> u32 {
        let from = self.marks.partition_point(|mark| mark.0 < line);
        let here = self.marks[from..].iter().take_while(|mark| mark.0 == line && mark.1 <= column);
        column + here.map(|mark| mark.2).sum::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_counts_what_was_taken_out_before_it() {
        let mut cuts = Cuts::default();
        cuts.push(1, 1, 4);
        cuts.push(2, 3, 5);
        cuts.push(2, 3, 1);
        assert_eq!(
            (cuts.column(1, 1), cuts.column(2, 2), cuts.column(2, 3), cuts.column(3, 7)),
            (5, 2, 9, 7)
        );
    }
}
