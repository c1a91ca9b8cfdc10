//! `plimsoll lab`: volumes that this kernel throttles.

use crate::arguments::LabArguments;
use crate::failure::Failure;

/// Makes, lists or removes lab volumes.
pub fn run(_arguments: &LabArguments) -> Result<u8, Failure> {
    Err(Failure::refused("lab volumes are not there yet"))
}
