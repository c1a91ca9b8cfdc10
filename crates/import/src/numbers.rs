//! Numbers in the notation of other locales and spreadsheets: `1.290,10`, `1,290.10`.

/// Fewest numbers that must differ from the notation of the tools.
const LEAST: usize = 2;

/// Returns `text` with points before decimals and nothing between thousands; `None` if it already has that form.
///
/// `1,234` means thousands if other numbers of the text have points; if none has, its meaning is unknown and it is
/// not changed.
pub(crate) fn pointed(text: &str) -> Option<String> {
    let has_points = numbers(text)
        .any(|(_, number)| number.contains('.') && !number.contains(',') && number.matches('.').count() == 1);
    let (mut left, mut at, mut changed) = (String::with_capacity(text.len()), 0, 0);
    for (start, number) in numbers(text) {
        let Some(plain) = plain(number, has_points).filter(|_| !is_list(text, start)) else { continue };
        left.push_str(&text[at..start]);
        left.push_str(&plain);
        (at, changed) = (start + number.len(), changed + 1);
    }
    left.push_str(&text[at..]);
    (changed >= LEAST).then_some(left)
}

/// Returns runs of digits with commas and points between them, with their offsets.
fn numbers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.');
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(|c: char| c.is_ascii_digit())?;
        let length = text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
        at = start + length;
        Some((start, text[start..at].trim_end_matches([',', '.'])))
    })
}

/// Whether the number at `start` begins one of fio's lists of counts by direction: `total=152,148,0,5`.
fn is_list(text: &str, start: usize) -> bool {
    ["total=", "short=", "dropped="].iter().any(|name| text[..start].ends_with(name))
}

/// Returns `number` with a point before its decimals and no other separator; `None` if nothing changes or it is not
/// a number.
fn plain(number: &str, has_points: bool) -> Option<String> {
    let last = number.rfind([',', '.']).filter(|_| number.contains(','))?;
    let (whole, decimals) = (&number[..last], &number[last + 1..]);
    let sign = &number[last..=last];
    let groups: Vec<&str> = whole.split([',', '.']).collect();
    let in_groups = groups[1..].iter().all(|group| group.len() == 3) && (1..=3).contains(&groups[0].len());
    let one_sign = !whole.contains(sign);
    match sign {
        _ if groups.len() > 1 && (!in_groups || (!one_sign && decimals.len() != 3)) => None,
        "," if groups.len() == 1 && decimals.len() == 3 && groups[0].len() <= 3 => {
            has_points.then(|| format!("{whole}{decimals}"))
        }
        _ if !one_sign => Some(format!("{}{decimals}", groups.concat())),
        _ => Some(format!("{}.{decimals}", groups.concat())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_get_points_and_thousands_nothing() {
        let of = |text: &str| pointed(text);
        assert_eq!(of("avg=1290,10, sd=3,5").unwrap(), "avg=1290.10, sd=3.5");
        assert_eq!(of("avg=1.290,10, sd=3,5").unwrap(), "avg=1290.10, sd=3.5");
        assert_eq!(of("IOPS=1,234, BW=4,936KiB, io=48.2MiB").unwrap(), "IOPS=1234, BW=4936KiB, io=48.2MiB");
        assert_eq!(of("a=1,290.10 b=1,234,567").unwrap(), "a=1290.10 b=1234567");
        assert_eq!(of("bw=1,234 iops=2,5 x=3,25").unwrap(), "bw=1,234 iops=2.5 x=3.25");
        assert_eq!(of("total=152,148,0,5 short=0,0,0,0 1.5"), None);
        assert_eq!(of("a=1.5, b=2.5, 3"), None);
    }
}
