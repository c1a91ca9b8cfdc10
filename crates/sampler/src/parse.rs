//! Parses the kernel's counter files, byte by byte and without allocation: they are read every second beside a measurement.

use record::{CpuCounters, DiskCounters, MemoryCounters, Pressure};

/// Parses a line of `/proc/diskstats` into the device's name and its counters; `None` if the line is too short.
///
/// Kernels before 4.18 write 11 fields after the name, those before 5.5 write 15 (discards), later ones 17
/// (flushes). Missing fields stay 0, and additional ones are ignored (kernel document admin-guide/iostats).
pub fn disk_counters(line: &[u8]) -> Option<(&[u8], DiskCounters)> {
    let mut words = words(line).skip(2);
    let name = words.next()?;
    let mut fields = [0u64; 17];
    let mut found = 0;
    for (field, word) in fields.iter_mut().zip(words) {
        *field = number(word)?;
        found += 1;
    }
    (found >= 11).then(|| (name, of_fields(&fields)))
}

/// Parses the counters after the name; the flag is false if there are only four (reads, their sectors,
/// writes, their sectors), as kernels wrote for partitions before 2.6.25.
pub(crate) fn counters_or_amounts<'t>(words: impl Iterator<Item = &'t [u8]>) -> Option<(DiskCounters, bool)> {
    let mut fields = [0u64; 17];
    let mut found = 0;
    for (field, word) in fields.iter_mut().zip(words) {
        *field = number(word)?;
        found += 1;
    }
    match found {
        4 => {
            let [reads, sectors_read, writes, sectors_written] = [fields[0], fields[1], fields[2], fields[3]];
            Some((
                DiskCounters { reads, sectors_read, writes, sectors_written, ..DiskCounters::default() },
                false,
            ))
        }
        11.. => Some((of_fields(&fields), true)),
        _ => None,
    }
}

fn of_fields(f: &[u64; 17]) -> DiskCounters {
    DiskCounters {
        reads: f[0],
        reads_merged: f[1],
        sectors_read: f[2],
        read_ms: f[3],
        writes: f[4],
        writes_merged: f[5],
        sectors_written: f[6],
        write_ms: f[7],
        in_flight: f[8],
        busy_ms: f[9],
        queue_ms: f[10],
        discards: f[11],
        discards_merged: f[12],
        sectors_discarded: f[13],
        discard_ms: f[14],
        flushes: f[15],
        flush_ms: f[16],
    }
}

/// Parses the first line of `/proc/stat`: ticks summed over CPUs. Guest time is part of `user` there and is
/// not counted twice. Fields that an old kernel does not write stay 0; `None` if the text begins otherwise.
pub fn cpu_counters(stat: &[u8]) -> Option<CpuCounters> {
    let line = stat.split(|&byte| byte == b'\n').next()?;
    ticks(line.strip_prefix(b"cpu ")?)
}

/// Parses the `cpuN` lines of `/proc/stat`, each with its number.
pub(crate) fn each_cpu(stat: &[u8]) -> Vec<(u32, CpuCounters)> {
    let line = |line: &[u8]| {
        let rest = line.strip_prefix(b"cpu")?;
        let cpu = u32::try_from(words(rest).next().filter(|_| rest.first() != Some(&b' ')).and_then(number)?)
            .ok()?;
        Some((cpu, ticks(&rest[rest.iter().position(|&byte| byte == b' ')?..])?))
    };
    stat.split(|&byte| byte == b'\n').filter_map(line).collect()
}

fn ticks(rest: &[u8]) -> Option<CpuCounters> {
    let mut f = [0u64; 8];
    for (field, word) in f.iter_mut().zip(words(rest)) {
        *field = number(word)?;
    }
    Some(CpuCounters {
        user: f[0],
        nice: f[1],
        system: f[2],
        idle: f[3],
        iowait: f[4],
        irq: f[5],
        softirq: f[6],
        steal: f[7],
    })
}

/// Parses the tasks waiting for I/O: the line `procs_blocked` near the end of `/proc/stat`.
pub(crate) fn tasks_blocked(stat: &[u8]) -> Option<u32> {
    let line = stat.rsplit(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"procs_blocked "))?;
    u32::try_from(words(line).next().and_then(number)?).ok()
}

/// Parses `/proc/pressure/io` (kernel document accounting/psi): the totals of its two lines; `None` if one is missing.
pub fn io_pressure(text: &[u8]) -> Option<Pressure> {
    let total = |kind: &[u8]| {
        let line = text.split(|&byte| byte == b'\n').find(|line| words(line).next() == Some(kind))?;
        number(words(line).find_map(|word| word.strip_prefix(b"total="))?)
    };
    Some(Pressure { some_us: total(b"some")?, full_us: total(b"full")? })
}

/// Parses `/proc/meminfo` into bytes; what is missing stays 0.
pub fn memory_counters(meminfo: &[u8]) -> MemoryCounters {
    let mut memory = MemoryCounters::default();
    for line in meminfo.split(|&byte| byte == b'\n') {
        let mut words = words(line);
        let place = match words.next() {
            Some(b"MemTotal:") => &mut memory.total,
            Some(b"MemAvailable:") => &mut memory.available,
            Some(b"Cached:") => &mut memory.cached,
            Some(b"Dirty:") => &mut memory.dirty,
            Some(b"Writeback:") => &mut memory.writeback,
            _ => continue,
        };
        *place = words.next().and_then(number).unwrap_or(0).saturating_mul(1024);
    }
    memory
}

pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Parses a decimal number; `None` for anything else, and above 2^64 - 1.
fn number(word: &[u8]) -> Option<u64> {
    word.iter().try_fold(0u64, |sum, &byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: &str = " 259       0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17";

    #[test]
    fn the_seventeen_fields_go_to_their_places() {
        let (name, c) = disk_counters(NEW.as_bytes()).unwrap();
        assert_eq!(name, b"nvme0n1");
        let reads = [c.reads, c.reads_merged, c.sectors_read, c.read_ms];
        let writes = [c.writes, c.writes_merged, c.sectors_written, c.write_ms];
        let queue = [c.in_flight, c.busy_ms, c.queue_ms];
        let discards = [c.discards, c.discards_merged, c.sectors_discarded, c.discard_ms];
        assert_eq!([&reads[..], &writes, &queue].concat(), (1..=11).collect::<Vec<u64>>());
        assert_eq!([&discards[..], &[c.flushes, c.flush_ms]].concat(), (12..=17).collect::<Vec<u64>>());
    }

    #[test]
    fn lines_of_old_and_of_coming_kernels_are_read_too() {
        let line = |fields: usize| NEW.split_whitespace().take(3 + fields).collect::<Vec<_>>().join(" ");
        let counters = |fields| disk_counters(line(fields).as_bytes()).map(|(_, counters)| counters);
        let old = counters(11).unwrap();
        assert_eq!((old.queue_ms, old.discards, old.flushes), (11, 0, 0));
        let middle = counters(15).unwrap();
        assert_eq!((middle.discard_ms, middle.flushes), (15, 0));
        assert_eq!(disk_counters(format!("{NEW} 18 19").as_bytes()).unwrap().1, counters(17).unwrap());
        assert_eq!(
            counters(4),
            None,
            "a partition of a 2.4 kernel has four fields, which mean something else"
        );
        assert_eq!(disk_counters(b""), None);
        assert_eq!(disk_counters(b"8 0 sda 1 2 x 4 5 6 7 8 9 10 11"), None);
    }

    #[test]
    fn ticks_are_read_with_and_without_the_late_fields() {
        let new = cpu_counters(b"cpu  10 20 30 40 50 60 70 80 90 100\ncpu0 1 1 1 1\n").unwrap();
        assert_eq!((new.user, new.iowait, new.steal, new.total()), (10, 50, 80, 360));
        let old = cpu_counters(b"cpu 10 20 30 40\n").unwrap();
        assert_eq!((old.idle, old.steal), (40, 0));
        assert_eq!(cpu_counters(b"intr 5"), None);
        assert_eq!(cpu_counters(b""), None);
    }

    #[test]
    fn memory_is_in_bytes_and_swap_cache_is_no_page_cache() {
        let text = b"MemTotal: 100 kB\nMemFree: 9 kB\nCached:  7 kB\nSwapCached: 5 kB\nDirty: 3 kB\nWritebackTmp: 2 kB\n";
        let memory = memory_counters(text);
        assert_eq!((memory.total, memory.cached, memory.dirty), (102_400, 7168, 3072));
        assert_eq!((memory.available, memory.writeback), (0, 0));
    }

    #[test]
    fn waiting_tasks_and_their_time_are_found_by_name() {
        assert_eq!(tasks_blocked(b"cpu 1 2 3 4\nprocs_running 2\nprocs_blocked 7\nsoftirq 1 2\n"), Some(7));
        assert_eq!(tasks_blocked(b"cpu 1 2 3 4\n"), None);
        let text = b"some avg10=0.12 avg60=0.00 avg300=0.00 total=123456\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=99\n";
        assert_eq!(io_pressure(text), Some(Pressure { some_us: 123_456, full_us: 99 }));
        assert_eq!(io_pressure(b"some avg10=0.12 total=1\n"), None);
        assert_eq!(io_pressure(b""), None);
    }

    #[test]
    fn each_cpu_has_a_line_of_its_own() {
        let text = b"cpu  1 1 1 1\ncpu0 10 1 5 80 3 1 1 2 0 0\ncpu12 1 0 0 9\nintr 5\n";
        let found: Vec<(u32, u64, u64, u64)> =
            each_cpu(text).iter().map(|(number, cpu)| (*number, cpu.user, cpu.idle, cpu.steal)).collect();
        assert_eq!(found, [(0, 10, 80, 2), (12, 1, 9, 0)]);
    }

    #[test]
    fn numbers_end_where_sixty_four_bits_end() {
        assert_eq!(number(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(number(b"18446744073709551616"), None);
        assert_eq!(number(b"-1"), None);
    }
}
