//! Options on when a job starts, rests and ends, and on the effect of errors.

use options::errno_named;
use workload::{
    ByDirection, Direction, Errnos, Nanos, OnError, Priority, PriorityClass, Reach, SyncMode, Think,
    ThinkCount, ThinkPace, Urgent,
};

use super::number::{self, NumberError, TimeUnit};
use super::value::{Each, Value, ValueError};

/// Options of a job's time, priority and errors; fio's defaults are in the rows.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)] // Each field is the option of its name in the table, which says what it means.
pub struct TimeOptions {
    pub startdelay: (Nanos, Nanos),
    pub wait_for: Option<String>,
    pub exitall: bool,
    pub exit_what: ExitWhat,
    pub exitall_on_error: bool,
    pub thinktime: Nanos,
    pub thinktime_spin: Nanos,
    /// `None`: the default of 1, unless a working time between pauses is set.
    pub thinktime_blocks: Option<u32>,
    pub thinktime_issued: bool,
    pub thinktime_iotime: Nanos,
    pub rate_ignore_thinktime: bool,
    /// Whether the job continues after errors of reads, writes and checks, respectively.
    pub continue_on_error: [bool; 3],
    pub ignore_error: Each<Vec<i32>>,
    pub error_dump: bool,
    pub sync: SyncMode,
    pub prio: Option<u8>,
    pub prioclass: Option<u8>,
    pub cmdprio_percentage: Each<u64>,
    pub cmdprio_bssplit: Each<Option<Vec<super::priorities::PriorityShare>>>,
    pub cmdprio: Each<u64>,
    pub cmdprio_class: Each<u64>,
}

/// Which other jobs end when a job ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExitWhat {
    /// The jobs of its group in the report.
    #[default]
    Group,
    /// All jobs that run beside it.
    Stonewall,
    /// All jobs that run beside it, and all jobs that would follow.
    All,
}

impl ExitWhat {
    /// The value of a word in the option table.
    pub fn named(word: &str) -> ExitWhat {
        match word {
            "stonewall" => ExitWhat::Stonewall,
            "all" => ExitWhat::All,
            _ => ExitWhat::Group,
        }
    }

    pub(super) fn reach(self) -> Reach {
        match self {
            ExitWhat::Group => Reach::Group,
            ExitWhat::Stonewall | ExitWhat::All => Reach::Step,
        }
    }
}

/// Errors that fio tolerates if none are named: EIO and EILSEQ.
const PASSED_OVER: [i32; 2] = [5, MISMATCH];
/// EILSEQ, which means that a block differs from the data written.
pub(super) const MISMATCH: i32 = 84;

impl TimeOptions {
    /// Sets the delay of the start, a time or a range of times.
    pub fn set_startdelay(&mut self, value: &Value) {
        if let Value::Shape(super::shape::ShapeValue::Times(least, most)) = value {
            self.startdelay = (*least, *most);
        }
    }

    /// Sets `continue_on_error` from its word.
    pub fn set_continue(&mut self, word: &str) {
        self.continue_on_error = match word {
            "read" => [true, false, false],
            "write" => [false, true, false],
            "io" => [true, true, false],
            "verify" => [false, false, true],
            "all" | "1" => [true; 3],
            _ => [false; 3],
        };
    }

    /// Sets `sync` from its word.
    pub fn set_sync(&mut self, word: &str) {
        self.sync = match word {
            "sync" | "1" => SyncMode::Sync,
            "dsync" => SyncMode::Dsync,
            _ => SyncMode::None,
        };
    }

    /// Delay of the start, drawn from the range by the seed of the clone.
    pub(super) fn delay(&self, seed: u64) -> Nanos {
        let (least, most) = self.startdelay;
        let share = seed.wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32;
        least + Nanos(((u128::from(most.since(least).0) * u128::from(share)) >> 32) as u64)
    }

    pub(super) fn think(&self) -> Option<Think> {
        if self.thinktime == Nanos::ZERO {
            return None;
        }
        let by_clock = (self.thinktime_iotime > Nanos::ZERO).then_some(self.thinktime_iotime);
        // Only the clock counts, unless a number of blocks was typed too.
        let blocks = if by_clock.is_some() { u32::MAX } else { 1 };
        Some(Think {
            counted: if self.thinktime_issued { ThinkCount::Issued } else { ThinkCount::Done },
            after: by_clock,
            spin: self.thinktime_spin,
            pace: if self.rate_ignore_thinktime { ThinkPace::Moved } else { ThinkPace::Kept },
            ..Think::each(self.thinktime_blocks.unwrap_or(blocks).max(1), self.thinktime)
        })
    }

    /// Errors that are tolerated, at the index of reads, writes or checks.
    fn ignored(&self, at: usize) -> &[i32] {
        match (self.ignore_error[at].as_slice(), self.continue_on_error[at]) {
            ([], true) => &PASSED_OVER,
            (listed, _) => listed,
        }
    }

    /// Whether any error may be tolerated.
    pub fn passes_over_any(&self) -> bool {
        self.continue_on_error.contains(&true) || self.ignore_error.iter().any(|listed| !listed.is_empty())
    }

    /// Whether the job continues after a block that differs from the data written.
    pub fn passes_over_mismatch(&self) -> bool {
        self.ignored(2).contains(&MISMATCH)
    }

    /// Whether the job continues after this error. As in fio, EILSEQ means a failed check.
    pub fn passes_over(&self, direction: Direction, errno: i32) -> bool {
        match (direction, errno) {
            (_, MISMATCH) => self.passes_over_mismatch(),
            (Direction::Read, _) => self.ignored(0).contains(&errno),
            _ => self.ignored(1).contains(&errno),
        }
    }

    pub(super) fn on_error(&self) -> OnError {
        let [reads, writes] = [0, 1].map(|at| self.ignored(at).to_vec());
        match reads.is_empty() && writes.is_empty() {
            true => OnError::Stop,
            false => OnError::Continue { reads: Errnos::These(reads), writes: Errnos::These(writes) },
        }
    }

    /// Sets the priorities by length that were typed.
    pub fn set_priorities(&mut self, value: &Value) {
        if let Value::Shape(super::shape::ShapeValue::Priorities(typed)) = value {
            for (place, shares) in
                self.cmdprio_bssplit.iter_mut().zip(typed).filter(|(_, typed)| typed.is_some())
            {
                place.clone_from(shares);
            }
        }
    }

    /// Whether some I/Os have their own priority.
    pub(super) fn has_urgent(&self) -> bool {
        self.cmdprio_percentage.iter().any(|percent| *percent > 0)
            || self.cmdprio_bssplit.iter().any(Option::is_some)
    }

    /// Shares of I/Os that have their own priority.
    pub(super) fn urgent(&self) -> ByDirection<Option<Urgent>> {
        let of = |way: usize| {
            let percent = self.cmdprio_percentage[way].min(100) as u8;
            let priority =
                Priority { class: class_of(self.cmdprio_class[way]), level: self.cmdprio[way].min(7) as u8 };
            (percent > 0).then_some(Urgent { percent, priority })
        };
        ByDirection { read: of(0), write: of(1), trim: of(2) }
    }

    pub(super) fn priority(&self) -> Option<Priority> {
        let class = match (self.prioclass, self.prio) {
            (None | Some(0), None) => return None,
            (Some(1), _) => PriorityClass::Realtime,
            (Some(3), _) => PriorityClass::Idle,
            _ => PriorityClass::BestEffort,
        };
        Some(Priority { class, level: self.prio.unwrap_or(0) })
    }
}

/// The priority class of a number; fio's default is real time.
pub(super) fn class_of(number: u64) -> PriorityClass {
    match number {
        2 => PriorityClass::BestEffort,
        3 => PriorityClass::Idle,
        _ => PriorityClass::Realtime,
    }
}

/// Numbers of the class and the level of `priority`, as in fio's reports.
pub(super) fn class_and_level(priority: Priority) -> (u8, u8) {
    let class = match priority.class {
        PriorityClass::Realtime => 1,
        PriorityClass::BestEffort => 2,
        PriorityClass::Idle => 3,
    };
    (class, priority.level)
}

/// Reads `2s` or `1s:5s`.
pub(super) fn times(word: &str) -> Result<(Nanos, Nanos), ValueError> {
    let (least, most) = word.split_once([':', '-']).unwrap_or((word, word));
    let least = number::time(least, TimeUnit::Seconds)?;
    let most = number::time(most, TimeUnit::Seconds)?;
    if most < least {
        let why = "the range ends before it begins; write the smaller time first";
        return Err(NumberError::misread(word, why).into());
    }
    Ok((least, most))
}

/// Reads error names and numbers separated by colons, in lists for reads, writes and checks separated by commas.
pub(super) fn errors(word: &str) -> Result<Each<Vec<i32>>, ValueError> {
    let mut lists: Each<Vec<i32>> = Default::default();
    let typed: Vec<&str> = word.split(',').collect();
    if typed.len() > lists.len() {
        return Err(ValueError::TooMany(lists.len()));
    }
    for (list, typed) in lists.iter_mut().zip(typed) {
        for name in typed.split(':').map(str::trim).filter(|name| !name.is_empty()) {
            list.push(error(word, name)?);
        }
    }
    Ok(lists)
}

fn error(word: &str, name: &str) -> Result<i32, ValueError> {
    let number = || name.parse().ok().filter(|errno| (1..4096).contains(errno));
    errno_named(name).or_else(number).ok_or_else(|| {
        let why = format!("'{name}' is no error; write its number, or a name such as EIO or ENOSPC");
        NumberError::misread(word, why).into()
    })
}
