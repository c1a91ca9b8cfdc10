//! Which block devices are watched.

use std::path::Path;

use record::DeviceNode;
use sampler::{Devices, Root};

use crate::failure::Failure;

/// Which devices are to be watched.
#[derive(Clone, Debug, Default)]
pub struct DeviceWish {
    /// Devices named by the user; if empty, all but loop, fd, sr and ram.
    pub named: Vec<String>,
    /// Devices left out, as names or patterns.
    pub excluded: Vec<String>,
    /// User's descriptions: `sda=database log`.
    pub described: Vec<String>,
}

/// The devices that are watched, and how many there are in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedDevices {
    /// Kernel names of those that exist now.
    pub names: Vec<String>,
    /// Number of devices of the machine.
    pub known: usize,
    /// Which devices that appear later are watched too; `None` if the user named devices, because then only those
    /// are.
    rest: Option<Rest>,
}

/// A choice among devices that the user did not name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rest {
    excluded: Vec<String>,
    always: Vec<String>,
}

impl Rest {
    fn takes(&self, name: &str) -> bool {
        let named = self.always.iter().any(|known| known == name);
        (named || !sampler::left_out(name)) && !self.excluded.iter().any(|pattern| fits(pattern, name))
    }
}

impl WatchedDevices {
    /// Returns the devices of a simulated machine.
    pub(super) fn only(names: Vec<String>) -> WatchedDevices {
        WatchedDevices { known: names.len(), names, rest: None }
    }

    /// Converts to the form that the sampler takes.
    pub(super) fn to_sample(&self) -> Devices {
        match self.rest.clone() {
            Some(rest) => Devices::Fitting(Box::new(move |name| rest.takes(name))),
            None => self.names.iter().map(String::as_str).collect(),
        }
    }
}

/// Chooses devices by the command line. `target` are the devices under the load, which are always watched unless
/// excluded.
///
/// # Errors
/// A device that does not exist, with the nearest that does; or nothing is left to watch.
pub(super) fn choose(root: &Root, wish: &DeviceWish, target: &[String]) -> Result<WatchedDevices, Failure> {
    let all = sampler::known_devices(root);
    for pattern in wish.excluded.iter().filter(|pattern| !pattern.contains(['*', '?'])) {
        if !all.iter().any(|name| fits(pattern, name)) {
            return Err(unknown_device("--exclude", pattern, &all));
        }
    }
    let rest = Rest { excluded: wish.excluded.clone(), always: target.to_vec() };
    let wanted: Vec<String> = match wish.named.is_empty() {
        true => target.iter().chain(&all).filter(|name| rest.takes(name)).cloned().collect(),
        false => {
            let named = wish.named.iter().map(|word| named(root, word, &all));
            let named = named.collect::<Result<Vec<String>, Failure>>()?;
            let kept = |name: &&String| !rest.excluded.iter().any(|pattern| fits(pattern, name));
            target.iter().chain(&named).filter(kept).cloned().collect()
        }
    };
    let mut names: Vec<String> = Vec::new();
    for name in wanted {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return Err(nothing_left(wish, &all));
    }
    Ok(WatchedDevices { names, known: all.len(), rest: wish.named.is_empty().then_some(rest) })
}

/// Returns the kernel name of a device that was typed as `sda`, `/dev/sda`, `/dev/mapper/vg0-data`, or a link to
/// it.
fn named(root: &Root, word: &str, all: &[String]) -> Result<String, Failure> {
    let path = Path::new(word);
    let real = if word.contains('/') { path.canonicalize().ok() } else { None };
    let last = real.as_deref().unwrap_or(path).file_name().map(|name| name.to_string_lossy().into_owned());
    let name = last.unwrap_or_default();
    let mapped =
        all.iter().find(|known| sampler::mapper_name(root, known).is_some_and(|alias| alias == name));
    if let Some(known) = mapped {
        return Ok(known.clone());
    }
    match sampler::disk(root, &name) {
        Some(disk) => Ok(disk.name),
        None => Err(unknown_device("--device", word, all)),
    }
}

/// Returns `tree` with the user's descriptions of devices: `sda=database log`.
///
/// # Errors
/// A device that does not exist, or words of another form.
pub(super) fn described(mut tree: Vec<DeviceNode>, words: &[String]) -> Result<Vec<DeviceNode>, Failure> {
    for word in words {
        let Some((device, said)) =
            word.split_once('=').filter(|(device, said)| !device.is_empty() && !said.is_empty())
        else {
            let text = "say which device and what it is, as in --describe sda=\"database log\"";
            return Err(Failure::refused(format!("--describe {word}: {text}")));
        };
        let bare = device.trim_start_matches("/dev/").trim_start_matches("mapper/");
        let is_it = |node: &&mut DeviceNode| node.facts.name == bare || node.alias == bare;
        match tree.iter_mut().find(is_it) {
            Some(node) => said.clone_into(&mut node.description),
            None => {
                let names: Vec<String> = tree.into_iter().map(|node| node.facts.name).collect();
                return Err(unknown_device("--describe", device, &names));
            }
        }
    }
    Ok(tree)
}

/// Returns the failure for a device `word` that does not exist, with the devices that do.
pub fn unknown_device(option: &str, word: &str, all: &[String]) -> Failure {
    let bare = word.trim_start_matches("/dev/");
    let near = policy::nearest(bare, all.iter().map(String::as_str));
    let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    let there = match all.len() {
        0 => "this machine shows no block device".to_owned(),
        _ => format!("there are {}", listed(all)),
    };
    Failure::refused(format!("{option} {word}: no such block device{near} ({there})"))
}

fn nothing_left(wish: &DeviceWish, all: &[String]) -> Failure {
    let there = if all.is_empty() { "none".to_owned() } else { listed(all) };
    let text = match wish.excluded.is_empty() {
        true => format!(
            "no block device to watch: loop, fd, sr and ram are left out, and the machine shows {there}; name one with --device"
        ),
        false => format!(
            "--exclude {} leaves no block device to watch; leave it out, or name one with --device (the machine shows {there})",
            wish.excluded.join(" --exclude ")
        ),
    };
    Failure::refused(text)
}

/// Most names that are listed.
const LISTED: usize = 8;

/// Lists names, starting with the devices that people usually mean.
fn listed(all: &[String]) -> String {
    let (plain, rest): (Vec<&String>, Vec<&String>) = all.iter().partition(|name| !sampler::left_out(name));
    let names: Vec<&str> = plain.iter().chain(&rest).map(|name| name.as_str()).collect();
    match names.len() > LISTED {
        true => format!("{}, …", names[..LISTED].join(", ")),
        false => names.join(", "),
    }
}

/// Whether `name` matches `pattern`, which may be the path of a device.
pub fn fits(pattern: &str, name: &str) -> bool {
    report::charts::is_like(pattern.trim_start_matches("/dev/"), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_whole_names_with_stars() {
        for (pattern, name, expected) in [
            ("sda", "sda", true),
            ("/dev/sda", "sda", true),
            ("sd*", "sdb", true),
            ("*", "nvme0n1", true),
            ("nvme?n1", "nvme0n1", true),
            ("nvme?n1", "nvme10n1", false),
            ("sda", "sdaa", false),
            ("*a*a", "dataa", true),
            ("*1", "nvme0n1p2", false),
            ("", "sda", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn what_comes_later_is_watched_by_the_same_rule() {
        let rest = Rest { excluded: vec!["sd*".to_owned()], always: vec!["loop3".to_owned()] };
        let names = ["vda", "loop3", "loop4", "sda", "sr0", "dm-2", "zram0"];
        let taken: Vec<&str> = names.into_iter().filter(|name| rest.takes(name)).collect();
        assert_eq!(taken, ["vda", "loop3", "dm-2", "zram0"]);
    }
}
