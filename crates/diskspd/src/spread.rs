//! `-rd`: the distribution of random offsets over a target, as typed.

use super::error::Fault;
use super::profile::{Distribution, DistributionKind, Range};
use super::size::{leading_number, leading_size};

/// Reads `pct90/10:0/10:5/20` or `abs90/10G:10/20G`; any I/O that the list leaves over goes to the rest of the target.
///
/// # Errors
/// [`Fault`], with its place.
pub fn distribution(text: &str, block: u32) -> Result<Distribution, Fault> {
    let kinds = [("pct", DistributionKind::Percent), ("abs", DistributionKind::Absolute)];
    let known = kinds.into_iter().find_map(|(name, kind)| Some((kind, text.strip_prefix(name)?)));
    let Some((kind, list)) = known else {
        let why = "a distribution begins with pct (percent of the target) or abs (sizes)";
        return Err(Fault::whole(why).meant("pct90/10"));
    };
    let mut ranges = Vec::new();
    let mut rest = list;
    loop {
        let at = text.len() - rest.len();
        let (range, behind) =
            range(rest, kind, block).map_err(|fault| Fault { at: at + fault.at, ..fault })?;
        ranges.push(range);
        let at = text.len() - behind.len();
        rest = match behind.strip_prefix(':') {
            Some(next) => next,
            None if behind.is_empty() => break,
            None => {
                return Err(Fault::at(
                    at,
                    format!("'{behind}' is not expected; ranges are separated by colons"),
                ));
            }
        };
    }
    Ok(Distribution::new(kind, ranges))
}

fn range(text: &str, kind: DistributionKind, block: u32) -> Result<(Range, &str), Fault> {
    let (io, rest) = leading_number(text)?;
    let io = u32::try_from(io).ok().filter(|&io| io <= 100);
    let io = io.ok_or_else(|| Fault::whole("a share of the I/O is 0 to 100 percent"))?;
    let at = text.len() - rest.len();
    let Some(target) = rest.strip_prefix('/') else {
        return Err(Fault::at(at, "a slash must follow the share of the I/O, then the part of the target"));
    };
    let shifted = |fault: Fault| Fault { at: fault.at + at + 1, instead: None, ..fault };
    let (length, rest) = match kind {
        DistributionKind::Percent => leading_number(target),
        DistributionKind::Absolute => leading_size(target, block),
    }
    .map_err(|error| shifted(error.into()))?;
    if length == 0 {
        return Err(Fault::at(at + 1, "a part of the target cannot be empty"));
    }
    if kind == DistributionKind::Percent && length > 100 {
        return Err(Fault::at(at + 1, format!("{length} percent of the target: 100 are all of it")));
    }
    Ok((Range { io, length }, rest))
}
