//! The place of a device in its stack: its names, and the devices below it.

use serde::{Deserialize, Serialize};

/// A device with its place in the stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Kernel name.
    pub name: String,
    /// The name that users know the device by; empty if there is none.
    pub alias: String,
    /// Kernel names of the devices below, layer by layer downwards; empty for a disk.
    pub on: Vec<Vec<String>>,
}

impl Place {
    /// Whether the device `name` is below this one.
    pub(crate) fn stands_on(&self, name: &str) -> bool {
        self.on.iter().flatten().any(|below| below == name)
    }
}
