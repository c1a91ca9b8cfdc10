//! How much of each family may be reported wrongly: the last measured shares. These only ever go down; the aim is
//! zero.

/// Ceilings in percent of everything that is judged in a family.
pub struct Ceilings {
    pub sure_and_wrong: f64,
    pub sure_of_a_wrong_cause: f64,
    /// Missed, or wrong and called no more than possible.
    pub missed_or_unsure: f64,
}

/// Family, then the three shares.
const CEILINGS: &[(&str, [f64; 3])] = &[
    ("buckets", [0.0, 0.0, 0.0]),
    ("bursts", [0.0, 0.0, 0.6]),
    ("busy", [0.0, 0.0, 1.6]),
    ("catalogue", [0.0, 0.0, 0.4]),
    // Of intervals that hold 95 %, five in a hundred miss: fewer would mean that they are too wide.
    ("coverage", [0.0, 0.0, 5.0]),
    ("custom", [0.1, 0.1, 0.2]),
    ("decided", [0.0, 0.0, 0.0]),
    ("headroom", [0.0, 0.0, 1.5]),
    ("held", [0.0, 0.0, 0.0]),
    ("map", [0.1, 0.0, 1.7]),
    ("margins", [0.0, 0.0, 0.0]),
    ("places", [0.0, 0.0, 1.0]),
    ("profiles", [0.0, 0.0, 0.0]),
    ("queues", [0.0, 0.0, 0.0]),
    ("sick", [0.1, 0.1, 7.4]),
    ("sizes", [0.0, 0.0, 1.0]),
    ("slow", [0.0, 0.0, 0.7]),
    ("together", [0.0, 0.0, 0.0]),
    ("waves", [0.0, 0.0, 0.0]),
];

/// Families without a full run on the page yet.
const NOT_KEPT: &[&str] = &["profiles"];

/// Returns the families whose tables are on the page.
pub fn families() -> impl Iterator<Item = &'static str> {
    CEILINGS.iter().map(|(family, _)| *family).filter(|family| !NOT_KEPT.contains(family))
}

pub fn ceilings(family: &str) -> Ceilings {
    let (_, shares) = CEILINGS.iter().find(|(name, _)| *name == family).unwrap();
    let [sure_and_wrong, sure_of_a_wrong_cause, missed_or_unsure] = *shares;
    Ceilings { sure_and_wrong, sure_of_a_wrong_cause, missed_or_unsure }
}
