//! Samples of the machine in their tables, and back: the bulk of a long run, so both ways are made to be fast.

use std::sync::Arc;

use record::{DiskCounters, Sample};
use rusqlite::{CachedStatement, Connection, Result, Row, params_from_iter};

use crate::rows::whole as signed;
use crate::scan::{Fault, Loss, Outcome, Place, Query, Scan};
use crate::tables::{nanos, whole};

/// Columns of the counters, in the order of [`fields`].
const COUNTERS: &str = "reads, reads_merged, sectors_read, read_ms, writes, writes_merged, sectors_written, write_ms, \
                        in_flight, busy_ms, queue_ms, discards, discards_merged, sectors_discarded, discard_ms, flushes, \
                        flush_ms";

/// From so many rows on, two threads read them.
const WORTH_TWO_THREADS: i64 = 50_000;

/// More block devices than a machine has had, and than a page can show.
const DEVICES_MOST: usize = 4096;

type Disks = Vec<(Arc<str>, DiskCounters)>;

/// The disks of each sample with its number.
type Numbered = Vec<(i64, Disks)>;

/// What the writer keeps in mind between samples: names that have a number, and where their last row stands.
#[derive(Debug, Default)]
pub(crate) struct Storing {
    known: Vec<Known>,
    /// Number of the last row of `disk_counters`. A number is not given again after rows were lost, so that no row takes
    /// a stranger for its predecessor.
    row: i64,
    /// Number of the last sample.
    sample: i64,
}

#[derive(Debug)]
struct Known {
    name: Arc<str>,
    row: i64,
    sample: i64,
}

impl Storing {
    /// Forgets what may have been lost with a transaction that was rolled back: names without a row get one anew.
    pub(crate) fn recover(&mut self, conn: &Connection) {
        let count = conn.query_row("SELECT count(*) FROM sampled_disk", [], |row| row.get::<_, i64>(0));
        self.known.truncate(count.map_or(0, |count| count as usize));
        self.known.iter_mut().for_each(|known| known.sample = 0);
    }

    pub(crate) fn sample(&mut self, conn: &Connection, sample: &Sample) -> Result<()> {
        let before = self.sample;
        self.sample = head(conn, sample)?;
        let mut insert = conn.prepare_cached(
            "INSERT INTO disk_counters VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        for (place, (name, counters)) in sample.disks.iter().enumerate() {
            let number = self.number_of(conn, name, place)?;
            self.row += 1;
            let known = &mut self.known[number];
            let back = (known.sample == before && known.row > 0).then_some(self.row - known.row);
            (known.row, known.sample) = (self.row, self.sample);
            disk(&mut insert, [Some(self.row), Some(self.sample), Some(number as i64 + 1), back], counters)?;
        }
        Ok(())
    }

    /// The device's place in `known`: nearly always where it stands in the sample.
    fn number_of(&mut self, conn: &Connection, name: &Arc<str>, place: usize) -> Result<usize> {
        let is = |known: &Known| Arc::ptr_eq(&known.name, name) || known.name == *name;
        if self.known.get(place).is_some_and(is) {
            return Ok(place);
        }
        if let Some(found) = self.known.iter().position(is) {
            return Ok(found);
        }
        let number = self.known.len();
        let mut insert = conn.prepare_cached("INSERT INTO sampled_disk VALUES (?, ?)")?;
        insert.execute((number as i64 + 1, &**name))?;
        self.known.push(Known { name: Arc::clone(name), row: 0, sample: 0 });
        Ok(number)
    }
}

/// The rows of the CPUs and of memory; the number of the sample.
fn head(conn: &Connection, sample: &Sample) -> Result<i64> {
    let (at, cpu, memory) = (signed(sample.at.0), &sample.cpu, &sample.memory);
    let ticks = [cpu.user, cpu.nice, cpu.system, cpu.idle, cpu.iowait, cpu.irq, cpu.softirq, cpu.steal];
    let rest = [sample.own.user_ns, sample.own.system_ns, sample.wall_unix_ms, u64::from(sample.blocked)];
    let waited = sample.pressure.map_or([None; 2], |time| [Some(time.some_us), Some(time.full_us)]);
    let columns = ticks.into_iter().chain(rest).map(Some).chain(waited).map(|value| value.map(signed));
    conn.prepare_cached("INSERT INTO sample_cpu VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?
        .execute(params_from_iter(std::iter::once(Some(at)).chain(columns)))?;
    let id = conn.last_insert_rowid();
    let bytes = [memory.total, memory.available, memory.cached, memory.dirty, memory.writeback];
    let columns = [id, at].into_iter().chain(bytes.into_iter().map(signed));
    conn.prepare_cached("INSERT INTO sample_memory VALUES (?, ?, ?, ?, ?, ?, ?)")?
        .execute(params_from_iter(columns))?;
    Ok(id)
}

fn disk(insert: &mut CachedStatement<'_>, place: [Option<i64>; 4], counters: &DiskCounters) -> Result<()> {
    for (column, value) in place.into_iter().enumerate() {
        insert.raw_bind_parameter(1 + column, value)?;
    }
    for (column, value) in fields(counters).into_iter().enumerate() {
        insert.raw_bind_parameter(5 + column, signed(value))?;
    }
    insert.raw_execute().map(drop)
}

/// The counters in the order of the table's columns.
fn fields(c: &DiskCounters) -> [u64; 17] {
    [
        c.reads,
        c.reads_merged,
        c.sectors_read,
        c.read_ms,
        c.writes,
        c.writes_merged,
        c.sectors_written,
        c.write_ms,
        c.in_flight,
        c.busy_ms,
        c.queue_ms,
        c.discards,
        c.discards_merged,
        c.sectors_discarded,
        c.discard_ms,
        c.flushes,
        c.flush_ms,
    ]
}

/// Every sample. `another` opens the file once more, for the second thread.
pub(crate) fn read(scan: &Scan<'_>, another: impl Fn() -> Result<Connection> + Sync) -> Vec<Sample> {
    let mut samples = heads(scan);
    memory(scan, &mut samples);
    if scan.has("sample_disk") {
        // Version 1 had this table, with the name in each row.
        let columns = format!("sample, disk, {COUNTERS}");
        let disks = disks(scan, Query::of("sample_disk", &columns), &[]);
        attach(scan, &mut samples, ("sample_disk", disks));
    } else {
        narrow(scan, &mut samples, another);
    }
    samples.into_iter().map(|(_, sample)| sample).collect()
}

/// Samples with their numbers, without memory and disks.
fn heads(scan: &Scan<'_>) -> Vec<(i64, Sample)> {
    let late = scan.conn.prepare("SELECT wall_unix_ms FROM sample_cpu LIMIT 0").is_ok();
    let ticks =
        "sample, at_ns, user, nice, system, idle, iowait, irq, softirq, steal, own_user_ns, own_system_ns";
    let columns = match late {
        true => format!("{ticks}, wall_unix_ms, blocked, pressure_some_us, pressure_full_us"),
        false => format!("{ticks}, 0, 0, NULL, NULL"),
    };
    scan.all(Query::of("sample_cpu", &columns).numbers(), |row| {
        let mut sample = Sample { at: nanos(row, 1)?, ..Sample::default() };
        let (cpu, own) = (&mut sample.cpu, &mut sample.own);
        let places = [
            &mut cpu.user,
            &mut cpu.nice,
            &mut cpu.system,
            &mut cpu.idle,
            &mut cpu.iowait,
            &mut cpu.irq,
            &mut cpu.softirq,
            &mut cpu.steal,
            &mut own.user_ns,
            &mut own.system_ns,
            &mut sample.wall_unix_ms,
        ];
        for (column, place) in places.into_iter().enumerate() {
            *place = whole(row, 2 + column)?;
        }
        sample.blocked = row.get(13)?;
        let waited: (Option<i64>, Option<i64>) = (row.get(14)?, row.get(15)?);
        if let (Some(some), Some(full)) = waited {
            sample.pressure = Some(record::Pressure { some_us: some as u64, full_us: full as u64 });
        }
        Ok((row.get(0)?, sample))
    })
}

fn memory(scan: &Scan<'_>, samples: &mut [(i64, Sample)]) {
    let columns = "sample, total_bytes, available_bytes, cached_bytes, dirty_bytes, writeback_bytes";
    let mut at = 0;
    scan.each(Query::of("sample_memory", columns).numbers(), |row| {
        let memory = record::MemoryCounters {
            total: whole(row, 1)?,
            available: whole(row, 2)?,
            cached: whole(row, 3)?,
            dirty: whole(row, 4)?,
            writeback: whole(row, 5)?,
        };
        place_of(samples, &mut at, row.get(0)?)?.memory = memory;
        Ok(())
    });
}

/// The sample with this number; they stand in the order of their numbers and are asked for in that order.
fn place_of<'s>(samples: &'s mut [(i64, Sample)], at: &mut usize, number: i64) -> Outcome<&'s mut Sample> {
    while samples.get(*at).is_some_and(|(id, _)| *id < number) {
        *at += 1;
    }
    match samples.get_mut(*at) {
        Some((id, sample)) if *id == number => Ok(sample),
        _ => Err(Fault::Orphan { owner: "sample", number }),
    }
}

/// Puts the disks into their samples.
fn attach(scan: &Scan<'_>, samples: &mut [(i64, Sample)], (table, disks): (&'static str, Numbered)) {
    let mut at = 0;
    for (number, mut disks) in disks {
        match place_of(samples, &mut at, number) {
            // The two halves may meet within a sample.
            Ok(sample) if !sample.disks.is_empty() => sample.disks.append(&mut disks),
            Ok(sample) => sample.disks = disks,
            Err(fault) => scan.note(table, Place::Table, fault),
        }
    }
}

/// Disks from the table of this version, by two threads where there are many.
fn narrow(scan: &Scan<'_>, samples: &mut [(i64, Sample)], another: impl Fn() -> Result<Connection> + Sync) {
    const TABLE: &str = "disk_counters";
    let mut names: Vec<Option<Arc<str>>> = Vec::new();
    scan.each(Query::of("sampled_disk", "sampled_disk, disk"), |row| {
        let number: i64 = row.get(0)?;
        let place = usize::try_from(number - 1).ok().filter(|place| *place < usize::from(u16::MAX));
        let place = place.ok_or(Fault::Orphan { owner: "device", number })?;
        if place >= DEVICES_MOST {
            return Err(Fault::TooMany { found: place + 1, of: "devices", most: DEVICES_MOST });
        }
        names.resize(names.len().max(place + 1), None);
        names[place] = Some(row.get::<_, String>(1)?.into());
        Ok(())
    });
    let last =
        scan.conn.query_row("SELECT max(rowid) FROM disk_counters", [], |row| row.get::<_, Option<i64>>(0));
    let last = last.ok().flatten().unwrap_or(i64::MAX);
    let columns = format!("sample, sampled_disk, {COUNTERS}");
    let query = Query::of(TABLE, &columns).numbers();
    if !(WORTH_TWO_THREADS..i64::MAX).contains(&last) {
        let found = disks(scan, query.between(i64::MIN, last), &names);
        return attach(scan, samples, (TABLE, found));
    }
    let (middle, text) = (last / 2, scan.text_left());
    let second = || -> Result<(Numbered, Vec<Loss>)> {
        let conn = another()?;
        let scan = Scan::of(&conn, text);
        // Names of its own, so that the two threads do not count references in the same place.
        let own: Vec<Option<Arc<str>>> =
            names.iter().map(|name| name.as_ref().map(|name| Arc::from(&**name))).collect();
        let found = disks(&scan, query.between(middle, last), &own);
        Ok((found, scan.losses()))
    };
    let (first, second) = std::thread::scope(|threads| {
        let second = threads.spawn(second);
        (disks(scan, query.between(i64::MIN, middle), &names), second.join())
    });
    attach(scan, samples, (TABLE, first));
    match second {
        Ok(Ok((found, losses))) => {
            attach(scan, samples, (TABLE, found));
            scan.take_over(losses);
        }
        // No second thread or connection to be had: the first goes on alone.
        _ => {
            let found = disks(scan, query.between(middle, last), &names);
            attach(scan, samples, (TABLE, found));
        }
    }
}

/// The disks of each sample, with its number. In `names` a device's number counts from 1; without names the rows hold them.
fn disks(scan: &Scan<'_>, query: Query<'_>, names: &[Option<Arc<str>>]) -> Numbered {
    let mut found: Numbered = Vec::new();
    let mut words: Vec<Arc<str>> = Vec::new();
    scan.each(query, |row| {
        let number: i64 = row.get(0)?;
        let name = match names {
            [] => interned(&mut words, row)?,
            _ => {
                let number: i64 = row.get(1)?;
                let place = usize::try_from(number - 1).ok();
                let name = place.and_then(|place| names.get(place)).and_then(Option::as_ref);
                Arc::clone(name.ok_or(Fault::Orphan { owner: "device", number })?)
            }
        };
        let disk = (name, counters(row)?);
        match found.last_mut() {
            Some((last, disks)) if *last == number => disks.push(disk),
            last => {
                // A day of samples is some hundred megabytes, so each gets the room that the one before needed.
                let mut disks = Vec::with_capacity(last.map_or(0, |(_, disks)| disks.len()).max(1));
                disks.push(disk);
                found.push((number, disks));
            }
        }
        Ok(())
    });
    found
}

/// The name in the row, shared with the rows that had it before.
fn interned(words: &mut Vec<Arc<str>>, row: &Row<'_>) -> Outcome<Arc<str>> {
    let name = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
    if let Some(known) = words.iter().find(|known| ***known == *name) {
        return Ok(Arc::clone(known));
    }
    let name: Arc<str> = name.into();
    words.push(Arc::clone(&name));
    Ok(name)
}

fn counters(row: &Row<'_>) -> Outcome<DiskCounters> {
    let at = |column| whole(row, column);
    Ok(DiskCounters {
        reads: at(2)?,
        reads_merged: at(3)?,
        sectors_read: at(4)?,
        read_ms: at(5)?,
        writes: at(6)?,
        writes_merged: at(7)?,
        sectors_written: at(8)?,
        write_ms: at(9)?,
        in_flight: at(10)?,
        busy_ms: at(11)?,
        queue_ms: at(12)?,
        discards: at(13)?,
        discards_merged: at(14)?,
        sectors_discarded: at(15)?,
        discard_ms: at(16)?,
        flushes: at(17)?,
        flush_ms: at(18)?,
    })
}
