//! Options on how many I/Os a call submits or reaps, and on when a full queue is refilled.

use workload::Batching;

/// Options as typed; each field is the option named in its comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchOptions {
    /// `iodepth_batch`; 0: the depth; `None`: not typed.
    pub submit: Option<u32>,
    /// `iodepth_batch_complete_min`; 0: reap without waiting, which a worker always does.
    pub least: u32,
    /// `iodepth_batch_complete_max`; `None`: equal to `least`, if that is above 1.
    pub most: Option<u32>,
    /// `iodepth_low`; 0: the depth.
    pub low: Option<u32>,
}

/// Batching of a job's workers that keep `depth` I/Os in flight.
pub(super) fn of(batch: BatchOptions, depth: u32) -> Batching {
    let BatchOptions { submit, least, most, low } = batch;
    let or_depth = |count: u32| if count == 0 { depth } else { count.min(depth) };
    let reap_least = least.clamp(1, depth.max(1));
    Batching {
        submit_most: submit.map(or_depth),
        reap_least,
        reap_most: most
            .or((least > 1).then_some(least))
            .map(|most| most.clamp(reap_least, depth.max(reap_least))),
        refill_at: low.map(or_depth).filter(|&low| low < depth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batching(batch: BatchOptions) -> Batching {
        of(batch, 32)
    }

    #[test]
    fn what_is_not_typed_is_left_to_planning() {
        assert_eq!(batching(BatchOptions::default()), Batching::BEST);
    }

    #[test]
    fn counts_are_kept_within_the_depth_and_zero_is_all_of_it() {
        let of = |submit, low| {
            batching(BatchOptions { submit: Some(submit), low: Some(low), ..Default::default() })
        };
        assert_eq!((of(1, 8).submit_most, of(1, 8).refill_at), (Some(1), Some(8)));
        assert_eq!((of(0, 0).submit_most, of(0, 0).refill_at), (Some(32), None));
        assert_eq!(of(100, 100).submit_most, Some(32));
    }

    #[test]
    fn the_most_that_is_taken_back_is_the_least_unless_more_is_asked_for() {
        let of = |least, most| {
            let batching = batching(BatchOptions { least, most, ..Default::default() });
            (batching.reap_least, batching.reap_most)
        };
        assert_eq!(of(8, None), (8, Some(8)));
        assert_eq!(of(8, Some(4)), (8, Some(8)));
        assert_eq!(of(0, Some(16)), (1, Some(16)));
        assert_eq!(of(1, Some(100)), (1, Some(32)));
    }
}
