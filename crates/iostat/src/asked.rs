//! What an iostat command line asks for.

/// What a command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Text to print; nothing is read.
    Say(String),
    /// Reports.
    Watch(Box<Asked>),
}

/// Unit of amounts of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// 1,024 bytes.
    #[default]
    Kilobytes,
    /// 1,048,576 bytes.
    Megabytes,
    /// 512 bytes, as POSIX asks for.
    Sectors,
}

/// Where devices are looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// `/sys/block`: whole disks.
    #[default]
    Disks,
    /// `/proc/diskstats`: partitions too.
    Everything,
}

/// A group of devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its members as typed.
    pub members: Vec<String>,
    /// Disks that were typed behind `-p`, which are members with their partitions.
    pub disks: Vec<String>,
}

impl Group {
    /// True where a device was typed behind the group's name.
    pub(super) fn holds(&self, device: &str) -> bool {
        self.members.iter().any(|member| member == device) || holds_partition(&self.disks, device)
    }
}

/// True where `device` is one of `disks` or a partition of one: `sda1` of `sda`, `nvme0n1p2` of `nvme0n1`.
fn holds_partition(disks: &[String], device: &str) -> bool {
    disks.iter().any(|disk| {
        let Some(rest) = device.strip_prefix(disk.as_str()) else { return false };
        let number =
            if disk.ends_with(|c: char| c.is_ascii_digit()) { rest.strip_prefix('p') } else { Some(rest) };
        rest.is_empty()
            || number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// Reports that are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The CPU report.
    pub cpu: bool,
    /// The device report.
    pub devices: bool,
    /// `-x`.
    pub extended: bool,
    /// `-s`.
    pub short: bool,
    /// Unit of amounts, where one was chosen.
    pub units: Option<Units>,
    /// Units beside each value.
    pub human: bool,
    /// Device names at the end of the line.
    pub pretty: bool,
    /// The pretty extended report in one table.
    pub compact: bool,
    /// Decimals of text, where chosen.
    pub decimals: Option<u8>,
    /// JSON instead of text.
    pub json: bool,
    /// A line with the time before each report.
    pub timestamp: bool,
    /// Names of device mapper devices.
    pub mapper_names: bool,
    /// Kind of persistent names (`id`, `label`, `path`, `uuid`), in lower case.
    pub persistent: Option<String>,
    /// Folder that holds the counters in place of `/proc` and `/sys`.
    pub folder: Option<String>,
    /// Folder whose devices come behind the kernel's.
    pub folder_besides: Option<String>,
    /// Devices typed, in order.
    pub names: Vec<String>,
    /// Disks whose partitions are asked for.
    pub with_partitions: Vec<String>,
    /// `ALL`: devices that were never used too.
    pub never_used_too: bool,
    /// Where devices are looked up.
    pub source: Source,
    /// Groups in the order typed.
    pub groups: Vec<Group>,
    /// Only groups are reported.
    pub only_groups: bool,
    /// The first report, since boot, is left out.
    pub skip_first: bool,
    /// Devices without activity are left out.
    pub skip_idle: bool,
    /// Seconds between reports; 0: one report.
    pub interval_s: u64,
    /// Number of reports; `None`: until stopped.
    pub count: Option<u64>,
}

impl Asked {
    /// Units with the default filled in.
    pub(super) fn units(&self) -> Units {
        self.units.unwrap_or_default()
    }

    /// True where the report since boot is left out; one that is the only one stays.
    pub fn skips_first(&self) -> bool {
        self.skip_first && self.interval_s > 0
    }

    /// True where this device, or with `-p` its disk, was typed.
    pub(super) fn is_typed(&self, device: &str) -> bool {
        self.names.iter().any(|name| name == device) || holds_partition(&self.with_partitions, device)
    }

    /// True where a device was typed, so that idle ones are shown too.
    pub fn is_chosen(&self) -> bool {
        !self.names.is_empty() || !self.with_partitions.is_empty()
    }
}
