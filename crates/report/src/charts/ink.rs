//! Colours by their meaning. A page finds the dark-mode value and the dashes of a line by its colour.

/// Meaning of the colour of a line, a level or a word.
///
/// Lines use the palette of Okabe and Ito, which colour-blind readers can distinguish; dashes and marks along the
/// line repeat the distinction for print. No two inks have the same colour, so that a style rule can select lines
/// by colour: inks that look alike differ in the last digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Reads.
    Read,
    /// 99th percentile of reads.
    ReadTail,
    /// Merged reads.
    ReadMerged,
    /// Writes.
    Write,
    /// 99th percentile of writes.
    WriteTail,
    /// Merged writes.
    WriteMerged,
    /// Discards.
    Discard,
    /// Merged discards.
    DiscardMerged,
    /// Flushes, and figures counted by the device.
    Flush,
    /// Requests waiting or being served.
    Queue,
    /// Time in which the device was busy.
    Busy,
    /// CPU time spent idle.
    Idle,
    /// CPU time in the kernel.
    System,
    /// CPU time in user programs.
    User,
    /// CPU time in programs of low priority.
    Nice,
    /// CPU time spent idle while a task waits for a disk.
    Iowait,
    /// CPU time taken by the hypervisor.
    Steal,
    /// Predictions of the caps of both directions, for values that were not measured.
    Model,
    /// Predictions of the caps on reads, for values that were not measured.
    ReadModel,
    /// Predictions of the caps on writes, for values that were not measured.
    WriteModel,
    /// Claims.
    Claim,
    /// A marker at a place on the x axis.
    Marker,
    /// Words and numbers.
    Word,
    /// The frame.
    Frame,
    /// The grid.
    Grid,
    /// Every second band of the background.
    Band,
    /// A span that was not observed.
    Gap,
    /// The page background, drawn behind labels that a line would cross.
    Page,
}

/// Light and dark value of each colour; the page's style sheet uses the dark one.
const VALUES: [(Ink, u32, u32); 28] = [
    (Ink::Read, 0x0072b2, 0x56b4e9),
    (Ink::ReadTail, 0x0072b3, 0x56b4e9),
    (Ink::ReadMerged, 0x56b4e9, 0xa6d8f5),
    (Ink::Write, 0xd55e00, 0xe69f00),
    (Ink::WriteTail, 0xd55e01, 0xe69f00),
    (Ink::WriteMerged, 0xe69f00, 0xf5cf6e),
    (Ink::Discard, 0x009e74, 0x2fc99a),
    (Ink::DiscardMerged, 0xcc79a7, 0xe3a9c9),
    (Ink::Flush, 0x009e73, 0x2fc99a),
    (Ink::Queue, 0x24292f, 0xd8dde3),
    (Ink::Busy, 0x24292e, 0xd8dde2),
    (Ink::Idle, 0x8b949e, 0x8b949f),
    (Ink::System, 0xd55e02, 0xe69f01),
    (Ink::User, 0x0072b4, 0x56b4ea),
    (Ink::Nice, 0x009e75, 0x2fc99b),
    (Ink::Iowait, 0xe69f01, 0xf5cf6f),
    (Ink::Steal, 0xcc79a8, 0xe3a9ca),
    (Ink::Model, 0x444b55, 0xb8c0cb),
    (Ink::ReadModel, 0x0072b5, 0x56b4eb),
    (Ink::WriteModel, 0xd55e03, 0xe69f02),
    (Ink::Claim, 0xa04080, 0xe090c0),
    (Ink::Marker, 0x444b54, 0xb8c0ca),
    (Ink::Word, 0x333a41, 0xd0d6dc),
    (Ink::Frame, 0x808890, 0x808890),
    (Ink::Grid, 0xe3e6e9, 0x343a41),
    (Ink::Band, 0xf1f3f5, 0x20252a),
    (Ink::Gap, 0xe9e2d4, 0x3a3428),
    (Ink::Page, 0xffffff, 0x15181b),
];

/// Alternating lengths of dash and gap in pixels, for inks with dashed lines.
const DASHED: [(Ink, &[i32]); 13] = [
    (Ink::ReadTail, &[5, 3]),
    (Ink::WriteTail, &[5, 3]),
    (Ink::Model, &[2, 3]),
    (Ink::ReadModel, &[2, 3]),
    (Ink::WriteModel, &[2, 3]),
    (Ink::Claim, &[5, 3]),
    (Ink::Marker, &[5, 3]),
    (Ink::ReadMerged, &[6, 2]),
    (Ink::WriteMerged, &[6, 2, 2, 2]),
    (Ink::DiscardMerged, &[2, 2]),
    (Ink::Iowait, &[6, 2, 2, 2]),
    (Ink::Nice, &[2, 2]),
    (Ink::Steal, &[6, 2]),
];

/// Drawing units in a pixel: lengths are whole numbers of units, which is fine enough.
pub const UNITS: i32 = 2;

impl Ink {
    fn values(self) -> (u32, u32) {
        let found = VALUES.iter().find(|(ink, _, _)| *ink == self);
        found.map_or((0, 0), |&(_, light, dark)| (light, dark))
    }

    /// The colour as written in a light page; the page's dark rules select by it.
    pub fn hex(self) -> String {
        format!("#{:06X}", self.values().0)
    }

    /// Every ink.
    pub fn all() -> impl Iterator<Item = Ink> {
        VALUES.iter().map(|row| row.0)
    }

    /// Name of the ink in a page's script.
    pub fn name(self) -> String {
        format!("{self:?}")
    }

    /// The colour on a dark page.
    pub fn dark_hex(self) -> String {
        format!("#{:06X}", self.values().1)
    }

    /// Width of lines in tenths of a pixel: modelled values are thinner than measured ones.
    pub fn tenths(self) -> i32 {
        match self {
            Ink::Model | Ink::ReadModel | Ink::WriteModel => 10,
            _ => 16,
        }
    }

    /// Alternating lengths of dash and gap in pixels; empty for a solid line.
    pub fn dash(self) -> &'static [i32] {
        DASHED.iter().find(|(ink, _)| *ink == self).map_or(&[], |(_, lengths)| lengths)
    }
}

/// Returns style rules that dash lines, selected by colour.
pub fn rules() -> String {
    let rule = |(ink, lengths): &(Ink, &[i32])| {
        let lengths: Vec<String> = lengths.iter().map(|length| (length * UNITS).to_string()).collect();
        format!("polyline[stroke=\"{}\"]{{stroke-dasharray:{}}}", ink.hex(), lengths.join(" "))
    };
    DASHED.iter().map(rule).collect()
}

/// Returns style rules for a dark background.
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

/// Returns the width of `text` in pixels, rounded up: an estimate from classes of Noto Sans advances, in
/// thousandths of an em.
pub fn width(text: &str, pixels: i32) -> i32 {
    let thousandths: i32 = text.chars().map(advance).sum();
    (thousandths * pixels).div_euclid(1000) + 1
}

/// Returns as much of `text` as fits `wide` pixels in bold, with an ellipsis if anything is left out.
pub fn shortened(text: &str, pixels: i32, wide: i32) -> String {
    let fits = |text: &str| width(text, pixels) * 11 / 10 <= wide;
    if fits(text) {
        return text.to_owned();
    }
    let mut kept: Vec<char> = text.chars().collect();
    while !kept.is_empty() && !fits(&format!("{}…", kept.iter().collect::<String>())) {
        kept.pop();
    }
    kept.into_iter().chain(['…']).collect()
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
