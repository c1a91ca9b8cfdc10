//! Tables in DiskSpd's text: cells between bars, columns found by their heads, percentiles by their names.

/// Returns the cells of a row, without the bars with which the source of a page surrounds it. The name of a row of
/// totals or means (`total:`) is a cell, or precedes the first figure in the same cell.
pub(super) fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let inside = line.strip_prefix('|').unwrap_or(line);
    let cells = inside.strip_suffix('|').unwrap_or(inside).split('|');
    let mut cells: Vec<&str> = cells.map(|cell| cell.trim().trim_matches('*')).collect();
    if let Some((name, figure)) = cells[0].split_once(':') {
        cells[0] = name;
        cells.splice(1..1, Some(figure.trim()).filter(|figure| !figure.is_empty()));
    }
    cells
}

/// Column heads of the current table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Columns {
    heads: Vec<String>,
}

impl Columns {
    /// Reads the column heads in `line`.
    pub fn of(line: &str) -> Columns {
        Columns { heads: cells(line).into_iter().map(str::to_owned).collect() }
    }

    /// Adds the cells that a row of means lacks: its name stands for all columns before `head`.
    pub fn widen(&self, cells: &mut Vec<&str>, head: &str) {
        let before = self.heads.iter().position(|known| known == head).unwrap_or(0);
        if cells.len() + before == self.heads.len() + 1 {
            cells.splice(1..1, vec![""; before.saturating_sub(1)]);
        }
    }

    /// Whether a row has a cell under each head.
    pub fn fit(&self, cells: &[&str]) -> bool {
        cells.len() == self.heads.len()
    }

    /// Returns the cell under `head`.
    pub fn cell<'t>(&self, cells: &[&'t str], head: &str) -> Option<&'t str> {
        let index = self.heads.iter().position(|known| known == head)?;
        cells.get(index).copied()
    }
}

/// Returns the percentile of a row, in per cent: `min`, `25th`, `3-nines`, `max`.
pub(super) fn percentile(name: &str) -> Option<f64> {
    match name {
        "min" | "Min" => Some(0.0),
        "max" | "Max" => Some(100.0),
        _ => {
            if let Some(nines) = name.strip_suffix("-nines") {
                let nines: i32 = nines.parse().ok().filter(|nines| (1..=9).contains(nines))?;
                let digits = "9".repeat(nines as usize);
                return format!("{}.{}", &digits[..2.min(digits.len())], digits.get(2..).unwrap_or("0"))
                    .parse()
                    .ok();
            }
            name.strip_suffix("th")?.parse().ok().filter(|percent| (0.0..100.0).contains(percent))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nines_are_per_cent() {
        assert_eq!(percentile("3-nines"), Some(99.9));
        assert_eq!(percentile("9-nines"), Some(99.9999999));
        assert_eq!(percentile("95th"), Some(95.0));
        assert_eq!(percentile("many"), None);
    }
}
