//! Volumes whose limits are made by others than plimsoll's simulator.

use std::any::Any;
use std::time::Duration;

use crate::machine::*;

pub const MIB: u64 = 1 << 20;
/// Size in MiB: a check writes twice as much, enough for steps of seconds.
const STORED_MIB: usize = 1024;

/// What limits a volume.
pub enum Limiter {
    /// The kernel's throttle of the lower of two stacked loop devices, with these words of the policy `custom`.
    Kernel(&'static str),
    /// QEMU's throttle with these settings.
    Qemu(Vec<(&'static str, u64)>),
    /// The timing of a device that this process serves.
    Served(fn() -> Character),
    /// Nothing but the disk below, or the page cache.
    File(Through),
}

/// A volume, removed from top to bottom.
pub struct MadeVolume {
    pub node: String,
    _device: Option<LoopOver>,
    _below: Box<dyn Any>,
}

/// Returns settings of QEMU: 1,500 operations a second for this many seconds, then 500.
pub fn operations_for(seconds: u64) -> Vec<(&'static str, u64)> {
    vec![("iops-total", 500), ("iops-total-max", 1_500), ("iops-total-max-length", seconds)]
}

/// Returns settings of QEMU: 60 MiB/s for this many seconds, then 20.
pub fn bytes_for(seconds: u64) -> Vec<(&'static str, u64)> {
    vec![("bps-total", 20 * MIB), ("bps-total-max", 60 * MIB), ("bps-total-max-length", seconds)]
}

pub fn servers() -> Character {
    Character::new(4, Takes::Even(Duration::from_millis(2)))
}

pub fn tail() -> Character {
    let even = |ms| Takes::Even(Duration::from_millis(ms));
    Character::new(12, even(2)).other_mode(0.01, even(50))
}

impl Limiter {
    /// Makes the volume; `None`, and a skip, if this machine cannot.
    pub fn make(&self, folder: &Folder) -> Option<MadeVolume> {
        match self {
            Limiter::Kernel(policy) => {
                let up = LabUp::or_skip(folder, &format!("custom,{policy}"), &format!("{STORED_MIB}M"))?;
                Some(MadeVolume { node: up.device.clone(), _device: None, _below: Box::new(up) })
            }
            Limiter::Qemu(limits) => {
                let throttled = QemuThrottle::or_skip(STORED_MIB, limits)?;
                let device = LoopOver::or_skip(throttled.path(), Through::Direct)?;
                Some(over(device, throttled))
            }
            Limiter::Served(character) => {
                let stored = folder.make_file("stored", STORED_MIB);
                let stored = std::fs::File::options().read(true).write(true).open(stored).unwrap();
                let served = Device::over_or_skip(stored)?;
                served.behave(character());
                Some(over(LoopOver::or_skip(&served.path(), Through::Direct)?, served))
            }
            Limiter::File(through) => {
                let stored = folder.make_file("stored", STORED_MIB);
                Some(over(LoopOver::or_skip(&stored, *through)?, stored))
            }
        }
    }
}

fn over(device: LoopOver, below: impl Any) -> MadeVolume {
    MadeVolume { node: text(device.path()), _device: Some(device), _below: Box::new(below) }
}
