//! Single options with correct, borderline and wrong values: ours does what the real fio does, on copies of the same
//! file. An option that fio accepts and that has no effect here must not make the whole job fail.

use super::differences;
use super::effect::effect;
use super::line::{Before, Line};
use super::meant::{Pair, meant};
use crate::machine::*;

/// Jobs to which options are added; `f` holds 64 KiB of data.
const WRITE: &str = "--name=a --filename=f --size=64k --rw=write";
const RING: &str = "--name=a --filename=f --size=64k --ioengine=io_uring --iodepth=4 --direct=1 --rw=write";
const AIO: &str = "--name=a --filename=f --size=64k --ioengine=libaio --iodepth=8 --direct=1 --rw=write";
const DRAWN: &str = "--name=a --filename=f --size=64k --rw=randwrite";

/// Words added to each job, those separated by blanks each in a run of its own; both must refuse a wrong word.
const OPTIONS: &[(&str, &[&str])] = &[
    (
        WRITE,
        &[
            // Switches take any number as on.
            "--thread=2 --unlink=0 --direct=-1",
            "--zero_buffers=x",
            "--refill_buffers --end_fsync=1 --overwrite=1",
            "--invalidate=2",
            // Without zones, and without marks on commands, there is nothing to do.
            "--max_open_zones=4 --job_max_open_zones=2 --read_beyond_wp=1 --ignore_zone_limits=1",
            "--zonecapacity=4k --zone_reset_threshold=0.5 --zone_reset_frequency=0.5",
            "--write_barrier=4",
            "--block_error_percentiles=1",
            "--allow_mounted_write=1",
            "--log_compression=64k --log_store_compressed=1",
            "--log_alternate_epoch_clock_id=1",
            "--log_entries=1023",
            "--log_entries=4096",
            "--verifysort=0 --verifysort_nr=8",
            "--rwmixcycle=100",
            "--percentage_sequential=50",
            "--flow=-8",
            "--threads=4 --block=64k --load=1 --prep=1 --large-block-op-kbytes=4",
            "--section=b",
            "--section=b --name=b --filename=f --size=8k --rw=read --name=c --filename=f --rw=read",
            // Amounts.
            "--io_size=8k --loops=2",
            "--number_ios=5",
            "--number_ios=0",
            "--bs=3000",
            "--bs=0",
            "--rwmixread=101",
            "--numjobs=0",
            "--runtime=1z",
            "--fsync=x",
        ],
    ),
    ("--name=a --size=64k --rw=write", &["--nrfiles=3 --openfiles=1", "--filename_format=f"]),
    (
        RING,
        &[
            "--fixedbufs --registerfiles --nonvectored=0",
            "--nonvectored=1 --force_async=4 --uncached=0",
            "--sqthread_poll --sqthread_poll_cpu=0",
            "--cmd_type=nvme",
            "--cmd_type=bogus",
            "--uncached=0 --nonvectored=4",
            "--nonvectored=x",
        ],
    ),
    (
        AIO,
        &[
            "--userspace_reap --iodepth_batch=4 --iodepth_low=2",
            "--iodepth_batch_complete_min=8 --iodepth_batch_complete_max=4",
            "--hipri=1",
            "--iodepth_batch_submit=8 --iodepth_batch_complete_min=4 --iodepth_batch_complete_max=16",
            "--iodepth_batch_complete=x",
        ],
    ),
    (DRAWN, &["--percentage_random=0", "--percentage_random=101", "--norandommap --random_generator=lfsr"]),
    (
        "--name=a --filename=f --size=64k --rw=read",
        &["--ioengine=mmap --thp=1", "--ioengine=pvsync2 --hipri_percentage=50", "--rate=x"],
    ),
];

#[test]
fn options_one_by_one_do_what_the_real_fio_does() {
    let Some(peers) = Peers::find() else { return };
    let mut faults = Vec::new();
    let lines =
        OPTIONS.iter().flat_map(|(job, added)| added.iter().map(move |added| format!("{job} {added}")));
    for words in lines {
        let before = [Before::Data(64 << 10), Before::Missing];
        let line = Line { before, words: words.split(' ').map(str::to_owned).collect() };
        let (real, ours) = (effect(&peers, Who::Real, &line), effect(&peers, Who::Command, &line));
        let pair = Pair { line: &line, real: &real, ours: &ours };
        let found = differences(&pair).into_iter().filter(|(aspect, _)| meant(&pair, *aspect).is_none());
        let told = |what: String| format!("{words}\n  {what}\n  fio: {}\n  ours: {}", real.said, ours.said);
        faults.extend(found.map(|(_, what)| told(what)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
