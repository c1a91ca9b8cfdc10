//! Several simulated volumes behind one machine, as one range of bytes in which each volume directly follows the last.

use engine::{Volume, VolumeAnswer};
use workload::{Bytes, Io, Nanos, PolicyName};

use super::SimulatedVolume;
use super::build;
use super::error::SimError;
use super::machine::Machine;

/// Several volumes behind one machine, in virtual time.
#[derive(Clone, Debug)]
pub struct SimulatedGroup {
    /// Volumes in the order of their names.
    members: Vec<Member>,
    machine: Option<Machine>,
}

#[derive(Clone, Debug)]
struct Member {
    volume: SimulatedVolume,
    /// First byte of the volume in the common range.
    from: Bytes,
}

impl SimulatedGroup {
    /// Returns the volumes that `names` describe, behind the machine that any of them describes.
    ///
    /// # Errors
    /// [`SimError`] names the parameter and its allowed values.
    pub fn new(names: &[PolicyName]) -> Result<SimulatedGroup, SimError> {
        let volumes: Vec<SimulatedVolume> =
            names.iter().map(build::volume).collect::<Result<_, SimError>>()?;
        let said: Vec<_> = volumes.iter().map(|volume| (volume.basics.machine, volume.basics.seed)).collect();
        let machine = Machine::before(&said)?;
        let mut from = Bytes(0);
        let member = |volume: SimulatedVolume| {
            let member = Member { from, volume };
            from = Bytes(from.0 + member.volume.size().0);
            member
        };
        Ok(SimulatedGroup { members: volumes.into_iter().map(member).collect(), machine })
    }

    /// Returns the first byte of each volume in the common range, and its size.
    pub fn regions(&self) -> Vec<(Bytes, Bytes)> {
        self.members.iter().map(|member| (member.from, member.volume.size())).collect()
    }

    /// Returns the size of all volumes together.
    pub fn size(&self) -> Bytes {
        Bytes(self.members.iter().map(|member| member.volume.size().0).sum())
    }
}

impl Volume for SimulatedGroup {
    #[inline]
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        let number = self.members.partition_point(|member| member.from.0 <= io.offset).saturating_sub(1);
        let member = &mut self.members[number];
        let own = Io { offset: io.offset - member.from.0, ..*io };
        member.volume.serve_behind(now, &own, (self.machine.as_mut(), number))
    }

    /// The generator is the same for all volumes: it has a processor when every volume leaves it one.
    #[inline]
    fn has_cpu_at(&mut self, at: Nanos) -> Nanos {
        self.members.iter_mut().fold(at, |at, member| member.volume.has_cpu_at(at))
    }
}
