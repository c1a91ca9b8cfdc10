//! DiskSpd: command lines and XML profiles in, DiskSpd's text and XML out.
//!
//! [`parse`] turns words into a [`Request`].

mod affinity;
mod checks;
mod commandline;
mod draft;
mod effects;
mod error;
mod markup;
mod profile;
mod row;
mod rows;
mod size;
mod spread;
mod xml_profile;

pub use commandline::{Asked, Request, Surroundings, parse};
pub use draft::{Compat, Show};
pub use error::DiskSpdError;
pub use profile::{
    Cache, Cpu, Distribution, DistributionKind, Etw, Format, MappedFlush, Precreate, Profile, Range, Target,
    ThreadTarget, Throughput, TimeSpan,
};
pub use row::{Row, Support};
pub use rows::ROWS;
pub use size::{SizeError, size};
pub use xml_profile::{ProfileError, profile_xml, read as read_profile};
