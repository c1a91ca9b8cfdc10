//! `plimsoll iostat`, and plimsoll under the name iostat: reads iostat's command line and prints its reports.

use std::ffi::OsString;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use iostat::{
    DiskLine, Host, IostatError, IostatRequest, Palette, Reading, Reporter, Request, Source, Units, parse,
};
use kernel::Locale;
use sampler::{DiskReading, Root};

use session::failure::Failure;
use session::output;
use session::signals::StopFlag;

/// Time between checks for a stop request during a wait.
const LOOK: Duration = Duration::from_millis(20);

/// Runs iostat's command line; returns iostat's exit code.
pub fn run(words: &[OsString]) -> u8 {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let posix = std::env::var_os("POSIXLY_CORRECT").is_some();
    match parse(&words, if posix { Units::Sectors } else { Units::Kilobytes }) {
        Ok(Request::Say(text)) => said(&text),
        Ok(Request::Watch(asked)) => watch(&asked),
        Err(error) => refused(&error),
    }
}

fn said(text: &str) -> u8 {
    ended(&output::result(text))
}

/// Returns the exit code after writing a text, and reports a failure to write it.
fn ended(written: &Result<(), Failure>) -> u8 {
    if let Err(failure) = written {
        output::people(&format!("iostat: {}", failure.message));
    }
    u8::from(written.is_err())
}

fn refused(error: &IostatError) -> u8 {
    output::people(&error.to_string());
    if error.asks_for_usage() {
        output::people("iostat --help tells what there is");
    }
    error.exit_code()
}

fn watch(asked: &IostatRequest) -> u8 {
    let machine = Machine { root: Root::real(), locale: Locale::of_environment(), asked };
    if let Some(kind) = &asked.persistent
        && sampler::persistent_names(&machine.root, kind).is_none()
    {
        return refused(&IostatError::PersistentNames);
    }
    let folders = asked.folder.iter().chain(&asked.folder_besides);
    if let Some(missing) = folders.into_iter().find(|folder| !std::path::Path::new(folder).is_dir()) {
        return refused(&IostatError::NoFolder(missing.clone()));
    }
    let stop = StopFlag::on_signals(record::PATIENCE);
    let mut reporter = Reporter::new(asked, machine.host());
    let mut code = said(&reporter.opening());
    // Names in a coloured report are clean already.
    let write = if palette().is_some() && !asked.json { output::painted } else { output::result };
    let start = Instant::now();
    let mut ticks = 0;
    if asked.skips_first() {
        reporter.skip(machine.reading());
        ticks += 1;
    }
    let mut printed = 0;
    while code == 0
        && asked.count.is_none_or(|count| printed < count)
        && wait(due(start, asked.interval_s, ticks), &stop)
    {
        code = ended(&write(&reporter.report(machine.reading())));
        printed += 1;
        ticks += 1;
        if output::reader_is_gone() {
            return code;
        }
    }
    code.max(said(&reporter.closing()))
}

/// Returns the root whose `/sys` is `folder`, so that disks are found there, as with iostat's `-f /sys`.
fn above_sys(folder: &str) -> Option<Root> {
    let folder = std::path::Path::new(folder);
    folder.file_name().filter(|name| *name == "sys")?;
    folder.parent().map(Root::at)
}

/// Returns the colours for which the environment and the terminal ask.
fn palette() -> Option<Palette> {
    let variable = |name: &str| std::env::var(name).ok();
    let (colours, renditions) = (variable("S_COLORS"), variable("S_COLORS_SGR"));
    Palette::chosen(colours.as_deref(), renditions.as_deref(), output::colours().then(Palette::default))
}

/// Returns when report number `ticks` is due. Intervals beyond 136 years are capped, because clocks hold no more.
fn due(start: Instant, interval_s: u64, ticks: u32) -> Instant {
    let interval = Duration::from_secs(interval_s.min(u32::MAX.into()));
    interval.checked_mul(ticks).and_then(|after| start.checked_add(after)).unwrap_or(start + interval)
}

/// Waits until `when`; returns false if the user stops the wait.
fn wait(when: Instant, stop: &StopFlag) -> bool {
    while !stop.raised() {
        let left = when.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        std::thread::sleep(left.min(LOOK));
    }
    false
}

/// The source of the counters.
struct Machine<'a> {
    root: Root,
    locale: Locale,
    asked: &'a IostatRequest,
}

impl Machine<'_> {
    fn host(&self) -> Host {
        let text = |path: &str| self.root.text(path).unwrap_or_default();
        Host {
            system: text("proc/sys/kernel/ostype"),
            release: text("proc/sys/kernel/osrelease"),
            node: text("proc/sys/kernel/hostname"),
            machine: text("proc/sys/kernel/arch"),
            cpus: self.cpus(),
            date: self.time("%x", "%Y-%m-%d"),
            decimal_point: self.locale.decimal_point(),
            palette: palette(),
        }
    }

    /// Counts the processors that the kernel knows, online or not.
    fn cpus(&self) -> u32 {
        let entries = std::fs::read_dir(self.root.join("sys/devices/system/cpu"));
        let is_cpu = |name: &str| {
            name.strip_prefix("cpu")
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
        };
        let names = entries.into_iter().flatten().flatten();
        names.filter(|entry| is_cpu(&entry.file_name().to_string_lossy())).count() as u32
    }

    /// Returns the current time in the locale's form, or in ISO 8601 if the environment asks for it.
    fn time(&self, of_locale: &str, iso: &str) -> String {
        let wants_iso = std::env::var_os("S_TIME_FORMAT").is_some_and(|form| form == "ISO");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.locale.time(now.as_secs() as i64, if wants_iso { iso } else { of_locale })
    }

    fn reading(&self) -> Reading {
        let stat = std::fs::read(self.root.join("proc/stat")).unwrap_or_default();
        Reading {
            uptime_cs: sampler::uptime_cs(&self.root).unwrap_or_default(),
            timestamp: if self.asked.timestamp { self.time("%x %X", "%FT%T%z") } else { String::new() },
            cpu: sampler::cpu_counters(&stat).unwrap_or_default(),
            disks: if self.asked.devices { self.disks() } else { Vec::new() },
        }
    }

    fn disks(&self) -> Vec<DiskLine> {
        let asked = self.asked;
        let mut found = match (asked.source, &asked.folder) {
            (Source::Disks, Some(folder)) if let Some(root) = above_sys(folder) => self.chosen(&root),
            (_, Some(folder)) => sampler::every_device(&Root::at(folder), "diskstats"),
            (Source::Everything, None) => self.everything(),
            (Source::Disks, None) => self.chosen(&self.root),
        };
        let is_file = asked.folder.as_deref().is_some_and(|folder| above_sys(folder).is_none());
        if is_file && asked.is_chosen() {
            found.retain(|disk| {
                asked.names.contains(&disk.name) || asked.with_partitions.contains(&disk.name)
            });
        }
        let names = asked.persistent.as_deref().and_then(|kind| sampler::persistent_names(&self.root, kind));
        found.into_iter().map(|disk| self.line(disk, names.as_deref())).collect()
    }

    /// Returns devices and partitions of `/proc/diskstats`: first those that were typed, then the others in the
    /// kernel's order, then those of another folder, whose readings replace those of devices with the same names.
    fn everything(&self) -> Vec<DiskReading> {
        let mut found = sampler::every_device(&self.root, "proc/diskstats");
        let typed = |disk: &DiskReading| !self.asked.names.contains(&disk.name);
        found.sort_by_cached_key(|disk| {
            (typed(disk), if typed(disk) { String::new() } else { disk.name.clone() })
        });
        if let Some(folder) = &self.asked.folder_besides {
            for disk in sampler::every_device(&Root::at(folder), "diskstats") {
                match found.iter_mut().find(|known| known.name == disk.name) {
                    Some(known) => *known = disk,
                    None => found.push(disk),
                }
            }
        }
        found
    }

    /// Returns disks of `/sys/block`, all or those typed; sorted by name, but in groups as they were typed.
    fn chosen(&self, root: &Root) -> Vec<DiskReading> {
        let asked = self.asked;
        let mut found = match asked.is_chosen() {
            false => sampler::all_disks(root),
            true => self.typed(root),
        };
        if asked.groups.is_empty() {
            found.sort_by(|a, b| a.name.cmp(&b.name));
            found.dedup();
        }
        found
    }

    /// Returns the disks in the order in which they were typed, and after `ALL` the others.
    fn typed(&self, root: &Root) -> Vec<DiskReading> {
        let asked = self.asked;
        let of_disk = |disk: &String| std::iter::once(disk.clone()).chain(sampler::partitions(root, disk));
        // A superfluous comma leaves an empty name.
        let disks = asked.with_partitions.iter().filter(|disk| !disk.is_empty());
        let names = asked.names.iter().cloned().chain(disks.flat_map(of_disk));
        let mut found: Vec<DiskReading> = names.filter_map(|name| sampler::disk(root, &name)).collect();
        if asked.never_used_too {
            let mut others = sampler::all_disks(root);
            others.retain(|disk| found.iter().all(|known| known.name != disk.name));
            found.extend(others);
        }
        found
    }

    fn line(&self, disk: DiskReading, persistent: Option<&[(String, String)]>) -> DiskLine {
        let mapped =
            || self.asked.mapper_names.then(|| sampler::mapper_name(&self.root, &disk.name)).flatten();
        let lasting = || {
            let names = persistent?.iter();
            names.clone().find(|(_, name)| *name == disk.name).map(|(name, _)| name.clone())
        };
        let shown = lasting().or_else(mapped).unwrap_or_else(|| disk.name.clone());
        DiskLine { name: disk.name, shown, counters: disk.counters, full: disk.full }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_interval_is_too_long_for_the_clock() {
        let start = Instant::now();
        assert_eq!(due(start, 2, 3), start + Duration::from_secs(6));
        for ticks in [1, 2, u32::MAX] {
            assert!(due(start, u64::MAX, ticks) > start);
        }
    }
}
