//! Which block devices are watched.

use std::path::Path;

use sampler::Root;

use super::arguments::WatchArguments;
use crate::failure::Failure;

/// Kinds that are left out unless they are named: they are files, or hold no storage that anybody bought.
const LEFT_OUT: [&str; 4] = ["loop", "fd", "sr", "ram"];

/// The devices that are watched, and how many there are in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Kernel names.
    pub names: Vec<String>,
    /// Whole devices of the machine.
    pub known: usize,
    /// Whether devices that come later are watched too: those that nobody named.
    pub open: bool,
}

/// Devices by the words of the command line; `target` are those under the load, which are watched always.
pub fn choose(root: &Root, arguments: &WatchArguments, target: &[String]) -> Result<Chosen, Failure> {
    let all = sorted(sampler::all_disks(root).into_iter().map(|disk| disk.name).collect());
    let known = all.len();
    let mut names = match arguments.device.is_empty() {
        true => all.iter().filter(|name| is_watched(name)).cloned().collect(),
        false => {
            arguments.device.iter().map(|word| named(root, word, &all)).collect::<Result<Vec<_>, _>>()?
        }
    };
    names.splice(0..0, target.iter().cloned());
    for pattern in &arguments.exclude {
        let before = names.len();
        names.retain(|name| !fits(pattern, name));
        let literal = !pattern.contains(['*', '?']);
        if literal && names.len() == before && !all.iter().any(|name| fits(pattern, name)) {
            return Err(unknown("--exclude", pattern, &all));
        }
    }
    let mut once = Vec::new();
    names.retain(|name| {
        !once.contains(name) && {
            once.push(name.clone());
            true
        }
    });
    if names.is_empty() {
        return Err(nothing_left(arguments, &all));
    }
    Ok(Chosen { names, known, open: arguments.device.is_empty() })
}

/// By kind first and then by number: `sda`, `sdb`, `sdaa`; `dm-2`, `dm-10`.
fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_by_key(|name| {
        let letters = name.trim_end_matches(|end: char| end.is_ascii_digit());
        let number: u64 = name[letters.len()..].parse().unwrap_or(0);
        (letters.len(), letters.to_owned(), number)
    });
    names
}

fn is_watched(name: &str) -> bool {
    let kind = name.trim_end_matches(|end: char| end.is_ascii_digit());
    !LEFT_OUT.contains(&kind)
}

/// The kernel name of a device that was typed as `sda`, `/dev/sda`, `/dev/mapper/vg0-data`, or by a link to it.
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
        None => Err(unknown("--device", word, all)),
    }
}

fn unknown(option: &str, word: &str, all: &[String]) -> Failure {
    let bare = word.trim_start_matches("/dev/");
    let near = policy::nearest(bare, all.iter().map(String::as_str));
    let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    let there = match all.len() {
        0 => "this machine shows no block device".to_owned(),
        _ => format!("there are {}", listed(all)),
    };
    Failure::refused(format!("{option} {word}: no such block device{near} ({there})"))
}

fn nothing_left(arguments: &WatchArguments, all: &[String]) -> Failure {
    let there = if all.is_empty() { "none".to_owned() } else { listed(all) };
    let text = match arguments.exclude.is_empty() {
        true => format!(
            "no block device to watch: loop, fd, sr and ram are left out, and the machine shows {there}; name one with --device"
        ),
        false => format!(
            "--exclude {} leaves no block device to watch; leave it out, or name one with --device (the machine shows {there})",
            arguments.exclude.join(" --exclude ")
        ),
    };
    Failure::refused(text)
}

/// At most so many names are listed.
const LISTED: usize = 8;

/// Names, the devices that people mean first.
fn listed(all: &[String]) -> String {
    let (plain, rest): (Vec<&String>, Vec<&String>) = all.iter().partition(|name| is_watched(name));
    let names: Vec<&str> = plain.iter().chain(&rest).map(|name| name.as_str()).collect();
    match names.len() > LISTED {
        true => format!("{}, …", names[..LISTED].join(", ")),
        false => names.join(", "),
    }
}

/// Whether `pattern`, in which `*` stands for anything and `?` for one character, is the whole of `name`.
fn fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.trim_start_matches("/dev/").chars().collect();
    let name: Vec<char> = name.chars().collect();
    // Place in the pattern and the name to go back to: just behind the last star, and where it stopped.
    let (mut at, mut seen, mut star) = (0, 0, None);
    while seen < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at + 1, seen));
                at += 1;
            }
            Some(&letter) if letter == '?' || letter == name[seen] => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((behind, stopped)) = star else { return false };
                star = Some((behind, stopped + 1));
                (at, seen) = (behind, stopped + 1);
            }
        }
    }
    pattern[at..].iter().all(|&letter| letter == '*')
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
    fn devices_come_by_kind_and_number() {
        let names = ["sdaa", "dm-10", "sdb", "dm-2", "vda"].map(str::to_owned).to_vec();
        assert_eq!(sorted(names), ["dm-2", "dm-10", "sdb", "vda", "sdaa"]);
        assert!(
            is_watched("zram0") && is_watched("loopback0a") && !is_watched("loop12") && !is_watched("ram3")
        );
    }
}
