//! Credits at the start of a simulated or throttled volume: parsed as typed, and checked against the bucket sizes.

use crate::{Bucket, Limits, Resource};

/// Credits in the buckets at the start of a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum BucketStart {
    /// As on a new volume.
    #[default]
    Initial,
    /// Nothing, as directly after a burst.
    Empty,
    /// This share of the size, 0 to 1. Timed bursts are ready unless it is 0.
    Share(f64),
    /// Charged operations in buckets of operations, at most their size; other buckets are as on a new volume.
    Operations(f64),
    /// Bytes in buckets of bytes, at most their size; other buckets are as on a new volume.
    Bytes(f64),
}

impl BucketStart {
    /// Description of the forms that [`BucketStart::parse`] accepts, in words that follow "write".
    pub const WORDS: &str =
        "full, empty, a percentage such as 40%, operations such as 200000 or bytes such as 5GiB";

    /// Parses a typed word: a name, a share of the size, operations, or bytes if it has such a unit.
    pub fn parse(typed: &str) -> Option<BucketStart> {
        let number = |word: &str| word.parse().ok().filter(|number: &f64| number.is_finite());
        match typed {
            "full" => return Some(BucketStart::Share(1.0)),
            "empty" => return Some(BucketStart::Empty),
            _ => {}
        }
        if let Some(percent) = typed.strip_suffix('%') {
            let share = number(percent).map(|percent| percent / 100.0);
            return share.filter(|share| (0.0..=1.0).contains(share)).map(BucketStart::Share);
        }
        match number(typed).filter(|operations| *operations >= 0.0) {
            Some(operations) => Some(BucketStart::Operations(operations)),
            None => workload::size(typed).ok().map(|size| BucketStart::Bytes(size.0 as f64)),
        }
    }

    /// Returns the share of a bucket that is filled at the start; the bucket has this `size` and holds `initial` on
    /// a new volume. Between 0 and 1 if [`Limits::hold`] accepts the start.
    pub(crate) fn share(self, resource: Resource, (size, initial): (f64, f64)) -> f64 {
        match self {
            BucketStart::Empty => 0.0,
            BucketStart::Share(share) => share.clamp(0.0, 1.0),
            BucketStart::Operations(held) if resource == Resource::Iops => (held / size).min(1.0),
            BucketStart::Bytes(held) if resource == Resource::Bytes => (held / size).min(1.0),
            BucketStart::Initial | BucketStart::Operations(_) | BucketStart::Bytes(_) => initial / size,
        }
    }

    /// Whether a burst that ends with time may begin at once.
    pub(crate) fn is_ready(self) -> bool {
        !matches!(self, BucketStart::Empty | BucketStart::Share(0.0))
    }
}

impl Limits {
    /// Checks that the buckets are large enough for `start`.
    ///
    /// # Errors
    /// Description of the size of the buckets.
    pub fn hold(&self, start: BucketStart) -> Result<(), String> {
        let (resource, level) = match start {
            BucketStart::Operations(level) => (Resource::Iops, level),
            BucketStart::Bytes(level) => (Resource::Bytes, level),
            BucketStart::Initial | BucketStart::Empty | BucketStart::Share(_) => return Ok(()),
        };
        let of_kind = self.limits.iter().filter(|limit| limit.resource == resource);
        let sizes = of_kind.filter_map(|limit| match limit.burst?.bucket {
            Bucket::Tokens { size, .. } => Some(size),
            _ => None,
        });
        let most = sizes.fold(0.0, f64::max);
        let wanted = || format!("at most the {most} {} that its buckets hold", resource.counted());
        if level <= most { Ok(()) } else { Err(wanted()) }
    }
}
