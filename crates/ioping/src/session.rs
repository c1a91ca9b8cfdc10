//! A run of requests, one at a time: decides on the next request and the output. The caller does the I/O.

use workload::{Direction, Nanos};

use super::asked::{IopingRequest, Mix, Order};
use super::error::IopingError;
use super::lines::{self, Inclusion, Line, Mark, Target, Wall};
use super::noise::Noise;
use super::region::Region;
use super::tally::Tally;

/// `EAGAIN`: a request failed instead of waiting.
const EAGAIN: i32 = 11;
/// Fewest counted requests in a period from which a request is marked as fast or slow compared with their mean.
const SETTLED: u64 = 6;

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Once {
    /// Number of the request, from 1.
    pub number: u64,
    /// Direction of the request.
    pub direction: Direction,
    /// Offset of the request in bytes.
    pub offset: u64,
    /// Length of the request in bytes.
    pub bytes: u64,
}

/// The next action of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Wait until this time on the clock, then ask again.
    Wait(Nanos),
    /// Do this request, time it, and report it by [`Session::done`].
    Io(Once),
    /// The run is over; print [`Session::closing`].
    End,
}

/// Outcome of a request.
#[derive(Clone, Debug)]
pub struct RequestOutcome {
    /// Time just before the request.
    pub started: Nanos,
    /// Time just after the request, its flush included.
    pub ended: Nanos,
    /// Bytes moved, or the errno.
    pub moved: Result<u64, i32>,
    /// The wall clock after the request.
    pub wall: Wall,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Session {
    asked: IopingRequest,
    target: Target,
    region: Region,
    places: Noise,
    pause: Nanos,
    began: Nanos,
    /// When the next request starts.
    due: Nanos,
    /// When the current burst, or the last request, was due to start.
    burst_due: Nanos,
    in_burst: u64,
    /// Number of requests so far, including the current one.
    number: u64,
    /// The current request, and when it was returned to the caller.
    under_way: Option<(Once, Nanos)>,
    all: Tally,
    period: Tally,
    period_began: Nanos,
    period_ends: Nanos,
    /// Whether a JSON object has been printed.
    opened: bool,
    ended: bool,
}

impl Session {
    /// Returns a run over `region` of `target` that begins at `now`; its offsets follow from the seed, even from 0.
    pub fn new(asked: IopingRequest, target: Target, region: Region, now: Nanos) -> Session {
        let pause = asked.pause();
        let period_ends = now + asked.print_interval;
        Session {
            places: Noise::new(asked.seed),
            asked,
            target,
            region,
            pause,
            began: now,
            due: now,
            burst_due: now,
            in_burst: 0,
            number: 0,
            under_way: None,
            all: Tally::default(),
            period: Tally::default(),
            period_began: now,
            period_ends,
            opened: false,
            ended: false,
        }
    }

    /// Returns the next action at the time `now`.
    pub fn next(&mut self, now: Nanos) -> Next {
        if self.ended {
            return Next::End;
        }
        if now < self.due {
            return Next::Wait(self.due);
        }
        if self.in_burst == 0 {
            self.burst_due = now;
        }
        self.number += 1;
        let once = Once {
            number: self.number,
            direction: self.direction(),
            offset: self.place(),
            bytes: self.region.request,
        };
        self.under_way = Some((once, now));
        Next::Io(once)
    }

    /// The current request, and when it was returned to the caller; `None` once its outcome has been reported.
    pub fn under_way(&self) -> Option<(Once, Nanos)> {
        self.under_way
    }

    fn direction(&self) -> Direction {
        match self.asked.mix() {
            Mix::Read => Direction::Read,
            Mix::Write => Direction::Write,
            Mix::Alternate if self.number % 2 == 1 => Direction::Write,
            Mix::Alternate => Direction::Read,
        }
    }

    fn place(&mut self) -> u64 {
        let place = match self.asked.order {
            Order::Random => self.places.below(self.region.places()),
            Order::Linear => (self.number - 1) % self.region.places(),
        };
        self.region.offset + place * self.region.request
    }

    /// Adds the outcome of the request. Returns the text for stdout, and the message for stderr about a short request.
    ///
    /// # Errors
    /// [`IopingError::Request`] if a failure ends the run.
    pub fn done(&mut self, done: &RequestOutcome) -> Result<(String, Option<String>), IopingError> {
        let Some((once, _)) = self.under_way.take() else { return Ok(Default::default()) };
        let time = done.ended.since(done.started);
        let (moved, mark, complaint) = match done.moved {
            Ok(moved) if moved == once.bytes => (moved, self.judge(once.number, time, moved), None),
            Ok(moved) => {
                let short = format!("request returned less than expected: {moved}");
                (moved, (None, Inclusion::No), Some(short))
            }
            Err(errno) if errno == EAGAIN || self.asked.ignore_errors => {
                self.fails();
                (0, (Some(Mark::Failed(errno)), Inclusion::No), None)
            }
            Err(errno) => {
                self.ended = true;
                return Err(IopingError::Request { errno, hint: self.hint(errno) });
            }
        };
        let line = Line {
            number: once.number,
            direction: once.direction,
            bytes: moved,
            time_ns: time.0,
            mark: mark.0,
            counted: mark.1,
        };
        let mut text = self.tell(line, &done.wall);
        self.go_on(done.ended);
        if self.period_is_over() {
            text.push_str(&self.tell_period(done.ended, &done.wall));
        }
        if self.asked.burst > 1 && self.in_burst == 0 && self.asked.tells_each() && !self.asked.json {
            text.push('\n');
        }
        Ok((text, complaint))
    }

    fn fails(&mut self) {
        // Failures appear in the statistics only if errors are ignored; otherwise they leave no trace, as in 1.3.
        if self.asked.ignore_errors {
            self.all.failed += 1;
            self.period.failed += 1;
        }
    }

    /// Counts a request that moved all its bytes, and returns the remark after its line.
    fn judge(&mut self, number: u64, time: Nanos, bytes: u64) -> (Option<Mark>, Inclusion) {
        let left_out = self.left_out(number, time);
        for tally in [&mut self.all, &mut self.period] {
            tally.carried_out(bytes);
            match left_out {
                None => tally.counts(time, bytes),
                Some(Mark::TooFast) => tally.too_fast += 1,
                Some(Mark::TooSlow) => tally.too_slow += 1,
                Some(_) => {}
            }
        }
        match left_out {
            Some(mark) => (Some(mark), Inclusion::No),
            None => (self.apart(time), Inclusion::Yes),
        }
    }

    /// Why a request does not count; `None` if it counts.
    fn left_out(&self, number: u64, time: Nanos) -> Option<Mark> {
        if number <= self.asked.warmup {
            Some(Mark::Warmup)
        } else if time < self.asked.min_time {
            Some(Mark::TooFast)
        } else if self.asked.max_time.is_some_and(|most| time > most) {
            Some(Mark::TooSlow)
        } else {
            None
        }
    }

    /// The remark on a counted request that is unusually fast or slow for its period, once there are enough requests.
    fn apart(&self, time: Nanos) -> Option<Mark> {
        let (time, mean) = (time.0 as f64, self.period.mean_ns());
        match self.period.valid >= SETTLED {
            true if time < mean / 2.0 => Some(Mark::Fast),
            true if time > mean * 2.0 => Some(Mark::Slow),
            _ => None,
        }
    }

    /// Sets the time of the next request, or ends the run.
    fn go_on(&mut self, now: Nanos) {
        self.in_burst += 1;
        if self.in_burst < self.asked.burst {
            self.due = now;
        } else {
            self.in_burst = 0;
            // A request that took longer than the pause is followed at once by the next; lost time is not made up.
            self.due = (self.burst_due + self.pause).max(now);
        }
        let enough = self.asked.count > 0 && self.number >= self.asked.count;
        let late = self.asked.most_time().is_some_and(|most| self.due >= self.began + most);
        self.ended = enough || late;
    }

    fn period_is_over(&self) -> bool {
        let by_count = self.asked.print_count > 0 && self.period.valid >= self.asked.print_count;
        by_count || (self.asked.print_interval.0 > 0 && self.due >= self.period_ends)
    }

    fn tell_period(&mut self, now: Nanos, wall: &Wall) -> String {
        let load = now.since(self.period_began).0;
        let period = std::mem::take(&mut self.period);
        self.period_began = now;
        if self.asked.print_interval.0 > 0 {
            let behind = self.due.since(self.period_ends).0.checked_div(self.asked.print_interval.0);
            let more = self.asked.print_interval.0.saturating_mul(behind.unwrap_or(0) + 1);
            self.period_ends = Nanos(self.period_ends.0.saturating_add(more));
        }
        match self.asked.json {
            true => self.object(&lines::json_statistics(&self.target, &period, load, wall)),
            false => lines::raw(&period, load),
        }
    }

    fn tell(&mut self, line: Line, wall: &Wall) -> String {
        if !self.asked.tells_each() {
            return String::new();
        }
        if self.asked.json {
            return self.object(&lines::json_request(&self.target, line, wall));
        }
        let clock = self.asked.clock_format.as_deref().map(|format| (format, wall));
        lines::request(&self.target, line, clock)
    }

    fn object(&mut self, inside: &str) -> String {
        let opening = if std::mem::replace(&mut self.opened, true) { "},{\n" } else { "[{\n" };
        format!("{opening}{inside}")
    }

    /// Ends the output at the time `now`, whether the run is complete or was interrupted.
    pub fn closing(&mut self, now: Nanos, wall: &Wall) -> String {
        self.ended = true;
        // `now` is the end of the last request or, after an interrupt, the time of the interrupt.
        let load = now.since(self.began).0;
        let periods = self.asked.print_count > 0 || self.asked.print_interval.0 > 0;
        let quiet = self.asked.quiet || self.asked.rapid;
        if self.asked.json {
            let text = lines::json_statistics(&self.target, &self.all, load, wall);
            return self.object(&text) + "}]\n";
        }
        match (self.asked.batch, quiet && periods) {
            (true, _) => lines::raw(&self.all, load),
            (false, true) => String::new(),
            (false, false) => lines::statistics(&self.target, &self.all, load, self.verb()),
        }
    }

    /// Closes the output after a failed request: an open array is closed, so that the output stays valid.
    pub fn broken_off(&self) -> &'static str {
        match (self.asked.json, self.opened) {
            (false, _) => "",
            (true, true) => "}]\n",
            (true, false) => "[]\n",
        }
    }

    fn verb(&self) -> &'static str {
        match self.asked.mix() {
            Mix::Read => "read",
            Mix::Write => "written",
            Mix::Alternate => "",
        }
    }

    fn hint(&self, errno: i32) -> String {
        match errno {
            22 if self.asked.direct => format!(
                "direct I/O takes places and lengths in whole blocks of the device: -s {} or -o {} is not",
                self.region.request, self.region.offset
            ),
            28 => "the volume is full".to_owned(),
            5 => "the device did not carry it out; the kernel's log says more (dmesg)".to_owned(),
            _ => "add -E to go on after a request that failed".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
