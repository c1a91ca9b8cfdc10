//! Follows the loops of a shell, of PowerShell and of batch files from line to line.

use super::call::is_of_a_prompt;
use super::word::Piece;

/// The loops that are open at a line.
#[derive(Debug, Default)]
pub(super) struct Loops {
    /// Number of loops between `do` and `done`.
    open: usize,
    /// Whether the line before began a loop whose `do` is still to come.
    headed: bool,
    /// Columns of the lines that opened the braces of a loop.
    braces: Vec<usize>,
}

impl Loops {
    /// Follows the words of a line, and returns whether a command in it runs in a loop.
    pub fn follow(&mut self, pieces: &[Piece]) -> bool {
        let begins = pieces.iter().position(|piece| !is_of_a_prompt(&piece.text));
        let pieces = begins.map_or(pieces, |at| &pieces[at..]);
        let word = |at: usize| pieces.get(at).map_or("", |piece| piece.text.as_str());
        let has = |text: &str| pieces.iter().any(|piece| piece.text == text);
        let heads = match word(0) {
            "for" => word(2) == "in" || word(1).starts_with("(("),
            "while" | "until" => true,
            _ => false,
        };
        let column = pieces.first().map_or(0, |first| first.column);
        let is_each = |name: &str| ["%", "foreach-object"].contains(&name.to_ascii_lowercase().as_str());
        let piped = pieces.windows(2).any(|pair| is_each(&pair[0].text) && pair[1].text.starts_with('{'));
        let last = pieces.last().map_or("", |last| last.text.as_str());
        let each = piped || word(0).eq_ignore_ascii_case("foreach") || heads && last.ends_with('{');
        if word(0).starts_with('}') {
            self.braces.retain(|open| *open < column);
        }
        self.braces.extend(Some(column).filter(|_| each && last.ends_with('{')));
        // The loop of a batch file ends with its line.
        let batch = heads && has("do") && word(1).starts_with('%');
        // In prose, `do` follows another word.
        let is_body =
            |pair: &[Piece]| pair[1].text == "do" && (pair[0].text == ";" || pair[0].text.ends_with("))"));
        let begins = heads && pieces.windows(2).any(is_body) || self.headed && word(0) == "do";
        self.open += usize::from(begins);
        self.headed = heads && !has("do") || self.headed && pieces.is_empty();
        let looped = self.open > 0 || !self.braces.is_empty() || each || batch || has("xargs");
        self.open = self.open.saturating_sub(usize::from(has("done")));
        looped
    }
}
