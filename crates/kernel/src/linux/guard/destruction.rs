//! A description of what writing to a block device would destroy, made before the first write.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use workload::Bytes;

use crate::linux::device::{DeviceNumber, read_number, size_of_device, sysfs_folder};
use crate::linux::facts::{block_facts, folder_names};
use crate::linux::residency::{Walk, advise};
use crate::linux::signature::{Sample, Signature, Span, sample, signatures};

/// The contents of a device that is about to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destruction {
    /// The device's path as given.
    pub device: PathBuf,
    /// The kernel's name.
    pub name: String,
    /// Size of the device.
    pub size: Bytes,
    /// Model, if the device reports it.
    pub model: Option<String>,
    /// Serial number, if the device reports it.
    pub serial: Option<String>,
    /// Signatures on the device itself and inside its partitions.
    pub signatures: Vec<Signature>,
    /// Names of the partitions.
    pub partitions: Vec<String>,
    /// A sample of the device's blocks: how many are not zero; empty if only marks were looked for.
    pub sample: Sample,
}

/// What a survey of a device looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookedFor {
    /// Signatures and partitions. The thousand reads of a sample would use up what a rate limiter lets pass at the start of
    /// the load.
    Marks,
    /// Signatures, partitions, and in a sample of its blocks any other data.
    AnyData,
}

impl Destruction {
    /// Whether nothing was found: no signature, no partition, and only zeros in the sample.
    pub fn is_blank(&self) -> bool {
        self.signatures.is_empty() && self.partitions.is_empty() && self.sample.nonzero == 0
    }

    pub(super) fn survey(
        path: &Path,
        (file, number): (&File, DeviceNumber),
        looked_for: LookedFor,
    ) -> io::Result<Destruction> {
        use std::os::fd::AsFd;
        let root = Path::new("/");
        let size = size_of_device(file.as_fd())?;
        let facts = block_facts(root, number).unwrap_or_default();
        // Only advice. Without it each of the thousand reads below also reads ahead, 2.5 MiB on a loop device: nine minutes
        // at 1 MiB/s.
        let _ = advise(file, Walk::Random);
        let mut found = signatures(file, Span { start: 0, size: size.0 })?;
        let mut names = Vec::new();
        let folder = sysfs_folder(root, number).filter(|_| !facts.is_partition);
        for name in folder.as_deref().map(partitions).unwrap_or_default() {
            if let Some(span) = folder.as_deref().and_then(|folder| span_of(&folder.join(&name))) {
                found.extend(signatures(file, span)?);
            }
            names.push(name);
        }
        Ok(Destruction {
            device: path.to_owned(),
            name: facts.name,
            size,
            model: facts.model,
            serial: facts.serial,
            signatures: found,
            partitions: names,
            sample: match looked_for {
                LookedFor::Marks => Sample::default(),
                LookedFor::AnyData => sample(file, size)?,
            },
        })
    }
}

/// Names of the partitions of the disk with this folder in `/sys`.
fn partitions(folder: &Path) -> Vec<String> {
    let is_partition = |name: &String| folder.join(name).join("partition").exists();
    folder_names(folder).into_iter().filter(is_partition).collect()
}

/// Start and size of a partition on its disk; sysfs counts in units of 512 bytes.
fn span_of(folder: &Path) -> Option<Span> {
    let units = |file: &str| read_number(&folder.join(file)).map(|n| n * 512);
    Some(Span { start: units("start")?, size: units("size")? })
}

/// One paragraph: the device with model and serial number, then its contents.
impl fmt::Display for Destruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {}", self.device.display(), self.name, self.size)?;
        if let Some(model) = &self.model {
            write!(f, ", {model}")?;
        }
        if let Some(serial) = &self.serial {
            write!(f, ", serial {serial}")?;
        }
        write!(f, "): ")?;
        if self.is_blank() {
            return write!(f, "no signature, and only zeros in {} sampled blocks", self.sample.blocks);
        }
        let mut parts: Vec<String> = self.signatures.iter().map(Signature::to_string).collect();
        if !self.partitions.is_empty() {
            parts.push(format!("partitions {}", self.partitions.join(", ")));
        }
        if self.signatures.is_empty() && self.sample.nonzero > 0 {
            parts.push(format!(
                "unsigned data that is not zero in {} of {} sampled blocks",
                self.sample.nonzero, self.sample.blocks
            ));
        }
        write!(f, "{}", parts.join("; "))
    }
}
