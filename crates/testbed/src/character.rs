//! Timing of a device: latency and its spread, two modes, stalls, first touch, a cache that warms. All of these
//! are computed in one place, so that the truth about the device is known.

use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use std::time::Duration;

use crate::faults::{Ops, Touch};

/// Size in bytes of a region, the unit of first touch.
const REGION: u64 = 1 << 20;
/// Size in bytes of a page, the unit that a cache keeps.
const PAGE: u64 = 4096;

/// Service time of an I/O.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Takes {
    /// Always the same time.
    Even(Duration),
    /// Any time between the two, uniformly distributed.
    Between(Duration, Duration),
    /// At least the first, plus an exponentially distributed time with the second as its mean.
    Exponential(Duration, Duration),
}

/// Stalls of `length` at the end of every `period`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stalls {
    /// Length of a stall.
    pub length: Duration,
    /// Time from one stall's end to the next.
    pub period: Duration,
}

/// Timing of a device's reads and writes. Times below 2 ms, or more than 12 servers, are distorted by this machine's
/// CPU.
#[derive(Clone, Debug)]
pub struct Character {
    takes: Takes,
    /// When each server will be free.
    free_at: Vec<Duration>,
    /// Share of the I/Os in a second mode, and their service time.
    other: Option<(f64, Takes)>,
    stalls: Option<Stalls>,
    first_touch: Option<(Range<u64>, Duration)>,
    touched: HashSet<u64>,
    /// Bytes with another service time.
    part: Option<(Range<u64>, Takes)>,
    cache: Option<Cache>,
    random: u64,
}

/// A cache: the most recently read or written pages have another service time.
#[derive(Clone, Debug)]
struct Cache {
    takes: Takes,
    room: usize,
    held: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Character {
    /// Returns a device that serves up to `servers` I/Os at once, each for `takes`; others queue.
    pub fn new(servers: usize, takes: Takes) -> Character {
        Character {
            takes,
            free_at: vec![Duration::ZERO; servers.max(1)],
            other: None,
            stalls: None,
            first_touch: None,
            touched: HashSet::new(),
            part: None,
            cache: None,
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Gives a share (0 to 1) of the I/Os a second mode.
    #[must_use]
    pub fn other_mode(self, share: f64, takes: Takes) -> Character {
        Character { other: Some((share, takes)), ..self }
    }

    /// Adds stalls.
    #[must_use]
    pub fn stalling(self, stalls: Stalls) -> Character {
        Character { stalls: Some(stalls), ..self }
    }

    /// Makes the first I/O to each MiB take `longer`.
    #[must_use]
    pub fn first_touch(self, longer: Duration) -> Character {
        self.first_touch_within(0..u64::MAX, longer)
    }

    /// Makes the first I/O to each MiB of these bytes take `longer`.
    #[must_use]
    pub fn first_touch_within(self, part: Range<u64>, longer: Duration) -> Character {
        Character { first_touch: Some((part, longer)), ..self }
    }

    /// Gives these bytes another service time, past the cache, like those of a thin volume that were never written.
    #[must_use]
    pub fn with_part(self, part: Range<u64>, takes: Takes) -> Character {
        Character { part: Some((part, takes)), ..self }
    }

    /// Puts an empty cache of `mib` MiB, whose hits take `takes`, in front of the device.
    #[must_use]
    pub fn cached(self, mib: usize, takes: Takes) -> Character {
        let room = mib << 8;
        let cache = Cache { takes, room, held: HashSet::new(), order: VecDeque::new() };
        Character { cache: Some(cache), ..self }
    }

    /// Returns when an I/O that arrives at `now` is done; `None` if it is neither a read nor a write. Times
    /// count from the device's creation.
    pub(crate) fn serve(&mut self, now: Duration, touch: Touch) -> Option<Duration> {
        if touch.op != Ops::READ && touch.op != Ops::WRITE {
            return None;
        }
        let time = self.time_of(touch);
        let server = self.free_at.iter_mut().min()?;
        let start = now.max(*server);
        *server = start + time;
        let done = self.stalls.map_or(start + time, |stalls| stalls.past(start + time));
        if let Some(server) = self.free_at.iter_mut().find(|free_at| **free_at == start + time) {
            *server = done;
        }
        Some(done)
    }

    fn time_of(&mut self, touch: Touch) -> Duration {
        let elsewhere = self.part.as_ref().filter(|(part, _)| part.contains(&touch.offset));
        if let Some((_, takes)) = elsewhere {
            let takes = *takes;
            return takes.drawn(self.next());
        }
        let hit = self.cache.as_mut().and_then(|cache| cache.takes_if_held(touch));
        let share = self.next();
        let other = self.other.filter(|(of_all, _)| share < *of_all).map(|(_, takes)| takes);
        let takes = hit.or(other).unwrap_or(self.takes);
        let longer = if hit.is_none() { self.longer(touch) } else { Duration::ZERO };
        let random = self.next();
        takes.drawn(random) + longer
    }

    /// Returns the additional time of an I/O if it is the first touch.
    fn longer(&mut self, touch: Touch) -> Duration {
        let lazy = self.first_touch.as_ref().filter(|(part, _)| part.contains(&touch.offset));
        let Some((_, longer)) = lazy else { return Duration::ZERO };
        if self.touched.insert(touch.offset / REGION) { *longer } else { Duration::ZERO }
    }

    /// Returns a random number from 0 to 1.
    fn next(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1u64 << 53) as f64
    }
}

impl Takes {
    fn drawn(self, random: f64) -> Duration {
        match self {
            Takes::Even(time) => time,
            Takes::Between(least, most) => least + most.saturating_sub(least).mul_f64(random),
            Takes::Exponential(least, mean) => least + mean.mul_f64(-(1.0 - random).ln()),
        }
    }
}

impl Stalls {
    /// Returns `at`, or the end of the stall that contains it.
    fn past(self, at: Duration) -> Duration {
        let (period, at_ns) = (self.period.as_nanos().max(1), at.as_nanos());
        let within = at_ns % period;
        if within < period - self.length.as_nanos().min(period) {
            return at;
        }
        at + Duration::from_nanos((period - within) as u64)
    }
}

impl Cache {
    /// Returns the time of a hit if the cache holds all pages of the I/O; it holds them from now on.
    fn takes_if_held(&mut self, touch: Touch) -> Option<Takes> {
        let pages = touch.offset / PAGE..(touch.offset + u64::from(touch.length)).div_ceil(PAGE);
        let hit = pages.clone().all(|page| self.held.contains(&page));
        for page in pages {
            if self.held.insert(page) {
                self.order.push_back(page);
            }
            if self.order.len() > self.room
                && let Some(oldest) = self.order.pop_front()
            {
                self.held.remove(&oldest);
            }
        }
        hit.then_some(self.takes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn read(offset: u64) -> Touch {
        Touch { op: Ops::READ, offset, length: 4096 }
    }

    fn done_ms(character: &mut Character, now_ms: u64, offset: u64) -> u64 {
        character.serve(MS(now_ms), read(offset)).unwrap().as_millis() as u64
    }

    #[test]
    fn servers_take_one_each_and_the_rest_waits() {
        let mut two = Character::new(2, Takes::Even(MS(4)));
        assert_eq!([0, 0, 0, 1].map(|now| done_ms(&mut two, now, 0)), [4, 4, 8, 8]);
        assert_eq!(two.serve(MS(9), Touch { op: Ops::METADATA, offset: 0, length: 0 }), None);
    }

    #[test]
    fn a_stall_holds_what_would_have_come_back_in_it() {
        let stalls = Stalls { length: MS(500), period: MS(10_000) };
        let mut device = Character::new(1, Takes::Even(MS(10))).stalling(stalls);
        assert_eq!(done_ms(&mut device, 9_400, 0), 9_410);
        assert_eq!(done_ms(&mut device, 9_495, 0), 10_000);
        assert_eq!(done_ms(&mut device, 9_500, 0), 10_010, "the server stands still as well");
    }

    #[test]
    fn the_first_touch_of_a_mib_takes_longer_and_a_cache_warms() {
        let mut lazy = Character::new(1, Takes::Even(MS(2))).first_touch(MS(28));
        assert_eq!(done_ms(&mut lazy, 0, 0), 30);
        assert_eq!(done_ms(&mut lazy, 100, 8192), 102);
        assert_eq!(done_ms(&mut lazy, 200, 1 << 20), 230);
        let mut warming = Character::new(1, Takes::Even(MS(20))).cached(1, Takes::Even(MS(2)));
        assert_eq!(done_ms(&mut warming, 0, 0), 20);
        assert_eq!(done_ms(&mut warming, 100, 0), 102);
        for page in 1..=256 {
            warming.serve(MS(1_000), read(page * 4096));
        }
        assert_eq!(done_ms(&mut warming, 60_000, 0), 60_020, "it holds one MiB");
    }

    #[test]
    fn a_part_is_slow_at_first_and_another_part_is_fast() {
        let mut volume = Character::new(1, Takes::Even(MS(4)))
            .first_touch_within(1 << 20..2 << 20, MS(20))
            .with_part(2 << 20..3 << 20, Takes::Even(MS(1)));
        assert_eq!(done_ms(&mut volume, 0, 0), 4);
        assert_eq!(done_ms(&mut volume, 100, 1 << 20), 124);
        assert_eq!(done_ms(&mut volume, 200, 1 << 20), 204);
        assert_eq!(done_ms(&mut volume, 300, 2 << 20), 301);
        assert_eq!(done_ms(&mut volume, 400, 3 << 20), 404);
    }

    #[test]
    fn modes_and_spreads_have_the_shares_and_means_that_were_asked_for() {
        let mean_ms = |mut character: Character| {
            let times = (0..20_000).map(|number| {
                let now = Duration::from_secs(number);
                (character.serve(now, read(0)).unwrap() - now).as_secs_f64() * 1e3
            });
            times.sum::<f64>() / 20_000.0
        };
        let two = Character::new(1, Takes::Even(MS(10))).other_mode(0.7, Takes::Even(MS(2)));
        assert!((mean_ms(two) / 4.4 - 1.0).abs() < 0.02);
        assert!((mean_ms(Character::new(1, Takes::Between(MS(2), MS(6)))) / 4.0 - 1.0).abs() < 0.02);
        assert!((mean_ms(Character::new(1, Takes::Exponential(MS(2), MS(4)))) / 6.0 - 1.0).abs() < 0.03);
    }
}
