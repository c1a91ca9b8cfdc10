//! The nouns of requests and plans: units, targets, jobs, plans, and the check that they agree.
//!
//! Nothing in this crate touches the world: no clock, no file, no environment. Every other crate imports it.

mod access;
mod agree;
mod asked;
mod batching;
mod blocks;
mod bounds;
mod buffers;
mod calls;
mod claimed_load;
mod diskspd;
mod expect;
mod io;
mod job;
mod layout;
mod pace;
mod plan;
mod replay;
mod ring;
mod spread;
mod stop;
mod target;
mod terms;
mod units;
mod urgency;
mod verify;

pub use access::{Access, FileOrder, FileTurn, Follow, Mix, Order, Pieces, Repeats, Runs};
pub use agree::{Disagreement, agree};
pub use asked::{
    AloneRate, BurstOf, BurstRequest, CheckPlan, CheckRequest, HeadroomRequest, LatencyBound, LeftOutReason,
    LeftOutStep, LoadPart, MapRequest, MergedMachine, MergedPart, MergedRequest, NamedMachine, PlacesRequest,
    ProcedureRequest, SoakRequest, TogetherLoad, TogetherRequest, TogetherVolume, TurnsRequest, name_in_part,
    part_of_name,
};
pub use batching::Batching;
pub use blocks::{BlockSizes, ByDirection, LengthShare, Lengths, LengthsBy};
pub use bounds::{Bounds, Flow, LeastRates, Steering, WhenFound};
pub use buffers::{Buffers, Duplicates, Pattern, Shape};
pub use calls::{Act, Calls, FlushBy, PagesFlush};
pub use claimed_load::{ClaimedLoad, mix};
pub use diskspd::{DiskSpdMode, DiskSpdOrder, DiskSpdRange, DiskSpdWalk};
pub use expect::{Claim, Expectation, ExpectationError, Metric};
pub use io::{Completion, Direction, Io, IoKind, Wait};
pub use job::{BackendAsk, Flush, Job, Workload};
pub use layout::{Content, Layout, LayoutFile, Replaces, Reserve};
pub use pace::Pace;
pub use plan::{BackendKind, Choice, FilePlan, StepKind, StepPlan, WorkerPlan};
pub use replay::{Packer, Replay, TracePieces, TraceRows, TracedIo, Unpacker};
pub use ring::{RingWays, Submitter, Waiting};
pub use spread::{Spread, Zone, ZoneLength};
pub use stop::{Ending, StopRule};
pub use target::{PolicyName, Target, TargetError};
pub use terms::{
    Errnos, Exit, OnError, Overlap, Priority, PriorityClass, Reach, Start, SyncMode, Terms, Think,
    ThinkCount, ThinkPace, ThinkQueue, Totals, Urgent, UrgentLength, WhenFull,
};
pub use units::{Bytes, BytesPerSecond, Iops, Nanos, UnitError, duration, grouped, rate, size};
pub use urgency::Urgency;
pub use verify::{
    Acknowledgement, Checksum, EarlierWrites, GiveBack, OnMismatch, Proof, ReadBack, StateFile,
    TrimmedContent, Verification, Verify,
};
