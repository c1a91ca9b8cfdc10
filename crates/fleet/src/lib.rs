//! Many machines as one measurement. MPI starts a process on each and carries their messages; everything else is here:
//! the first process gives orders ([`Coordinator`]), every process has a child that measures ([`Member`]), and all steps
//! begin at the same moment, by clocks that were compared just before. The child is plimsoll's ordinary command, so that
//! nothing of this lies on the way of an I/O, and a device that holds the child cannot hold the fleet.

mod clock;
mod coordinator;
mod library;
mod machine;
mod measuring;
mod member;
mod message;
mod request;
mod run;

pub use clock::ClockOffset;
pub use coordinator::Coordinator;
pub use library::{LibraryError, candidates, is_foreign_launcher, launched, library, neighbours};
pub use machine::{Fault, MachineState};
pub use measuring::{Measuring, MeasuringEvent};
pub use member::Member;
pub use message::{ALIVE_EVERY, Message, Order, Report, SILENCE};
pub use request::{FleetRequest, Gathered, Moment, Refusal};
pub use run::{FleetError, FleetResult, Surroundings, run};
