//! fio: command lines and job files in, fio's output out.
//!
//! [`parse`] turns words into a [`Request`]; [`steps`] looks at the disk and turns the request into steps to run one
//! after another; [`opening`], [`human`], [`json`] and [`LiveLine`] print the results in fio's words.

mod alike;
mod amounts;
mod arithmetic;
mod asked;
mod batching;
mod bounds;
mod collect;
mod commandline;
mod commands;
mod data;
mod debug;
mod defaults;
mod disks;
mod engine_ways;
mod engines;
mod error;
mod exact;
mod files;
mod flushing;
mod jobfile;
mod kinds;
mod lengths;
mod logging;
mod logs;
mod meant;
mod number;
mod opening;
mod options;
mod pace;
mod pattern;
mod present;
mod priorities;
mod reader;
mod recording;
mod reference;
mod remedy;
mod replaying;
mod ring;
mod row;
mod rows;
mod section;
mod shape;
mod shapes;
mod shortened;
mod showcmd;
mod so_far;
mod spoilt;
mod steady;
mod steps;
mod substitute;
mod table;
mod terms;
mod timing;
mod trace;
mod units;
mod untaken;
mod value;
mod verification;
mod verify;
mod written;

pub use ::options::{Entry, Support};
pub use alike::{ComparedFigure, Likeness, ToolOutcome, compared, documented};
pub use arithmetic::evaluated;
pub use asked::{
    About, Eta, FioJob, FioRequest, Format, IdleCpus, LaysOut, Presentation, Remark, Request, Surroundings,
    TerseVersion,
};
pub use commandline::{describe, parse};
pub use commands::{Argument, COMMANDS, CommandRow, CommandTable, Commands, VERSION};
pub use disks::{Below, Disk};
pub use engine_ways::{EngineWay, Stage, engine_way};
pub use engines::Engine;
pub use error::{FioError, JobWithoutSize, Lacking, Place, RefusedOption, Waits};
pub use files::{Look, OnDisk, OnDiskKind, split_list};
pub use logging::{LogOptions, LogValue};
pub use logs::Logs;
pub use number::{KbBase, NumberError, TimeUnit};
pub use opening::{capped_depths, opening};
pub use options::{JobOptions, Pattern, UnifiedReport};
pub use pattern::{MOST as PATTERN_MOST, PatternFile};
pub use present::{
    Clock, DiskUse, FioReport, INTERRUPTED, Idleness, LiveLine, LiveLineText, human, json, messages, not_run,
    terse,
};
pub use reader::{Reader, Reading};
pub use recording::{HEADER as TRACE_HEADER, Recordings};
pub use reference::entries;
pub use replaying::{Trace, TraceInput, TraceWorld, read_traces};
pub use row::{JobTable, Part, Row};
pub use rows::ROWS;
pub use shape::{Shape, ShapeValue};
pub use shortened::{Shortened, shortened};
pub use showcmd::quoted;
pub use so_far::SoFar;
pub use steady::{SteadyOptions, SteadyWatch};
pub use steps::{FioStep, PlannedSteps, Unrunnable, announcement, steps};
pub use table::table;
pub use terms::{ExitWhat, TimeOptions};
pub use trace::{Action, Event, Fault, FaultPlace, TraceFile, TraceIo, TraceOptions, TraceReader, is_trace};
pub use untaken::RequestDescription;
pub use value::{Amount, Each, Floats, Kind, Value, ValueError, Word};
pub use written::{Approximation, job_file};
