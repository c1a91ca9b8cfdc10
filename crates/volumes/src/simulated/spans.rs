//! Spans of time that recur, evenly or as a Poisson process: stalls, neighbours, times without a processor.

use std::collections::VecDeque;

use statistics::Stream;
use workload::Nanos;

/// The distances between spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Regularity {
    /// At even distances.
    #[default]
    Even,
    /// After gaps that are exponentially distributed.
    Poisson,
}

impl Regularity {
    /// Every word with its meaning.
    pub(super) const WORDS: [(&'static str, Regularity); 2] =
        [("even", Regularity::Even), ("poisson", Regularity::Poisson)];
}

/// When spans occur.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Timing {
    /// Length of a span.
    pub(super) length: Nanos,
    /// Mean time from the beginning of one span to that of the next; `None` if there is only one span.
    pub(super) every: Option<Nanos>,
    /// When the first span begins; for a Poisson process, when the process begins.
    pub(super) from: Nanos,
    pub(super) regularity: Regularity,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    start: Nanos,
    end: Nanos,
    /// Total time within all earlier spans.
    before: u64,
}

/// The spans, generated as far ahead as queries need. Times of queries may go ahead and come back, but not before the
/// time of the last [`Spans::forget`].
#[derive(Clone, Debug)]
pub(super) struct Spans {
    timing: Timing,
    random: Stream,
    /// Spans in order, without overlap; at least one.
    known: VecDeque<Span>,
}

impl Spans {
    pub(super) fn new(timing: Timing, mut random: Stream) -> Spans {
        let start = match (timing.regularity, timing.every) {
            (Regularity::Poisson, Some(every)) => timing.from + gap(timing, every, &mut random),
            _ => timing.from,
        };
        let first = Span { start, end: start + timing.length, before: 0 };
        Spans { timing, random, known: VecDeque::from([first]) }
    }

    /// Returns the end of the span that contains `time`; `None` outside all spans.
    #[inline]
    pub(super) fn within(&mut self, time: Nanos) -> Option<Nanos> {
        self.reach(time);
        let span = self.last_begun(|span| span.start <= time)?;
        (time < span.end).then_some(span.end)
    }

    /// Returns when the next span begins or the present one ends.
    pub(super) fn next_change(&mut self, time: Nanos) -> Nanos {
        if let Some(end) = self.within(time) {
            return end;
        }
        self.known.iter().find(|span| span.start > time).map_or(Nanos::MAX, |span| span.start)
    }

    /// Returns the total time outside all spans up to `time`.
    #[inline]
    pub(super) fn outside(&mut self, time: Nanos) -> Nanos {
        self.reach(time);
        let lost = self.last_begun(|span| span.start <= time);
        let lost = lost.map_or(0, |span| span.before + time.min(span.end).since(span.start).0);
        Nanos(time.0 - lost)
    }

    /// Returns the time until which the total time outside all spans is `outside`.
    #[inline]
    pub(super) fn when_outside(&mut self, outside: Nanos) -> Nanos {
        while let Some(last) = self.known.back()
            && last.start.0 - last.before < outside.0
            && self.add()
        {}
        let last = self.last_begun(|span| span.start.0 - span.before < outside.0);
        Nanos(outside.0 + last.map_or(0, |span| span.before + span.end.since(span.start).0))
    }

    /// Forgets spans that ended before `time`; no query will go back before it.
    #[inline]
    pub(super) fn forget(&mut self, time: Nanos) {
        while self.known.get(1).is_some_and(|second| second.start <= time) {
            self.known.pop_front();
        }
    }

    fn last_begun(&self, begun: impl Fn(&Span) -> bool) -> Option<Span> {
        let after = self.known.partition_point(begun);
        after.checked_sub(1).map(|at| self.known[at])
    }

    fn reach(&mut self, time: Nanos) {
        while let Some(last) = self.known.back()
            && last.start <= time
            && self.add()
        {}
    }

    /// Generates the next span; returns false if there is no next span.
    fn add(&mut self) -> bool {
        let (Some(every), Some(&last)) = (self.timing.every, self.known.back()) else { return false };
        let start = match self.timing.regularity {
            Regularity::Even => last.start + every,
            Regularity::Poisson => last.end + gap(self.timing, every, &mut self.random),
        };
        let before = last.before + last.end.since(last.start).0;
        self.known.push_back(Span { start, end: start + self.timing.length, before });
        true
    }
}

fn gap(timing: Timing, every: Nanos, random: &mut Stream) -> Nanos {
    Nanos(random.exponential(every.since(timing.length).0 as f64).ceil() as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(regularity: Regularity, every: Option<u64>) -> Spans {
        let timing = Timing {
            length: Nanos::from_secs(2),
            every: every.map(Nanos::from_secs),
            from: Nanos::from_secs(5),
            regularity,
        };
        Spans::new(timing, Stream::new(1, 1))
    }

    #[test]
    fn even_spans_stand_on_their_grid() {
        let mut spans = spans(Regularity::Even, Some(10));
        for (time, end) in [(0, None), (5, Some(7)), (6, Some(7)), (7, None), (14, None), (15, Some(17))] {
            assert_eq!(spans.within(Nanos::from_secs(time)), end.map(Nanos::from_secs), "{time}");
        }
        assert_eq!(spans.next_change(Nanos::from_secs(8)), Nanos::from_secs(15));
        assert_eq!(spans.outside(Nanos::from_secs(30)), Nanos::from_secs(24), "three spans of two");
        assert_eq!(spans.when_outside(Nanos::from_secs(5)), Nanos::from_secs(5));
        assert_eq!(spans.when_outside(Nanos::from_secs(6)), Nanos::from_secs(8));
        spans.forget(Nanos::from_secs(20));
        assert_eq!(
            spans.outside(Nanos::from_secs(30)),
            Nanos::from_secs(24),
            "what is forgotten still counts"
        );
    }

    #[test]
    fn a_span_that_comes_once_does_not_come_again() {
        let mut spans = spans(Regularity::Even, None);
        assert_eq!(spans.within(Nanos::from_secs(6)), Some(Nanos::from_secs(7)));
        assert_eq!(spans.outside(Nanos::from_secs(1000)), Nanos::from_secs(998));
        assert_eq!(spans.next_change(Nanos::from_secs(8)), Nanos::MAX);
    }

    #[test]
    fn a_poisson_process_takes_the_share_asked_of_the_time() {
        let mut spans = spans(Regularity::Poisson, Some(10));
        let over = 200_000.0;
        let share = 1.0 - spans.outside(Nanos::from_secs_f64(over)).as_secs_f64() / over;
        assert!((share - 0.2).abs() < 0.005, "{share}");
        let time = Nanos::from_secs_f64(1234.5);
        let outside = spans.outside(time);
        assert!(spans.within(time).is_some() || spans.when_outside(outside) == time);
    }
}
