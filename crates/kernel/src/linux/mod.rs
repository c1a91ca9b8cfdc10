//! Linux.

pub(crate) mod call;
pub(crate) mod clock;
pub(crate) mod cpu;
pub(crate) mod device;
pub(crate) mod file;
pub(crate) mod guard;
pub(crate) mod queue;
