//! Whether requests really reach a device, and warnings if they do not.

use super::asked::{IopingRequest, Mix};

/// Properties of the target, determined before the first request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Name of the file system, if it keeps its data in memory.
    pub in_memory: Option<String>,
    /// Whether the target is a character device.
    pub is_character_device: bool,
    /// Share of the region without data: holes, and space that is reserved but was never written.
    pub empty_share: f64,
    /// Share of the region that stayed in the page cache after a request to drop it.
    pub kept_share: f64,
    /// Part of `kept_share` that the cache dropped once dirty pages had been written back.
    pub dirty_share: f64,
}

/// Warnings for stderr, printed once; empty if requests reach the device.
pub fn untrue(asked: &IopingRequest, evidence: &Evidence) -> Vec<String> {
    let mut said = Vec::new();
    let path = &asked.target;
    if evidence.is_character_device {
        return vec![format!(
            "{path} is a character device: a driver answers, no disk. Name a directory, a file or a block device"
        )];
    }
    if let Some(filesystem) = &evidence.in_memory {
        return vec![format!(
            "{path} lies in memory ({filesystem}): no device is reached. Name a directory on the volume to be measured"
        )];
    }
    if asked.mix() == Mix::Write {
        if asked.cached && !asked.direct && asked.sync == super::asked::Sync::None {
            said.push(
                "with -C writes end in the page cache and nothing is flushed. Leave -C out to reach the device"
                    .to_owned(),
            );
        }
        return said;
    }
    if evidence.empty_share > 0.0 {
        said.push(format!(
            "{} of what is read holds no data (a hole, or space that was never written): such reads end \
             in the file system. Write the file whole first, or name a directory, where ioping writes its own",
            percent(evidence.empty_share)
        ));
    }
    if asked.direct {
        return said;
    }
    if asked.cached {
        said.push(
            "with -C reads come from the page cache where it holds them. Leave -C out, or add -D, to reach the device"
                .to_owned(),
        );
    } else if evidence.kept_share - evidence.dirty_share >= LEAST {
        said.push(format!(
            "the page cache keeps {} of what is read although it was asked to forget it: such reads do not reach \
             the device. Add -D",
            percent(evidence.kept_share - evidence.dirty_share),
        ));
    } else if evidence.dirty_share >= LEAST {
        said.push(format!(
            "{path} had data in the page cache that was not yet written back; that has been done, \
             so that reads reach the device"
        ));
    }
    said
}

/// Smallest share worth a warning: a mounted file system caches less of its own device, and requests rarely hit it.
const LEAST: f64 = 0.005;

fn percent(share: f64) -> String {
    match share {
        share if share >= 1.0 => "all".to_owned(),
        share if share < 0.01 => "less than 1 %".to_owned(),
        share => format!("{:.0} %", share * 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asked::Sync;

    fn told(change: impl Fn(&mut IopingRequest), evidence: Evidence) -> String {
        let mut asked = IopingRequest { target: "t".to_owned(), ..IopingRequest::untyped() };
        change(&mut asked);
        untrue(&asked, &evidence).join(" ")
    }

    #[test]
    fn a_target_that_is_read_is_passed_over_in_silence() {
        assert_eq!(told(|_| (), Evidence { kept_share: 0.001, ..Evidence::default() }), "");
        assert_eq!(told(|a| a.writes = 1, Evidence { empty_share: 1.0, ..Evidence::default() }), "");
        assert_eq!(told(|a| a.direct = true, Evidence { kept_share: 1.0, ..Evidence::default() }), "");
    }

    #[test]
    fn each_reason_is_named_with_a_remedy() {
        let of = |evidence| told(|_| (), evidence);
        let holes = of(Evidence { empty_share: 0.5, ..Evidence::default() });
        assert!(holes.contains("50 %") && holes.contains("Write the file"), "{holes}");
        assert!(of(Evidence { empty_share: 1.0, ..Evidence::default() }).starts_with("all of"));
        assert!(of(Evidence { empty_share: 0.001, ..Evidence::default() }).contains("less than 1 %"));
        let memory = of(Evidence { in_memory: Some("tmpfs".to_owned()), ..Evidence::default() });
        assert!(memory.contains("tmpfs") && memory.contains("Name a directory"), "{memory}");
        let kept = of(Evidence { kept_share: 1.0, dirty_share: 0.25, ..Evidence::default() });
        assert!(kept.contains("75 %") && kept.contains("Add -D"), "{kept}");
        let dirty = of(Evidence { kept_share: 1.0, dirty_share: 1.0, ..Evidence::default() });
        assert!(dirty.contains("has been done"), "{dirty}");
        let device = of(Evidence { is_character_device: true, ..Evidence::default() });
        assert!(device.contains("character device"), "{device}");
    }

    #[test]
    fn what_was_asked_for_is_said_too_where_it_means_the_cache() {
        assert!(told(|a| a.cached = true, Evidence::default()).contains("page cache"));
        let writes = |a: &mut IopingRequest| (a.cached, a.writes) = (true, 1);
        assert!(told(writes, Evidence::default()).contains("nothing is flushed"));
        assert_eq!(told(|a| (writes(a), a.sync = Sync::Data).1, Evidence::default()), "");
    }
}
