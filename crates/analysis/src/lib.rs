//! From a run to findings and a verdict, purely: the same record gives the same findings on any day.

mod answered;
mod bucket;
mod burst;
mod cached;
mod causes;
mod cells;
mod changed;
mod claims;
mod clean;
pub mod compare;
mod counted;
mod counts;
mod course;
mod credits;
mod device_place;
mod diagnosis;
mod estimate;
mod exclude;
mod figures;
mod finding;
pub mod findings;
mod ground;
mod headroom;
mod identified;
mod judge;
mod latency;
mod level;
pub mod loads;
pub mod map;
mod merged;
mod metering;
mod odd;
mod picture;
mod places;
mod plateaus;
mod points;
mod pulses;
mod quick;
mod regimes;
mod repeats;
mod shortage;
mod significance;
mod sittings;
pub mod size;
mod soak;
mod spent;
mod step_figures;
mod target_doubt;
mod timeline;
mod together;
pub mod trend;
mod verdict;
mod watch;
mod windows;

pub use answered::{CheckAnswer, ProcedureAnswer};
pub use bucket::{BucketAccount, Refill};
pub use burst::{
    AlikeEnd, Asking, BothWays, BucketContent, BurstAnswer, BurstBudget, BurstPart, ComingEnd, Ends,
    Fullness, MeasuredDrain, Outlook, Outlooks, PublishedBurst, asked_for, burst_answer,
};
pub use cached::CacheShare;
pub use causes::cause::{Charge, LevelUnit, Tells};
pub use cells::{Cell, Pattern, cells};
pub use claims::{EXPECTATION, OpenRate, open_rates};
pub use course::Course;
pub use device_place::Place;
pub use estimate::Estimate;
pub use exclude::exclude;
pub use finding::{Confidence, Evidence, FindingOf};
pub use findings::{Finding, Meaning};
pub use headroom::{
    ArrivalShape, BoundOutcome, Greatest, Headroom, HeadroomAnswer, HeadroomBound, HeadroomDoubt, Holds,
    OpenLoad, PromisedRate, Search, claimed_latency, elapsed as search_elapsed, keeps_up,
};
pub use identified::{circumstances, levels};
pub use judge::{TELLING, analyse};
pub use map::MapAnswer;
pub use merged::{MergedAnswer, MergedLoad, MergedRow, MergedStep, alone_rates};
pub use metering::{Metering, Scales};
pub use picture::Analysis;
pub use places::{
    Budget, BudgetCause, CacheObservation, Joint, Loading, Look, PlacesAnswer, Region, RegionKind,
    STRIP_BLOCK, SetObservation, Span, StripPoint, TRACK_BLOCK, TracksObservation, WARM_BLOCK, Window, look,
    places_known, span,
};
pub use policy::Resource;
pub use pulses::in_whole_pulses;
pub use quick::{QuickRow, Whose, quick_rows};
pub use regimes::{Change, ChangedRate, Regimes};
pub use sittings::{in_sittings, own_steps};
pub use soak::{Drift, DutyFigures, PromiseOutcome, SoakAnswer, SoakProbe};
pub use spent::{Consumption, CreditRow};
pub use step_figures::{CleanIntervals, LatencyRole, LatencyRow, Point};
pub use together::{
    Beside, BudgetTransfer, Fairness, LoadTogether, MachineAnswer, MachineLimits, MachineRow, PartTogether,
    Reach, SharedBudget, Standing, TogetherAnswer, TogetherDoubt, TogetherLook, TogetherRole, VolumeTogether,
    half_load, look_together, other_block,
};
pub use verdict::{Answer, ClaimRow, ClaimedFigure, Doubt, Quantity, Reading, Verdict};
pub use watch::busiest::{BusiestDevice, BusyAnswer, DeviceUser};
pub use watch::command::{CommandTime, StorageAnswer, StorageWait};
pub use watch::shape::{
    ContractRow, DetectionLimits, DeviceFigures, Flow, Latency, Level, LevelOrigin, LoadFigures, LoadFlow,
    LoadShortfall, PhaseFigures, Remark, SeriesRow, WHOLE, Waiting, WatchFigures, WatchedDevice,
};
pub use windows::FiveWindows;
