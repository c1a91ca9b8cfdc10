//! Storing and reading of the samples of the machine: the bulk of a long run, so both directions are made to be
//! fast.

use std::sync::Arc;

use record::{
    CommandCounters, CpuCounters, DiskColumns, DiskCounters, MemoryCounters, OwnCpu, Pressure, Sample,
};
use rusqlite::{Connection, Result, Row};
use workload::Nanos;

use crate::cell::{Json, Later, Maybe, Number, Text, Time, Whole, text};
use crate::scan::{Fault, Loss, Outcome, Place, Query, Scan};
use crate::table::{self, Inserts, Table, table};

/// A sample without memory and disks.
#[derive(Default)]
pub(crate) struct Head {
    at: Nanos,
    cpu: CpuCounters,
    own: OwnCpu,
    wall_unix_ms: u64,
    blocked: u32,
    some_us: Option<u64>,
    full_us: Option<u64>,
}

table! {
    Heads, "sample_cpu" of Head, Own(sample) {
        Time: at_ns = at;
        Whole: user = cpu.user, nice = cpu.nice, system = cpu.system, idle = cpu.idle, iowait = cpu.iowait,
            irq = cpu.irq, softirq = cpu.softirq, steal = cpu.steal, own_user_ns = own.user_ns,
            own_system_ns = own.system_ns;
        Later<Whole>: wall_unix_ms;
        Later<Number>: blocked;
        Maybe<Whole>: pressure_some_us = some_us, pressure_full_us = full_us;
    }
}

/// Columns of `sample_cpu` that the first version of the run file lacks.
const LATER: [&str; 4] = ["wall_unix_ms", "blocked", "pressure_some_us", "pressure_full_us"];

table! {
    Memories, "sample_memory" of (Nanos, MemoryCounters), Own(sample) {
        Time: at_ns = 0;
        Whole: total_bytes = 1.total, available_bytes = 1.available,
            cached_bytes = 1.cached, dirty_bytes = 1.dirty,
            writeback_bytes = 1.writeback;
    }
}

table! {
    /// Counters of a watched command, in samples from its start on.
    Commands, "sample_command" of CommandCounters, Own(sample) {
        Whole: looks, running_ns, storage_ns, lock_ns, network_ns, sleep_ns, other_ns, run_ns, run_delay_ns, read_bytes,
            write_bytes;
        Json: places;
    }
}

table! {
    /// Counters of the devices. The table is narrow because a day of twenty devices is 1.7 million rows; the view
    /// sample_disk adds time and name. `rows_back` leads to the row of the same device in the previous sample, so
    /// that a rate needs neither an index nor a sort.
    Counters, "disk_counters" of DiskCounters, Own(counters), Of(sample), Of(sampled_disk), Beside(rows_back) {
        Whole: reads, reads_merged, sectors_read, read_ms, writes, writes_merged, sectors_written, write_ms,
            in_flight, busy_ms, queue_ms, discards, discards_merged, sectors_discarded, discard_ms, flushes,
            flush_ms;
    }
}

table! {
    Names, "sampled_disk" of (String,), Own(sampled_disk) {
        Text: disk = 0;
    }
}

/// Fewest rows that two threads read.
const WORTH_TWO_THREADS: i64 = 50_000;

/// Most block devices: more than any machine has had, and more than a page can show.
pub(crate) const DEVICES_MOST: usize = 4096;

/// How the counters of devices are kept in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptDisks {
    InSamples,
    Packed,
}

type Disks = Vec<(Arc<str>, DiskCounters)>;

/// The disks of each sample, with the sample's number.
type NumberedDisks = Vec<(i64, Disks)>;

/// State of the writer between samples: the numbered names, and the place of each name's last row.
#[derive(Debug, Default)]
pub(crate) struct Storing {
    known: Vec<KnownDevice>,
    /// Number of the last row of `disk_counters`. A number is not reused after rows were lost, lest a row take an
    /// unrelated one for its predecessor.
    row: i64,
    /// Number of the last sample.
    sample: i64,
}

#[derive(Debug)]
struct KnownDevice {
    name: Arc<str>,
    row: i64,
    sample: i64,
}

impl Storing {
    /// Forgets state that a rollback may have invalidated: names without a row get a new one.
    pub(crate) fn recover(&mut self, conn: &Connection) {
        let count = conn.query_row("SELECT count(*) FROM sampled_disk", [], |row| row.get::<_, i64>(0));
        self.known.truncate(count.map_or(0, |count| count as usize));
        self.known.iter_mut().for_each(|known| known.sample = 0);
    }

    pub(crate) fn sample(&mut self, conn: &Connection, sample: &Sample) -> Result<()> {
        let before = self.sample;
        self.sample = head(conn, sample)?;
        let mut inserts = Inserts::<Counters>::table(conn)?;
        for (place, (name, counters)) in sample.disks.iter().enumerate() {
            let number = self.number_of(conn, name, place)?;
            self.row += 1;
            let known = &mut self.known[number];
            let back = (known.sample == before && known.row > 0).then_some(self.row - known.row);
            (known.row, known.sample) = (self.row, self.sample);
            inserts.put(&[Some(self.row), Some(self.sample), Some(number as i64 + 1), back], counters)?;
        }
        Ok(())
    }

    /// Returns the device's index in `known`, nearly always the same as its place in the sample; stores new names.
    fn number_of(&mut self, conn: &Connection, name: &Arc<str>, place: usize) -> Result<usize> {
        let is = |known: &KnownDevice| Arc::ptr_eq(&known.name, name) || known.name == *name;
        if self.known.get(place).is_some_and(is) {
            return Ok(place);
        }
        if let Some(found) = self.known.iter().position(is) {
            return Ok(found);
        }
        let number = self.known.len();
        table::put::<Names>(conn, &[Some(number as i64 + 1)], &(name.to_string(),))?;
        self.known.push(KnownDevice { name: Arc::clone(name), row: 0, sample: 0 });
        Ok(number)
    }
}

/// Stores the rows of the CPUs and of memory; returns the number of the sample.
fn head(conn: &Connection, sample: &Sample) -> Result<i64> {
    let row = Head {
        at: sample.at,
        cpu: sample.cpu,
        own: sample.own,
        wall_unix_ms: sample.wall_unix_ms,
        blocked: sample.blocked,
        some_us: sample.pressure.map(|time| time.some_us),
        full_us: sample.pressure.map(|time| time.full_us),
    };
    let id = table::put::<Heads>(conn, &[None], &row)?;
    if let Some(command) = &sample.command {
        table::put::<Commands>(conn, &[Some(id)], command)?;
    }
    table::put::<Memories>(conn, &[Some(id)], &(sample.at, sample.memory))
}

/// Bytes of memory that a sample without its devices takes in a report. This and the next three constants were
/// measured with reports of files of 200,000 samples.
const SAMPLE_WEIGHS: u64 = 350;
/// Bytes of memory of a device in a sample.
const DISK_WEIGHS: u64 = 160;
/// Bytes of memory of the device being drawn, for each sample.
const DRAWN_WEIGHS: u64 = 430;
/// Bytes of memory of a device's place in each sample.
const PLACE_WEIGHS: u64 = 4;

/// Selection of the samples that are read: every `nth` of `of`, by position in the table.
#[derive(Clone, Copy)]
struct Thinning {
    of: u64,
    nth: u64,
}

impl Thinning {
    /// Returns the thinning that fits into the memory left for this file, ideally every sample. Counters are
    /// cumulative, so samples may be left out.
    fn of(scan: &Scan<'_>, of_disks: &'static str) -> Thinning {
        let rows = |table: &str| {
            let count =
                scan.conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0));
            count.map_or(0, |count| count as u64)
        };
        let (of, disks) = (rows(Heads::NAME), rows(of_disks));
        let places = rows(Names::NAME).min(DEVICES_MOST as u64) * PLACE_WEIGHS;
        let weight = of * (SAMPLE_WEIGHS + places) + disks * DISK_WEIGHS + of.min(disks) * DRAWN_WEIGHS;
        let nth = weight.div_ceil(scan.memory_left().max(1)).max(1);
        // The memory is claimed here, because two threads read the samples.
        let _ = scan.weighs((weight / nth).min(scan.memory_left()));
        if nth > 1 {
            scan.note(Heads::NAME, Place::Table, Fault::Thinned { left_out: of - of.div_ceil(nth), of });
        }
        Thinning { of, nth }
    }

    fn is_whole(self) -> bool {
        self.nth == 1
    }
}

/// Reads every sample, or as many as memory allows, and the counters that are to be packed. `another` opens the file once
/// more, for the second thread.
pub(crate) fn read(
    scan: &Scan<'_>,
    (another, kept): (impl Fn() -> Result<Connection> + Sync, KeptDisks),
) -> (Vec<Sample>, DiskColumns) {
    let in_version_1 = scan.has("sample_disk");
    let thinning = Thinning::of(scan, if in_version_1 { "sample_disk" } else { Counters::NAME });
    let mut samples = Numbers { samples: heads(scan, thinning), thinning, kept };
    memory(scan, &mut samples);
    commands(scan, &mut samples);
    let mut columns = DiskColumns::default();
    if in_version_1 {
        // Version 1 has the device's name in each row.
        let counters = Counters::columns().into_iter().map(|column| column.name);
        let query = Query::of("sample_disk", ["sample".into(), "disk".into()].into_iter().chain(counters));
        let found = disks(scan, query, (&[], &samples));
        attach(scan, &mut samples, ("sample_disk", found));
    } else {
        columns = narrow(scan, &mut samples, another);
    }
    (samples.samples.into_iter().map(|(_, sample)| sample).collect(), columns)
}

/// Reads the samples with their numbers, without memory and disks.
fn heads(scan: &Scan<'_>, thinning: Thinning) -> Vec<(i64, Sample)> {
    let query = table::select_of_any_version::<Heads>(scan, &LATER);
    let mut found = Vec::with_capacity((thinning.of / thinning.nth) as usize);
    let mut at = 0;
    scan.each(query.numbers(), |row| {
        at += 1;
        if (at - 1) % thinning.nth > 0 {
            return Ok(());
        }
        let Head { at, cpu, own, wall_unix_ms, blocked, some_us, full_us } = table::taken::<Heads>(row)?;
        let pressure = some_us.zip(full_us).map(|(some_us, full_us)| Pressure { some_us, full_us });
        let sample = Sample { at, cpu, own, wall_unix_ms, blocked, pressure, ..Sample::default() };
        found.push((table::number::<Heads>(row)?, sample));
        Ok(())
    });
    found
}

fn memory(scan: &Scan<'_>, samples: &mut Numbers) {
    let mut at = 0;
    scan.each(table::select::<Memories>().numbers(), |row| {
        if let Some(sample) = samples.place_of(&mut at, table::number::<Memories>(row)?)? {
            sample.memory = table::taken::<Memories>(row)?.1;
        }
        Ok(())
    });
}

/// Reads the counters of a watched command, which files of earlier versions lack.
fn commands(scan: &Scan<'_>, samples: &mut Numbers) {
    let mut at = 0;
    if scan.has(Commands::NAME) {
        scan.each(table::select::<Commands>().numbers(), |row| {
            if let Some(sample) = samples.place_of(&mut at, table::number::<Commands>(row)?)? {
                sample.command = Some(table::taken::<Commands>(row)?);
            }
            Ok(())
        });
    }
}

/// The samples read, in ascending order of their numbers.
struct Numbers {
    samples: Vec<(i64, Sample)>,
    thinning: Thinning,
    kept: KeptDisks,
}

impl Numbers {
    /// Returns the sample with this number, or `None` if it was left out. Numbers must ascend from call to call.
    fn place_of(&mut self, at: &mut usize, number: i64) -> Outcome<Option<&mut Sample>> {
        while self.samples.get(*at).is_some_and(|(id, _)| *id < number) {
            *at += 1;
        }
        match self.samples.get_mut(*at) {
            Some((id, sample)) if *id == number => Ok(Some(sample)),
            _ if self.thinning.is_whole() => Err(Fault::Orphan { owner: "sample", number }),
            _ => Ok(None),
        }
    }

    /// Whether to read rows of the sample with this number; rows of an unknown sample are reported when they are
    /// attached.
    fn wants(&self, number: i64) -> bool {
        self.thinning.is_whole() || self.samples.binary_search_by_key(&number, |(id, _)| *id).is_ok()
    }
}

/// Attaches the disks to their samples.
fn attach(scan: &Scan<'_>, samples: &mut Numbers, (table, disks): (&'static str, NumberedDisks)) {
    let mut at = 0;
    for (number, mut disks) in disks {
        match samples.place_of(&mut at, number) {
            // The boundary between the two threads may be within a sample.
            Ok(Some(sample)) if !sample.disks.is_empty() => sample.disks.append(&mut disks),
            Ok(Some(sample)) => sample.disks = disks,
            Ok(None) => {}
            Err(fault) => scan.note(table, Place::Table, fault),
        }
    }
}

/// Reads disks from the table of this version, with two threads if there are many; returns those that are to be packed.
fn narrow(
    scan: &Scan<'_>,
    samples: &mut Numbers,
    another: impl Fn() -> Result<Connection> + Sync,
) -> DiskColumns {
    let mut names: Vec<Option<Arc<str>>> = Vec::new();
    scan.each(table::select::<Names>(), |row| {
        let number = table::number::<Names>(row)?;
        let place = usize::try_from(number - 1).ok().filter(|place| *place < usize::from(u16::MAX));
        let place = place.ok_or(Fault::Orphan { owner: "device", number })?;
        if place >= DEVICES_MOST {
            return Err(Fault::TooMany { found: place + 1, of: "devices", most: DEVICES_MOST });
        }
        names.resize(names.len().max(place + 1), None);
        names[place] = Some(table::taken::<Names>(row)?.0.into());
        Ok(())
    });
    let last =
        scan.conn.query_row("SELECT max(rowid) FROM disk_counters", [], |row| row.get::<_, Option<i64>>(0));
    let last = last.ok().flatten().unwrap_or(i64::MAX);
    let query = table::select::<Counters>().numbers();
    let one = !(WORTH_TWO_THREADS..i64::MAX).contains(&last);
    let (middle, text) = (if one { last } else { last / 2 }, scan.text_left());
    let numbers = &*samples;
    let second = || -> Result<(Found, Vec<Loss>)> {
        if one {
            return Ok((Found::default(), Vec::new()));
        }
        let conn = another()?;
        let scan = Scan::of(&conn, (text, u64::MAX));
        // Each thread has its own names, so that the two do not count references in the same place.
        let own: Vec<Option<Arc<str>>> =
            names.iter().map(|name| name.as_ref().map(|name| Arc::from(&**name))).collect();
        let found = found(&scan, query.between(middle, last), &own, numbers);
        Ok((found, scan.losses()))
    };
    let (first, second) = std::thread::scope(|threads| {
        let second = (!one).then(|| threads.spawn(second));
        let first = found(scan, query.between(i64::MIN, middle), &names, numbers);
        (first, second.map_or_else(|| Ok(Ok(Default::default())), |second| second.join()))
    });
    let second = match second {
        Ok(Ok((found, losses))) => {
            scan.take_over(losses);
            found
        }
        // Without a second thread or connection, the first continues alone.
        _ => found(scan, query.between(middle, last), &names, numbers),
    };
    let mut columns = first.1;
    columns.append(second.1);
    attach(scan, samples, (Counters::NAME, first.0));
    attach(scan, samples, (Counters::NAME, second.0));
    columns
}

/// Disks that are kept in samples, and those that are packed.
type Found = (NumberedDisks, DiskColumns);

fn found(scan: &Scan<'_>, query: Query, names: &[Option<Arc<str>>], samples: &Numbers) -> Found {
    match samples.kept {
        KeptDisks::InSamples => (disks(scan, query, (names, samples)), DiskColumns::default()),
        KeptDisks::Packed => (Vec::new(), packed(scan, query, (names, samples))),
    }
}

/// Reads the disks into columns. A device's number is an index from 1 into `names`.
fn packed(scan: &Scan<'_>, query: Query, (names, samples): (&[Option<Arc<str>>], &Numbers)) -> DiskColumns {
    let mut columns = DiskColumns::default();
    let (mut place, mut sample) = (0, 0);
    scan.each(query, |row| {
        let number: i64 = row.get(0)?;
        if samples.samples.get(sample).is_none_or(|(known, _)| *known != number) {
            match samples.samples.binary_search_by_key(&number, |(known, _)| *known) {
                Ok(found) => sample = found,
                Err(_) if samples.thinning.is_whole() => {
                    return Err(Fault::Orphan { owner: "sample", number });
                }
                Err(_) => return Ok(()),
            }
            place = 0;
        }
        let name = name_in(names, row)?;
        columns.add(&mut place, (name, sample), &table::taken::<Counters>(row)?);
        place += 1;
        Ok(())
    });
    columns
}

/// Returns the name of the device in a row, whose number is an index from 1 into `names`.
fn name_in<'n>(names: &'n [Option<Arc<str>>], row: &Row<'_>) -> Outcome<&'n Arc<str>> {
    let number: i64 = row.get(1)?;
    let place = usize::try_from(number - 1).ok();
    let name = place.and_then(|place| names.get(place)).and_then(Option::as_ref);
    name.ok_or(Fault::Orphan { owner: "device", number })
}

/// Reads the disks of each sample, with its number. A device's number is an index from 1 into `names`; if `names`
/// is empty, the rows contain the names.
fn disks(scan: &Scan<'_>, query: Query, (names, samples): (&[Option<Arc<str>>], &Numbers)) -> NumberedDisks {
    let mut found: NumberedDisks = Vec::new();
    let mut words: Vec<Arc<str>> = Vec::new();
    scan.each(query, |row| {
        let number: i64 = row.get(0)?;
        if found.last().is_none_or(|(last, _)| *last != number) && !samples.wants(number) {
            return Ok(());
        }
        let name = match names {
            [] => interned(&mut words, row)?,
            _ => Arc::clone(name_in(names, row)?),
        };
        let disk = (name, table::taken::<Counters>(row)?);
        match found.last_mut() {
            Some((last, disks)) if *last == number && disks.len() < DEVICES_MOST => disks.push(disk),
            Some((last, _)) if *last == number => {
                return Err(Fault::TooMany { found: DEVICES_MOST + 1, of: "devices", most: DEVICES_MOST });
            }
            last => {
                // A day of samples takes some hundred megabytes, so each list gets the capacity that the previous
                // one needed.
                let mut disks = Vec::with_capacity(last.map_or(0, |(_, disks)| disks.len()).max(1));
                disks.push(disk);
                found.push((number, disks));
            }
        }
        Ok(())
    });
    found
}

/// Returns the name in the row, shared with earlier rows of the same name.
fn interned(words: &mut Vec<Arc<str>>, row: &Row<'_>) -> Outcome<Arc<str>> {
    let name = text(row, 1)?;
    if let Some(known) = words.iter().find(|known| ***known == *name) {
        return Ok(Arc::clone(known));
    }
    let name: Arc<str> = name.into();
    words.push(Arc::clone(&name));
    Ok(name)
}
