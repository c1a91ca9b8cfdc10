//! A member of the fleet: it obeys orders, and reports what its measuring process does.

use std::fs::File;
use std::io::Read;

use workload::Nanos;

use crate::measuring::{Measuring, MeasuringEvent};
use crate::message::{ALIVE_EVERY, Order, Report, SILENCE};

/// Bytes of a part of a run file: below the size from which MPI libraries wait for the receiver.
const PART: usize = 8 << 10;
/// Parts that are sent at once; the rest follow as these leave.
const PARTS_AT_ONCE: usize = 64;
/// Time without a word of the first process after which a member gives the fleet up: twice as long as the first process waits
/// for a member.
const ABANDONED: Nanos = Nanos(10_000_000_000);
/// Time that a measuring process has to end by itself: its own last second, and the storing of the run.
const TIME_TO_END: Nanos = Nanos(15_000_000_000);
/// Exit code of a command that cannot be executed, as shells give it.
const CANNOT_EXECUTE: i32 = 126;

/// A member, on a clock that never steps.
#[derive(Debug)]
pub struct Member {
    measuring: Option<Measuring>,
    file: Option<String>,
    said: String,
    iops: f64,
    reports: Vec<Report>,
    sending: Option<File>,
    heard: Nanos,
    spoke: Nanos,
    alive: Nanos,
    stopping_since: Option<Nanos>,
    /// When the user of this machine told it to stop.
    told: Option<Nanos>,
    is_over: bool,
    is_abandoned: bool,
}

impl Member {
    /// Returns the member of a host with this version, at `now`. Members with the same name of their clock need no comparison.
    pub fn new(version: &str, (host, clock): (&str, &str), now: Nanos) -> Member {
        Member {
            measuring: None,
            file: None,
            said: String::new(),
            iops: 0.0,
            reports: vec![Report::Here {
                version: version.to_owned(),
                host: host.to_owned(),
                clock: clock.to_owned(),
            }],
            sending: None,
            heard: now,
            spoke: now,
            alive: now,
            stopping_since: None,
            told: None,
            is_over: false,
            is_abandoned: false,
        }
    }

    /// Obeys an order that came at `now`, when the wall clock showed `wall`.
    pub fn obey(&mut self, order: Order, now: Nanos, wall: Nanos) {
        self.heard = now;
        match order {
            Order::Alive => {}
            Order::Clock => self.reports.push(Report::Clock(wall)),
            Order::Begin(words) => self.begin(&words, now),
            // This process was held, and the others went on without it: a load now would disturb them.
            Order::Go(at) if wall.since(at) >= SILENCE => self.stop(now),
            Order::Go(at) => self.measuring.iter_mut().for_each(|measuring| measuring.go(at)),
            Order::Stop => self.stop(now),
            Order::Send => self.send(),
            Order::Leave => {
                self.is_over = true;
                self.stop(now);
            }
        }
    }

    fn begin(&mut self, words: &[String], now: Nanos) {
        (self.file, self.said, self.iops, self.spoke) = (None, String::new(), 0.0, now);
        self.stopping_since = None;
        match Measuring::start(words) {
            Ok(measuring) => self.measuring = Some(measuring),
            Err(error) => {
                let said = format!("plimsoll cannot be started there: {error}");
                self.reports.push(Report::Ended { code: Some(CANNOT_EXECUTE), said, file: None });
            }
        }
    }

    /// Stops what this machine measures, as its user wants, a second after the first call: a launcher's Ctrl-C reaches the first
    /// process too, whose order to all comes sooner.
    pub fn told_to_stop(&mut self, now: Nanos) {
        if now.since(*self.told.get_or_insert(now)) >= ALIVE_EVERY {
            self.stop(now);
        }
    }

    fn stop(&mut self, now: Nanos) {
        if let Some(measuring) = &mut self.measuring {
            measuring.stop();
            self.stopping_since.get_or_insert(now);
        }
    }

    fn send(&mut self) {
        let opened = self.file.as_ref().map(File::open);
        match opened {
            Some(Ok(file)) => self.sending = Some(file),
            Some(Err(error)) => self.reports.push(Report::Sent { why_not: Some(error.to_string()) }),
            None => self.reports.push(Report::Sent { why_not: Some("there is none".to_owned()) }),
        }
    }

    /// Returns what there is to report at `now`, but no parts of a file.
    pub fn reports(&mut self, now: Nanos) -> Vec<Report> {
        self.listen(now);
        if now.since(self.alive) >= ALIVE_EVERY {
            self.alive = now;
            self.reports.push(Report::Alive { iops: self.iops, quiet: now.since(self.spoke) });
        }
        if !self.is_over && now.since(self.heard) >= ABANDONED {
            (self.is_over, self.is_abandoned) = (true, true);
            self.stop(now);
        }
        let is_stuck = self.stopping_since.is_some_and(|since| now.since(since) >= TIME_TO_END);
        if let (true, Some(measuring)) = (is_stuck, &mut self.measuring) {
            measuring.kill();
        }
        std::mem::take(&mut self.reports)
    }

    /// Takes in what the measuring process says.
    fn listen(&mut self, now: Nanos) {
        let Some(mut measuring) = self.measuring.take() else { return };
        loop {
            let Ok(next) = measuring.next() else {
                match measuring.ended() {
                    Some(code) => self.ended(code),
                    None => self.measuring = Some(measuring),
                }
                return;
            };
            let Some(event) = next else { break };
            self.spoke = now;
            match event {
                MeasuringEvent::File(path) => self.file = Some(path),
                MeasuringEvent::Ready(step) => {
                    self.iops = 0.0;
                    self.reports.push(Report::Ready(step));
                }
                MeasuringEvent::Interval(iops) => self.iops = iops,
                MeasuringEvent::StepEnded(step, iops) => self.reports.push(Report::StepEnded { step, iops }),
                MeasuringEvent::Said(text) => self.said = text,
                MeasuringEvent::Line(text) if self.said.is_empty() => self.said = text,
                MeasuringEvent::Line(text) => self.said = format!("{} {text}", self.said),
            }
        }
        self.measuring = Some(measuring);
    }

    fn ended(&mut self, code: Option<i32>) {
        let (said, file) = (std::mem::take(&mut self.said), self.file.clone());
        self.stopping_since = None;
        self.reports.push(Report::Ended { code, said, file });
    }

    /// Returns the next parts of the run file, if it is to be sent.
    pub fn parts(&mut self) -> Vec<Report> {
        self.read_parts();
        std::mem::take(&mut self.reports)
    }

    fn read_parts(&mut self) {
        for _ in 0..PARTS_AT_ONCE {
            let Some(file) = &mut self.sending else { return };
            let mut part = Vec::new();
            let why_not = match file.take(PART as u64).read_to_end(&mut part) {
                Ok(0) => None,
                Ok(_) => {
                    self.reports.push(Report::Part(part));
                    continue;
                }
                Err(error) => Some(error.to_string()),
            };
            self.sending = None;
            self.reports.push(Report::Sent { why_not });
        }
    }

    /// Whether the fleet is over for this member and nothing of it runs any more.
    pub fn is_over(&self, now: Nanos) -> bool {
        // What the kernel holds ends whenever it lets go; nobody waits for that.
        let is_held = |since: Nanos| now.since(since) >= TIME_TO_END + ALIVE_EVERY;
        self.is_over && (self.measuring.is_none() || self.stopping_since.is_some_and(is_held))
    }

    /// Whether the first process has fallen silent.
    pub fn is_abandoned(&self) -> bool {
        self.is_abandoned
    }

    /// Whether the member waits for orders, so that the next one should be heard soon.
    pub fn is_waiting(&self) -> bool {
        self.iops == 0.0 || self.measuring.is_none() || self.sending.is_some()
    }
}
