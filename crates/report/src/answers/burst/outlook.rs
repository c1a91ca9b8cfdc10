//! The progress of a drain, in words.

use analysis::{AlikeEnd, ComingEnd, Outlook, Resource};

use crate::words::numbers;
use crate::words::wrap::clean;

/// Returns the amount delivered so far, and when the burst may end.
pub fn outlook(outlook: &Outlook) -> String {
    let amount = match outlook.resource {
        Resource::Iops => format!("{} operations", numbers::count(outlook.amount)),
        Resource::Bytes => numbers::size(outlook.amount as u64),
    };
    let seen = format!("no fall after {}, {amount}", numbers::span(outlook.seconds));
    match &outlook.end {
        ComingEnd::Named { left_s } if *left_s < 0.0 => {
            format!("{seen}: by the policy the burst should have ended {} ago", numbers::span(-left_s))
        }
        ComingEnd::Named { left_s } => {
            format!(
                "{seen}: by the policy the burst ends in {}, if the bucket was full",
                numbers::span(*left_s)
            )
        }
        ComingEnd::Alike(ends) => {
            let ends: Vec<String> = ends.iter().map(end).collect();
            format!("{seen}: with full credits {}", ends.join("; "))
        }
        ComingEnd::NoneAlike => format!("{seen}: no published burst of this rate lasts longer"),
    }
}

fn end(end: &AlikeEnd) -> String {
    let title = clean(&end.title);
    match end.left_s {
        None => format!("{title} bursts for a time that nobody publishes"),
        Some((least, most)) if most - least < 0.1 * most => {
            format!("{title} would last another {}", numbers::span(most))
        }
        Some((least, most)) => {
            let (least, most) = (least.min(most), least.max(most));
            format!("{title} would last another {} to {}", numbers::span(least), numbers::span(most))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_how_far_it_is_and_what_is_to_come() {
        let of = |end| outlook(&Outlook { resource: Resource::Iops, seconds: 200.0, amount: 6e5, end });
        assert_eq!(
            of(ComingEnd::Named { left_s: 1800.0 }),
            "no fall after 3 min, 600,000 operations: by the policy the burst ends in 30 min, if the bucket was full"
        );
        let gp2 = AlikeEnd { title: "gp2".to_owned(), left_s: Some((1560.0, 3000.0)) };
        assert_eq!(
            of(ComingEnd::Alike(vec![gp2])),
            "no fall after 3 min, 600,000 operations: with full credits gp2 would last another 26 min to 50 min"
        );
    }
}
