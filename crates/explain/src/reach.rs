//! How far the I/Os of a job come in the part of its files that it uses, and what is lost there.

use super::about_fio::{is_steadied, waits};
use super::figures::bytes;
use super::files_fio::{
    apart, is_device, is_strided, number_of_files, on_files_only, own_files, part, stores_nothing,
};
use super::load::PlannedJob;
use super::words::recased;
use fio::{Amount, JobOptions};
use workload::{Act, Direction, FileTurn, Order, Repeats, Spread};

/// Shares of a part from which on it counts as the whole part.
const WHOLE: f64 = 0.995;

/// Share of the blocks from which on it is told.
const LITTLE: f64 = 0.01;

impl PlannedJob {
    /// Whether the I/Os of `direction` follow each other from the start of the part on.
    pub fn goes_in_order(&self, direction: Direction) -> bool {
        self.first().map_or(!self.options().pattern.random, |job| {
            matches!(job.access.order, Order::Sequential) && *job.access.random_percent.of(direction) == 0
        })
    }

    /// Whether its random places come once in each pass.
    pub fn visits_each_once(&self) -> bool {
        !self.options().has_no_map()
            && self.first().is_some_and(|job| job.access.order == Order::Random(Repeats::Without))
    }

    /// What fio 3.33 may do other than the whole amount of a job that no time ends, by its I/O counts, in words; the length of
    /// a named file is not known here.
    pub fn falls_short(&self) -> Option<&'static str> {
        let options = self.options();
        let (pattern, step) = (options.pattern, options.rw_number);
        let ways = [pattern.reads, pattern.writes, pattern.trims];
        let mut shares = ways.iter().zip(&options.percentage_random).filter(|(issued, _)| **issued);
        let has_runs =
            step > 1 && !options.rw_identical || shares.any(|(_, percent)| (1..100).contains(percent));
        let named = options.filename.as_deref();
        let is_part = named.is_some() && (options.size.is_some() || options.filesize > 0);
        let is_odd = self.is_mixed() || options.ba.iter().any(|align| *align > 0);
        let overlaps = step < 0 && step.unsigned_abs() < options.shortest_block();
        match pattern.random {
            _ if options.ends_by_time() => None,
            // A loop ends with the file or device, whatever io_size says.
            _ if options.loops > 1 && options.io_size.is_some() && self.extent().1.is_none() => {
                Some("less if what is there is shorter")
            }
            _ if options.loops > 1 && options.io_size.is_some() && pattern.mixed() => {
                Some("in fio it can be less or more")
            }
            _ if options.io_size.is_some() && !options.verify.reads_back => Some("in fio it can be less"),
            true if self.draws_no_place() => Some("in fio far less"),
            // What goes on from a random place comes to the end of the part, with more of the file or device behind that.
            true if has_runs && (is_part || is_odd) => Some("in fio it can be less, by the seed"),
            true if self.ends_without_a_place() => {
                Some("in fio often less: it ends where it finds no free place for a block")
            }
            true => None,
            false if step != 0 && is_strided(options) => Some("in fio it can be less or more"),
            false if overlaps || step > 0 && self.is_mixed() => Some("in fio it can be less"),
            // The plan takes the file for one of that length, so that it goes round.
            false if step > 0 && named.is_some_and(|name| !is_device(name)) && self.is_whole() => {
                Some("in fio less where the file goes on behind this part")
            }
            false => None,
        }
    }

    /// Whether it does as much as its size says.
    fn is_whole(&self) -> bool {
        matches!((self.options().size, self.sized()), (Some(Amount::Bytes(size)), Some(all)) if all >= size)
    }

    /// Whether fio ends it when it finds no free place for a block by chance: its map of random places counts in the shortest
    /// length of all directions, also of those that the job does not have.
    fn ends_without_a_place(&self) -> bool {
        let differ = self.lengths(Direction::Read) != self.lengths(Direction::Write);
        self.visits_each_once() && (self.options().pattern.mixed() && differ || self.is_above_the_shortest())
    }

    /// Whether one of its directions has longer blocks than the shortest of all, also of those that the job does not have.
    fn is_above_the_shortest(&self) -> bool {
        let (options, pattern) = (self.options(), self.options().pattern);
        let least = [0, 1, 2].map(|way| options.lengths(way).shortest());
        let issued = [pattern.reads, pattern.writes, pattern.trims].into_iter().zip(&least);
        let mut issued = issued.filter(|(issued, _)| *issued);
        !options.bs_is_seq_rand && issued.any(|(_, own)| least.iter().any(|other| other < own))
    }

    /// Whether its draws count in a length that is shorter than its own, so that fio 3.33 finds hardly a place for a block.
    pub fn draws_no_place(&self) -> bool {
        let draws = !matches!(self.options().spread, Spread::Uniform | Spread::Zoned { .. });
        self.options().pattern.random && draws && self.is_above_the_shortest()
    }

    /// Whether its amount is none of whole blocks, so that fio may do one more of a file than fit.
    pub fn is_uneven(&self) -> bool {
        let (options, block) = (self.options(), self.options().shortest_block().max(1));
        let files = number_of_files(options).max(1) as u64;
        let odd = |amount: Option<Amount>, by: u64| match amount {
            Some(Amount::Bytes(bytes)) => bytes % by > 0,
            Some(Amount::Percent(share)) => share % 100 > 0,
            None => false,
        };
        odd(options.io_size, block)
            || options.io_size.is_none() && odd(options.size, block * files)
            || options.filesize % block > 0
    }

    /// Whether `offset_increment` sets the parts of its copies wholly apart.
    fn copies_are_disjoint(&self) -> bool {
        matches!((self.options().offset_increment, self.extent().1), (Amount::Bytes(by), Some(length)) if length <= by)
    }

    /// Whether the parts of its copies lie over each other, although `offset_increment` sets them apart.
    pub fn copies_overlap(&self) -> bool {
        matches!((self.options().offset_increment, self.extent().1), (Amount::Bytes(by @ 1..), Some(length)) if length > by)
    }

    /// Whether a time can end it before all is done.
    fn is_timed(&self) -> bool {
        let options = self.options();
        let (ends, steers) = (options.runtime.0 > 0, options.bounds.steers());
        ends || steers || is_steadied(options) || self.typed("max_latency").is_some()
    }

    /// Whether time alone ends it, and no pass over its part before: in fio 3.33 an engine that does not wait ends each pass
    /// of a job with `verify`.
    fn goes_round(&self) -> bool {
        let options = self.options();
        options.ends_by_time() && (waits(options) || !options.verify.is_on())
    }

    /// Passes over the part of each file that the I/Os of all directions make in a copy, if no time ends it, for a direction
    /// that goes in order from the start, or to each block once. `None` if chance decides it, or it is not known here.
    fn rounds(&self, direction: Direction) -> Option<f64> {
        let (job, options) = (self.first()?, self.options());
        let all_open = options.openfiles == 0 || options.openfiles as usize >= job.files.len();
        // A flush takes the turn of a file.
        let is_part = options.pattern.mixed() || options.io_size.is_some() || options.number_ios > 0;
        let flushes = is_part && options.pattern.writes && options.fsync.max(options.fdatasync) > 0;
        let each_in_turn = job.access.files == FileTurn::IN_TURN && all_open && !flushes;
        let in_turn = job.files.len() < 2 || each_in_turn;
        let found = options.opendir.is_some() || self.fills_the_volume() || options.verify.state_load;
        let is_drawn = self.is_too_short()
            || self.read_percent().is_none()
            || self.rates_decide()
            || self.falls_short().is_some();
        let is_other = options.file_append || options.trace.read.is_some() || leaves_holes(options);
        if is_other || !in_turn || !self.comes_round(direction) || found || is_drawn {
            return None;
        }
        if options.ends_by_time() && !self.goes_round() {
            // Reads of a backlog shift the ends.
            return (options.verify.backlog == 0).then_some(f64::MAX);
        }
        let part = self.extent().1.map(|length| length as f64 * job.files.len().max(1) as f64);
        match (part, self.amount()) {
            (Some(part), Some(amount)) if part > 0.0 => Some(amount / part),
            _ if options.io_size.is_some() || options.number_ios > 0 => None,
            _ => Some(options.loops as f64),
        }
    }

    /// Bytes after which a copy ends, also by its number of I/Os; a trim and the write after it count once.
    fn amount(&self) -> Option<f64> {
        let options = self.options();
        let ios = options.number_ios.saturating_mul(options.loops);
        let counted = (ios > 0).then(|| ios as f64 * self.mean_block());
        let sized = self.sized().map(|bytes| bytes as f64 / self.acts_on_a_block());
        sized.into_iter().chain(counted).reduce(f64::min)
    }

    /// What the I/Os of `direction` come to in order at most, in words, where the length of the part is not known.
    fn at_most(&self, direction: Direction) -> Option<String> {
        let is_known = self.extent().1.is_some() || self.options().ends_by_time();
        let each = self.amount()? * self.of_a_pass(direction)? / self.first()?.files.len().max(1) as f64;
        let about = if self.options().pattern.mixed() { "about " } else { "" };
        (goes_on(self, direction) && !is_known)
            .then(|| format!("at most {about}the first {}", bytes(each as u64)))
    }

    /// I/Os on each block in a pass: a trim and a write, or one.
    fn acts_on_a_block(&self) -> f64 {
        if self.options().pattern.trims && self.options().pattern.writes { 2.0 } else { 1.0 }
    }

    /// Share of the part that the I/Os of `direction` are in one pass of all directions, by their bytes.
    fn of_a_pass(&self, direction: Direction) -> Option<f64> {
        let moved = |way: Direction| self.share(way) * self.mean_of(way);
        let all: f64 = Direction::ALL.into_iter().map(moved).sum();
        (all > 0.0).then(|| moved(direction) / all * self.acts_on_a_block())
    }

    /// Passes that the I/Os of `direction` alone make.
    fn passes(&self, direction: Direction) -> Option<f64> {
        Some(self.of_a_pass(direction)? * self.rounds(direction)?)
    }

    /// Orders of random places that its passes take at most, on average over its copies: every second thread of fio 3.33
    /// takes another one in its first pass, and without `randrepeat` every pass does.
    fn orders(&self) -> f64 {
        let options = self.options();
        match (options.randrepeat && !options.randseed_typed, options.numjobs) {
            (false, _) => f64::MAX,
            (true, 1) => f64::from(1 + self.job.number % 2),
            (true, _) => 1.5,
        }
    }

    /// Whether the I/Os of `direction` come to an end of the part: in order, or with each block once.
    fn comes_round(&self, direction: Direction) -> bool {
        let options = self.options();
        let is_whole = self.first().is_some_and(|job| *job.access.random_percent.of(direction) == 100);
        let once = options.pattern.random && !options.has_no_map() && options.spread == Spread::Uniform;
        self.goes_in_order(direction) || is_whole && once
    }

    /// Whether the directions of a mix begin again, if no time ends it.
    fn turns(&self) -> bool {
        let all = |way| if waits(self.options()) { self.passes(way) } else { self.rounds(way) };
        [Direction::Read, Direction::Write].into_iter().filter_map(all).any(|passes| passes > 1.0 / WHOLE)
    }

    /// Whether a mix writes blocks again in an order other than that of the first time, before fio has checked them.
    pub fn writes_again_in_another_order(&self) -> bool {
        let options = self.options();
        let again = !self.comes_round(Direction::Write) || options.rw_number != 0 || options.lfsr;
        let several = options.loops > 1 || self.rounds(Direction::Write).is_some_and(|rounds| rounds > 1.0);
        options.pattern.mixed() && !self.goes_round() && (again || self.orders() == f64::MAX && several)
    }

    /// Share of the part of each file that the I/Os of `direction` come to in a copy, if no time ends it, at most 1. In fio
    /// 3.33 reads and writes both begin again where a pass of both ends, or with an engine that waits, where one of them has
    /// come to the end; at random places each pass takes the order of the first one, unless `randrepeat` is off.
    pub fn reach(&self, direction: Direction) -> Option<f64> {
        let (own, rounds) = (self.passes(direction)?, self.rounds(direction)?);
        let in_order = self.goes_in_order(direction);
        if in_order && waits(self.options()) {
            let ways = [Direction::Read, Direction::Write].into_iter().filter(|way| self.share(*way) > 0.0);
            let most = ways.filter_map(|way| self.passes(way)).fold(own, f64::max);
            return Some(if most > 1.0 { own / most } else { own });
        }
        let orders = if in_order { 1.0 } else { self.orders().min(rounds) };
        let each = self.of_a_pass(direction)?;
        Some(if rounds > 1.0 { 1.0 - (1.0 - each).powf(orders) } else { own })
    }

    /// End in bytes of what the I/Os of `direction` come to in order in the first copy, if no time ends it.
    pub fn comes_to(&self, direction: Direction) -> Option<u64> {
        let share = self.reach(direction).filter(|_| self.goes_in_order(direction) && !self.is_timed())?;
        let (from, length) = self.extent();
        Some(from? + (length? as f64 * share.min(1.0)) as u64).filter(|_| share > 0.0 && !self.does_nothing())
    }
}

/// The start of the part of each file, in words: its bytes if they are known, otherwise its share.
fn first_of(job: &PlannedJob, share: f64) -> String {
    let block = job.mean_block().max(1.0);
    let of_each = if job.files().0.len() > 1 { " of each" } else { "" };
    let first = match job.extent() {
        (_, Some(length)) if !apart(job.options()) => {
            bytes(((length as f64 * share / block).round() * block) as u64)
        }
        _ => percent(share),
    };
    first + of_each
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn times(share: f64) -> String {
    let rounded = (share * 10.0).round() / 10.0;
    format!("{rounded} times")
}

/// What of the part the I/Os come to, where that is not all of it, once.
pub fn gone_through(job: &PlannedJob) -> Option<String> {
    let options = job.options();
    if leaves_holes(options) {
        return None;
    }
    let it = if job.files().0.len() > 1 { "each" } else { "it" };
    let most = if job.is_timed() { "at most" } else { "about" };
    let wraps = job.goes_round();
    if options.pattern.mixed() {
        let ways = [Direction::Read, Direction::Write];
        let turns = job.turns();
        let come = |way: Direction| match (job.reach(way), job.passes(way)) {
            (Some(share), _) if share < WHOLE && !wraps => {
                let again = if turns { ", again and again" } else { "" };
                let first =
                    if share < LITTLE { first_of(job, share) } else { format!("{} of {it}", percent(share)) };
                format!("come to {most} the first {first}{again}")
            }
            (Some(_), Some(passes)) if passes > 1.0 / WHOLE && !wraps => {
                format!("go through {it} {most} {}", times(passes))
            }
            (Some(_), _) => format!("go through {it}"),
            (None, _) => {
                job.at_most(way).map_or("go on by themselves".to_owned(), |most| format!("come to {most}"))
            }
        };
        let [reads, writes] = ways.map(come);
        return match ways.map(|way| job.goes_in_order(way)) {
            [true, true] if reads == writes => {
                Some(format!("From its start, reads and writes each {reads}."))
            }
            [true, true] => Some(format!("From its start, reads {reads}, and writes {writes}.")),
            [true, false] => Some(format!("From its start, the reads in order {reads}.")),
            [false, true] => Some(format!("From its start, the writes in order {writes}.")),
            [false, false] => None,
        };
    }
    let way = if options.pattern.reads { Direction::Read } else { Direction::Write };
    let way = if options.pattern.trims { Direction::Trim } else { way };
    if let Some(most) = job.at_most(way) {
        return Some(format!("Of that it comes to {most}."));
    }
    let passes = job.passes(way).filter(|_| !options.ends_by_time())?;
    let first = match job.goes_in_order(way) {
        true => format!("the first {}", first_of(job, passes)),
        false => format!("{} of the blocks", percent(passes)),
    };
    // The loops are told with the amount.
    let is_told = options.loops > 1 && options.io_size.is_none();
    match passes {
        share if share < WHOLE => {
            (share > LITTLE || job.goes_in_order(way)).then(|| format!("Of that it comes to {first}."))
        }
        more if more > 1.0 / WHOLE && !is_told => Some(format!("It goes through that {}.", times(more))),
        _ => None,
    }
}

/// Whether one direction of a mix begins again before it has come to the end, because the other one does.
pub fn turns_unevenly(job: &PlannedJob) -> bool {
    let is_behind =
        |way: Direction| job.goes_in_order(way) && job.reach(way).is_some_and(|share| share < 0.9);
    let turns = job.turns() && !job.goes_round();
    job.options().pattern.mixed() && turns && [Direction::Read, Direction::Write].into_iter().any(is_behind)
}

/// The direction that changes what is there.
fn changing(job: &PlannedJob) -> Direction {
    if job.options().pattern.writes { Direction::Write } else { Direction::Trim }
}

/// Share of the part of each file that the copies change together, however long it takes; `None` if chance or time decides it.
pub fn share_changed(job: &PlannedJob) -> Option<f64> {
    let (way, options) = (changing(job), job.options());
    let each = job.reach(way).filter(|_| !job.goes_round())?;
    match options.numjobs > 1 && !own_files(options) && !job.goes_in_order(way) {
        // Each copy takes an order of its own.
        true if apart(options) => Some(each).filter(|_| job.copies_are_disjoint()),
        true => Some(1.0 - (1.0 - each).powf(f64::from(options.numjobs))),
        false => Some(each),
    }
}

/// The part of each file that is lost, if it is not the whole of it.
pub fn lost_part(job: &PlannedJob) -> Option<String> {
    let (way, options) = (changing(job), job.options());
    let most = if job.is_timed() { "at most" } else { "about" };
    match share_changed(job) {
        Some(share) if share < WHOLE && job.goes_in_order(way) => {
            Some(format!("{most} the first {}", first_of(job, share)))
        }
        None if job.at_most(way).is_some() => job.at_most(way),
        Some(share) if share >= WHOLE => part(job),
        None if goes_on(job, way) || covers(job, way) => part(job),
        _ if options.zonesize > 0 => part(job),
        _ => {
            Some(part(job).map_or("blocks all over it".to_owned(), |part| format!("blocks all over {part}")))
        }
    }
}

/// Whether the I/Os of `way` come to each block once, in whatever order, if the job goes on for long enough.
fn covers(job: &PlannedJob, way: Direction) -> bool {
    job.comes_round(way) && (job.goes_round() || !job.options().pattern.mixed())
}

/// Whether the I/Os of `way` follow each other without holes.
fn goes_on(job: &PlannedJob, way: Direction) -> bool {
    job.goes_in_order(way) && !leaves_holes(job.options())
}

/// Whether blocks are left out between others, or come again.
fn leaves_holes(options: &JobOptions) -> bool {
    options.rw_number != 0 || options.zonesize > 0
}

/// What becomes of what is there, and whether it is checked.
pub fn changed(job: &PlannedJob) -> Option<String> {
    let options = job.options();
    let is_null = options.engine.name == "null" || options.filename.as_deref().is_some_and(stores_nothing);
    let reads_back = options.verify.only && options.verify.is_on();
    if is_null || options.engine.act() != Act::Move {
        return None;
    }
    if !options.pattern.destroys() {
        return (!reads_back && !job.changes_nothing && !job.lacks_words).then(|| unchanged(job));
    }
    if options.file_append {
        return Some("What is there already is kept.".to_owned());
    }
    let way = changing(job);
    let done = match (options.pattern.writes, options.pattern.trims) {
        (true, true) => "trimmed and overwritten",
        (true, false) => "overwritten",
        _ => "trimmed and so lost",
    };
    let most = if job.is_timed() { "at most about" } else { "about" };
    let what = match share_changed(job) {
        _ if job.at_most(way).is_some() => format!("{} are {done}", job.at_most(way).unwrap_or_default()),
        Some(share) if share >= WHOLE && !job.is_timed() => format!("all of it is {done}"),
        Some(share) if share < WHOLE && job.goes_in_order(way) => {
            format!("{most} the first {} are {done}", first_of(job, share))
        }
        Some(share) if share < LITTLE => format!("a few of its blocks are {done}"),
        Some(share) if share < WHOLE => {
            let is_one_order = job.orders() == 1.0 && job.rounds(way).is_some_and(|rounds| rounds > 1.0);
            let same = if is_one_order { ", the same in each pass" } else { "" };
            format!("{most} {} of its blocks are {done}{same}", percent(share))
        }
        None if !goes_on(job, way) && !covers(job, way) => format!("blocks all over it are {done}"),
        _ if job.is_timed() => format!("it is {done} as far as the time suffices"),
        None if goes_on(job, way) => format!("it is {done} as far as the job comes"),
        _ => format!("blocks all over it are {done}"),
    };
    let what = match options.pattern.trims && on_files_only(options) {
        true => {
            format!("fio ends with an error at its first trim, as no file takes one. With plimsoll {what}")
        }
        false => recased(&what, char::to_ascii_uppercase),
    };
    let may_check = options.verify.is_on() || job.lacks_words;
    let check = if may_check || !options.pattern.writes { "" } else { ", and not checked" };
    Some(format!("{what}{check}."))
}

/// What is said of a job that only reads.
fn unchanged(job: &PlannedJob) -> String {
    let options = job.options();
    let sized = matches!(options.size, Some(Amount::Bytes(_))) || options.filesize > 0;
    let makes = sized && on_files_only(options) && options.allow_file_create && !job.made_by_others;
    let but = if makes { " but files that are missing or too short" } else { "" };
    let checked = match (options.verify.is_on(), makes) {
        (true, _) => "",
        (false, true) => ", and nothing is checked",
        (false, false) => " or checked",
    };
    let then = if options.unlink && on_files_only(options) {
        "; its files are deleted at the end (unlink)"
    } else {
        ""
    };
    format!("Nothing is written{but}{checked}{then}.")
}
