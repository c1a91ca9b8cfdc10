//! DiskSpd: command lines and XML profiles in, DiskSpd's text and XML out.
//!
//! [`parse`] turns words into a [`Request`]; [`plan_span`] turns a timespan and its targets into a step to run;
//! [`results`] collects the measurements, and [`results_text`] and [`results_xml`] print them in DiskSpd's words.

mod affinity;
mod checks;
mod commandline;
mod defaults;
mod doubts;
mod draft;
mod effective;
mod effects;
mod error;
mod markup;
mod present;
mod profile;
mod reference;
mod results;
mod row;
mod rows;
mod size;
mod span;
mod spread;
mod system;
mod watching;
mod xml_profile;

pub use ::options::{Entry, Support};
pub use commandline::{DiskSpdRequest, Request, Surroundings, parse};
pub use doubts::{Paths, TargetObservations, doubts, failure, not_run, possible};
pub use draft::{Compat, Show};
pub use effective::{EffectiveRange, Reach, effective};
pub use error::DiskSpdError;
pub use present::{
    DiskSpdReport, INTERRUPTED, VERSION, profile_text, results_text, results_xml, system_text, system_xml,
};
pub use profile::{
    Cache, Cpu, Distribution, DistributionKind, Etw, Format, MappedFlush, Precreate, Profile, Range, Target,
    ThreadTarget, Throughput, TimeSpan,
};
pub use reference::{entries, table, usage};
pub use results::{Bucket, CpuUse, Section, Side, SpanResult, TargetResult, results};
pub use row::{Begins, Beside, Options, Row, Standing, value_in};
pub use rows::ROWS;
pub use size::{SizeError, size};
pub use span::{
    CannotRun, Creation, Ground, PathFacts, SpanPlan, Stream, creations, plan_span, precreations,
};
pub use system::{CpuPlace, System};
pub use watching::{CpuReadings, Dots};
pub use xml_profile::{ProfileError, profile_xml, read as read_profile};
