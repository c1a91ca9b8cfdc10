//! Colours by what they stand for. The page gives each its dark-mode value and its dashes, by the colour itself.

/// What a line, a level or a word stands for.
///
/// Lines are of the palette of Okabe and Ito, which stays apart for colour-blind eyes; dashes and marks along the line say
/// the same a second time, for print. A colour stands for one ink, so that a style rule can find its lines by it: where two
/// inks look alike, they differ in the last digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Reads.
    Read,
    /// Reads, the 99th percentile.
    ReadTail,
    /// Reads that were merged.
    ReadMerged,
    /// Writes.
    Write,
    /// Writes, the 99th percentile.
    WriteTail,
    /// Writes that were merged.
    WriteMerged,
    /// Discards.
    Discard,
    /// Discards that were merged.
    DiscardMerged,
    /// Flushes, and what the device counts.
    Flush,
    /// Requests waiting or being served.
    Queue,
    /// The device had something to do.
    Busy,
    /// CPUs with nothing to do.
    Idle,
    /// CPUs in the kernel.
    System,
    /// CPUs in programs.
    User,
    /// CPUs in programs of low priority.
    Nice,
    /// CPUs idle while a task waits for a disk.
    Iowait,
    /// CPUs taken by the hypervisor.
    Steal,
    /// What the caps of both directions say of places that were not measured.
    Model,
    /// The same of reads alone.
    ReadModel,
    /// The same of writes alone.
    WriteModel,
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
    /// A span in which nobody looked.
    Gap,
    /// The page itself, behind labels that stand in the way of a line.
    Page,
}

/// Light and dark value of each colour; the dark one is for the page's style sheet.
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

/// Inks whose lines are dashed: lengths of dash and gap, in pixels.
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

/// Every length is drawn at this many units a pixel, so that whole numbers are fine enough.
pub const UNITS: i32 = 2;

impl Ink {
    fn values(self) -> (u32, u32) {
        let found = VALUES.iter().find(|(ink, _, _)| *ink == self);
        found.map_or((0, 0), |&(_, light, dark)| (light, dark))
    }

    /// The colour in the light as a page writes it, for which the page knows the dark one.
    pub fn hex(self) -> String {
        format!("#{:06X}", self.values().0)
    }

    /// Every ink.
    pub fn all() -> impl Iterator<Item = Ink> {
        VALUES.iter().map(|row| row.0)
    }

    /// How a page's script calls it.
    pub fn name(self) -> String {
        format!("{self:?}")
    }

    /// The colour on a dark page.
    pub fn dark_hex(self) -> String {
        format!("#{:06X}", self.values().1)
    }

    /// Tenths of a pixel that its lines are wide: what was not measured is thinner than what was.
    pub fn tenths(self) -> i32 {
        match self {
            Ink::Model | Ink::ReadModel | Ink::WriteModel => 10,
            _ => 16,
        }
    }

    /// Lengths of dashes and gaps in pixels; empty for a line drawn through.
    pub fn dash(self) -> &'static [i32] {
        DASHED.iter().find(|(ink, _)| *ink == self).map_or(&[], |(_, lengths)| lengths)
    }
}

/// Style rules that dash lines, by their colour.
pub fn rules() -> String {
    let rule = |(ink, lengths): &(Ink, &[i32])| {
        let lengths: Vec<String> = lengths.iter().map(|length| (length * UNITS).to_string()).collect();
        format!("polyline[stroke=\"{}\"]{{stroke-dasharray:{}}}", ink.hex(), lengths.join(" "))
    };
    DASHED.iter().map(rule).collect()
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

/// `text` as far as it fits `wide` pixels in bold, with an ellipsis where something is left out.
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
