//! The verdict in words, in the parts in which it is shown.

/// The verdict in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictWords {
    /// The word that is coloured: `MEETS`, `BELOW`, `CANNOT TELL`, …
    pub word: &'static str,
    /// What follows the word directly, starting with a blank or a colon, and the sentences that belong to it.
    pub rest: String,
    /// What stops the volume, and how far the run could see.
    pub stops: String,
}

impl VerdictWords {
    /// Returns the verdict as one text, without what stops the volume.
    pub fn sentence(&self) -> String {
        format!("{}{}", self.word, self.rest)
    }
}
