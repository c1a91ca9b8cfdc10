//! A watched machine: figures by phase and device, the contract, and rules that name what holds the storage back.

mod shape;

pub use shape::{
    ContractRow, DeviceFigures, Flow, Latency, Level, LoadFigures, LoadFlow, Named, PhaseFigures, Place,
    Remark, SeriesRow, Waiting, Watched, WatchedDevice,
};
