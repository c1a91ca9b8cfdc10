//! Command lines and files of fio, DiskSpd, ioping and iostat.

use std::io;
use std::path::Path;

use diskspd::Ground;
use fio::{OnDisk, OnDiskKind};
use ioping::{Kind, Region};
use iostat::{DiskLine, Host, Reading, Reporter, Units};
use record::{CpuCounters, DiskCounters};
use workload::Bytes;

/// A line a word.
fn words(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
}

/// A job file, read as plimsoll and as fio would.
pub fn fio_job_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    fio(&["job.fio".to_owned()], &text);
    fio(&["--fio-exact".to_owned(), "job.fio".to_owned()], &text);
}

/// A command line that may name a job file.
pub fn fio_line(bytes: &[u8]) {
    fio(&words(bytes), "[a]\nioengine=null\nsize=1m\n");
}

fn fio(words: &[String], job_file: &str) {
    let read = |path: &str| match path {
        "job.fio" => Ok(job_file.to_owned()),
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    };
    let variable = |name: &str| (name == "BS").then(|| "8k".to_owned());
    let around = fio::Surroundings {
        read: &read,
        bytes: &|_| Ok(b"pattern".to_vec()),
        below: &|_| Ok(Vec::new()),
        variable: &variable,
        entropy: 7,
        cpus: 64,
        memory: Bytes::gib(2),
        page: Bytes(4096),
    };
    match fio::parse(words, &around) {
        Ok(fio::Request::Run(asked)) => {
            let _ = fio::opening(&asked);
            if let Err(error) = fio::steps(&asked, &on_disk) {
                let _ = (error.to_string(), error.hint());
            }
        }
        Ok(fio::Request::Say(_) | fio::Request::Check(_)) => {}
        Err(error) => drop((error.to_string(), error.hint(), error.stdout(), error.exit_code())),
    }
}

/// Devices, folders and files by their names.
fn on_disk(path: &Path) -> Option<OnDisk> {
    let name = path.to_string_lossy();
    let kind = match &name {
        name if name.starts_with("/dev/held") => OnDiskKind::Device { held_by: Some("/mnt".to_owned()) },
        name if name.starts_with("/dev/") => OnDiskKind::Device { held_by: None },
        name if name.starts_with("/mnt") || name == "." => OnDiskKind::Directory,
        name if name.len() % 2 == 0 => OnDiskKind::File,
        _ => return None,
    };
    Some(OnDisk { bytes: 1 << (name.len() % 41), kind, laid_out: name.len().is_multiple_of(4) })
}

/// A command line that may name a profile.
pub fn diskspd_line(bytes: &[u8]) {
    let profile = "<Profile><TimeSpans><TimeSpan><Targets><Target><Path>t</Path></Target></Targets></TimeSpan>\
                   </TimeSpans></Profile>";
    let around = diskspd::Surroundings { read: &|_| Ok(profile.to_owned()), tick: 4711 };
    match diskspd::parse(&words(bytes), &around) {
        Ok(diskspd::Request::Do(asked)) => {
            let _ = diskspd::profile_text(&asked, &asked.words);
            spans(&asked.profile);
        }
        Ok(diskspd::Request::Usage(_)) => {}
        Err(error) => drop(error.to_string()),
    }
}

/// A profile; what was understood is written, read back, and written as the same: what was left to a default is written out.
pub fn diskspd_xml(bytes: &[u8]) {
    match diskspd::read_profile(&String::from_utf8_lossy(bytes)) {
        Ok(profile) => {
            let written = diskspd::profile_xml(&profile);
            let again = diskspd::read_profile(&written).map(|again| diskspd::profile_xml(&again));
            assert!(again.as_ref() == Ok(&written), "written\n{written}\nread and written\n{again:?}");
            spans(&profile);
        }
        Err(error) => drop((error.place, error.why)),
    }
}

fn spans(profile: &diskspd::Profile) {
    let ground = Ground {
        look: &|path| {
            let known = path.to_string_lossy().len() % 2 == 1;
            known.then_some(diskspd::PathFacts { bytes: 1 << 30, alignment: 512 })
        },
        read: &|_, most| Ok(vec![7; most.min(1 << 20) as usize]),
        cpus: &[0, 1, 2, 3],
        ring: false,
    };
    let _ = diskspd::precreations(profile);
    for span in &profile.time_spans {
        let _ = diskspd::creations(span, &[]);
        if let Err(why) = diskspd::plan_span(span, &ground) {
            let _ = why.to_string();
        }
    }
}

/// A command line, and its region on every kind of target.
pub fn ioping_line(bytes: &[u8]) {
    match ioping::parse(&words(bytes)) {
        Ok(ioping::Request::Run(asked)) => {
            for kind in [Kind::Directory, Kind::File, Kind::BlockDevice, Kind::CharacterDevice] {
                match Region::of(&asked, kind, Bytes::gib(1)) {
                    Ok(region) => drop((region.places(), region.end())),
                    Err(error) => drop((error.to_string(), error.exit_code())),
                }
            }
        }
        Ok(ioping::Request::Say(..)) => {}
        Err(error) => drop((error.to_string(), error.exit_code())),
    }
}

/// A command line, and the first reports that it gives.
pub fn iostat_line(bytes: &[u8]) {
    match iostat::parse(&words(bytes), Units::Kilobytes) {
        Ok(iostat::Request::Watch(asked)) => {
            let mut reporter = Reporter::new(&asked, Host::default());
            let _ = reporter.opening();
            (0..3).for_each(|n| drop(reporter.report(reading(n))));
            let _ = reporter.closing();
        }
        Ok(iostat::Request::Say(_)) => {}
        Err(error) => drop(error.to_string()),
    }
}

/// Counters that rise, and once fall.
fn reading(n: u64) -> Reading {
    let count = if n == 2 { 5 } else { 1_000 * n };
    let counters = DiskCounters { reads: count, sectors_read: 8 * count, ..DiskCounters::default() };
    let line = |name: &str| DiskLine { name: name.to_owned(), shown: name.to_owned(), counters, full: true };
    Reading {
        uptime_cs: 1_000 + 100 * n,
        timestamp: String::new(),
        cpu: CpuCounters::default(),
        disks: ["vda", "vda1", "sdb"].map(line).to_vec(),
    }
}
