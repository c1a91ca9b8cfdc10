//! What an explanation of a fio job always says, in exact sentences, and what it must not say.

use crate::one;

/// Lines, with sentences of the load and of the risks that must stand, and words that must not.
#[rustfmt::skip]
const LINES: &[(&str, &[&str], &[&str])] = &[
    // Lengths with their shares, the most frequent first.
    ("fio --name=a --filename=/dev/nvme0n1 --rw=randrw --rwmixread=40 --norandommap --direct=1 --bssplit=512/4:64k/96 --overwrite=1 --bs=4k",
        &["reads (40 %) and writes (60 %) blocks of 64 KiB (96 %) and 512 bytes (4 %) at random places, some again and others never (norandommap), at multiples of 512 bytes.",
          "A length of 512 bytes is no multiple of 4 KiB: with direct=1 it fails (\"Invalid argument\") on disks whose sectors have 4 KiB.",
          "overwrite has no effect: a device is not made. bs has no effect: bssplit sets all lengths."],
        &["several lengths"]),
    ("fio --name=a --rw=read --size=8m --bssplit=4k/40:8k/30:16k/15:32k/10:64k/5",
        &["reads blocks of 4 KiB (40 %), 8 KiB (30 %), 16 KiB (15 %), 32 KiB (10 %) and 64 KiB (5 %) one after the other."], &[]),
    ("fio --name=a --filename=/dev/vdn --rw=randwrite --size=10g --bsrange=8k-256k", 
        &["writes blocks of 8 KiB to 256 KiB at random places, shorter where a block was done already, at multiples of 8 KiB."], &[]),
    ("fio --name=a --rw=read --size=8m --bsrange=4k-1m --bs_unaligned=1", &["reads blocks of any length from 4 KiB to 1 MiB one after the other."], &[]),
    ("fio --name=a --rw=rw --size=8m --bs=4k,64k", &["reads (50 %) blocks of 4 KiB and writes (50 %) blocks of 64 KiB one after the other."], &[]),
    ("fio --name=a --rw=randread --size=8m --bs=4k --ba=64k", &["at random places, some again and others never, at multiples of 64 KiB (blockalign, which turns"], &[]),
    ("fio --name=a --rw=write --filename=/dev/sdz --offset=1k --bs=4k --size=512m --direct=1",
        &["512 MiB from 1 KiB on. Each block begins 1 KiB past a multiple of 4 KiB.",
          "A place at 1 KiB is no multiple of 4 KiB: with direct=1 it fails (\"Invalid argument\") on disks whose sectors have 4 KiB."], &[]),
    ("fio --name=a --rw=write --filename=/dev/sdz --offset=100 --bs=4k --size=512m --direct=1",
        &["A place at 100 bytes is no multiple of 512: with direct=1 such an I/O fails with \"Invalid argument\", and fio ends."], &["on disks whose"]),
    // fio 3.33, rw=rw of 8 MiB by 64 KiB: reads of the blocks 0 to 61, writes of the blocks 0 to 65.
    ("fio --name=a --rw=rw --bs=64k --size=8m --filename=f",
        &["From its start, reads and writes each come to about the first 50 % of it. About the first 4 MiB are overwritten, and not checked.",
          "what is in it (about the first 4 MiB) is overwritten"], &[]),
    ("fio --name=a --rw=rw --rwmixread=75 --bs=64k --size=8m --filename=f",
        &["From its start, reads come to about the first 75 % of it, and writes come to about the first 25 % of it.", "About the first 2 MiB are overwritten"], &[]),
    ("fio --name=a --rw=rw --loops=100 --filename=/dev/zram0",
        &["From its start, reads and writes each go through it about 50 times. All of it is overwritten", "Data on /dev/zram0 is lost: the job"], &[]),
    // fio 3.33, 75 % reads: both begin again where the reads have come to the end, with writes of the blocks 0 to 50 of 128.
    ("fio --name=a --rw=rw --rwmixread=75 --bs=64k --size=8m --loops=4 --filename=f",
        &["From its start, reads go through it about 3 times, and writes come to about the first 33 % of it, again and again. About the first 2,752 KiB are overwritten"], &[]),
    ("fio --name=a --rw=rw --rwmixread=75 --bs=64k --size=8m --io_size=32m --filename=f", &["writes come to about the first 33 % of it, again and again."], &[]),
    ("fio --name=a --rw=write --bs=64k --size=8m --loops=2 --io_size=2m --filename=f", &["Of that it comes to the first 4 MiB. About the first 4 MiB are overwritten"], &[]),
    ("fio --name=a --rw=rw --size=1m --io_size=4m --bs=128k --filename=/dev/sdz", &["From its start, reads and writes each go through it about 2 times. All of it is overwritten"], &[]),
    ("fio --name=a --rw=rw --size=1m --time_based --runtime=9 --filename=/dev/sdz", &["From its start, reads and writes each go through it. It is overwritten as far as the time suffices, and not checked."], &[]),
    ("fio --name=a --rw=randrw --percentage_random=100,0 --rwmixread=70 --bs=32k --size=10g --filename=f",
        &["From its start, the writes in order come to about the first 30 % of it. About the first 3 GiB are overwritten", "(about the first 3 GiB) is overwritten"],
        &["(the first 10 GiB) is overwritten"]),
    ("fio --name=a --rw=write --size=1g --io_size=256m --filename=f", &["the first 1 GiB. Of that it comes to the first 256 MiB. About the first 256 MiB are overwritten"], &[]),
    ("fio --name=a --rw=randread --size=1g --io_size=4g --filename=f", &["the first 1 GiB. It goes through that 4 times."], &[]),
    ("fio --name=a --rw=write --nrfiles=4 --size=4m --io_size=2m", &["Of that it comes to the first 512 KiB of each. About the first 512 KiB of each are overwritten"], &[]),
    ("fio --name=a --rw=write --size=1g --filename=f --file_append=1", &["1 GiB after its end. What is there already is kept."], &["is overwritten"]),
    ("fio --name=a --rw=randwrite --size=1g --filename=f --number_ios=1000", &["A few of its blocks are overwritten"], &[" 0 %"]),
    ("fio --name=a --rw=rw --size=1g --filename=f --number_ios=10 --bs=4k", &["each come to about the first 20 KiB."], &[" 0 %"]),
    ("fio --name=a --rw=randrw --size=1g --opendir=/x", &["What is in the files below /x is overwritten without a question."], &[]),
    ("fio --name=a --rw=randtrim --filename=/dev/sdz", &["All of it is trimmed and so lost."], &["checked"]),
    ("fio --name=a --rw=write --size=1g --zero_buffers --verify=md5", &["zero_buffers has no effect: verify fills each block itself."], &["Its data"]),
    ("fio --name=a --rw=rw --zonemode=strided --zonesize=64k --zonerange=1m --size=1g --filename=/dev/sdb", &["Data on /dev/sdb is lost (zone by zone from the start on"], &["all over zone"]),
    ("fio --name=a --rw=randrw --rwmixread=75 --size=1g --filename=f", &["About 25 % of its blocks are overwritten, and not checked."], &[]),
    ("fio --name=a --rw=write --size=1g --filename=f", &["All of it is overwritten, and not checked."], &["From its start"]),
    // Depths that are not reached.
    ("fio --name=a --rw=randread --size=1g --ioengine=libaio --buffered=1 --iodepth=128", &["One I/O at a time, through libaio (it waits for each without direct=1)."], &["Up to 128"]),
    ("fio --name=a --rw=randread --size=1g --ioengine=mmap --iodepth=128 --iodepth_batch_submit=32 --iodepth_batch_complete=32",
        &["One I/O at a time, through mmap, whatever iodepth says.", "Take io_uring, or libaio with direct=1.",
          "iodepth_batch_submit and iodepth_batch_complete have no effect: mmap waits for each I/O."], &["Take libaio"]),
    ("fio --name=a --rw=trimwrite --filename=/dev/nvme0n1 --ioengine=libaio --iodepth=16 --direct=1", 
        &["Up to 16 I/Os at a time, through libaio. Trims go one at a time, and hold up the write behind them.", "All of it is trimmed and overwritten"], &[]),
    ("fio --name=a --rw=trimwrite --filename=./test --size=100m --bs=1m",
        &["fio ends with an error at its first trim, as no file takes one. With plimsoll all of it is trimmed and overwritten, and not checked.",
          "is lost with plimsoll, which gives its blocks back, and not with fio,"],
        &["Give runtime and time_based"]),
    // fio 3.33: flushes wait; io_uring queues trims since 3.38, and they move no bytes.
    ("fio --name=a --filename=/dev/sdz --direct=1 --ioengine=libaio --iodepth=16 --rw=randwrite --fsync=1 --size=16m",
        &["Up to 16 I/Os at a time, through libaio. Each waits for the flush before it, so that the disk has about one at a time"], &[]),
    ("fio --name=a --filename=/dev/nvme0n1 --ioengine=io_uring --iodepth=64 --rw=randtrim --bs=64k",
        &["Up to 64 I/Os at a time, through io_uring. fio before 3.38 does trims one at a time"], &["has no effect on trims", "bandwidth", "whatever iodepth"]),
    ("fio --name=a --filename=/dev/nvme0n1 --ioengine=libaio --iodepth=64 --rw=randtrim --bs=64k", &["iodepth=64 has no effect on trims"], &["bandwidth"]),
    // Files and amounts, by the I/O counts of fio 3.33.
    ("fio --name=a --rw=randwrite --bs=1M --nrfiles=2 --filesize=3M --openfiles=1 --runtime=1 --time_based",
        &["On a.0.0: the first 3 MiB. Of its 2 files it never leaves the first (openfiles): at random places none is ever done."], &["openfiles has no effect"]),
    ("fio --name=a --rw=randread --filename=f:g:h --norandommap --openfiles=2 --size=3m", &["On f and g: the first 1 MiB of each", "never leaves the first 2 (openfiles)"], &[]),
    ("fio --name=a --rw=randread --filename=f:g:h --file_service_type=sequential --size=3m --time_based --runtime=9", &["never leaves the first (file_service_type)"], &[]),
    ("fio --name=a --rw=randread --filename=f:g:h --openfiles=2 --size=3m", &["On f and g and h: the first 1 MiB of each"], &["never leaves"]),
    // fio 3.33, 10 I/Os with flushes: 5 in the first file, 5 in the third.
    ("fio --name=a --rw=write --nrfiles=4 --size=3m --number_ios=10 --fdatasync=1", &["It is overwritten as far as the job comes"], &["the first 12 KiB"]),
    ("fio --name=a --rw=write --nrfiles=4 --size=3m --fdatasync=1", &["All of it is overwritten"], &[]),
    ("fio --name=a --rw=rw --nrfiles=3 --openfiles=1 --size=3m", &["reads and writes each go on by themselves"], &["50 % of each"]),
    ("fio --name=a --rw=write --nrfiles=2 --size=64k --bs=12k --norandommap", &["Until about 48 KiB is done, which is about 4 I/Os"], &["first 36 KiB"]),
    ("fio --name=a --rw=write --size=1m --io_size=6m --do_verify=0", &["Until 6 MiB is done (in fio it can be less)"], &["I/Os of"]),
    ("fio --name=a --rw=rw --size=1m --io_size=6m --loops=3 --filename=f", &["Until 6 MiB is done (in fio it can be less or more)"], &["I/Os of"]),
    ("fio --name=a --rw=read --filename=/dev/sdz --io_size=2m --loops=2", &["Until 4 MiB is done (less if what is there is shorter)"], &["1,024 I/Os"]),
    ("fio --name=a --rw=randwrite --bs=4k,8k --size=2m --filename=f", &["Blocks all over it are overwritten", "Until 2 MiB is done (in fio often less"], &["256 I/Os"]),
    ("fio --name=a --rw=randread --bs=4k,8k --size=2m --filename=f", &["Until 2 MiB is done, which is 512 I/Os"], &[]),
    ("fio --name=a --rw=randrw --rwmixread=70 --nrfiles=20000 --filesize=64k", &["reads (70 %) and writes (30 %) blocks of 4 KiB"], &["(0 %)"]),
    ("fio --name=a --rw=read --nrfiles=20 --filesize=16k-1m", &["Until each whole file has been done once"], &["which is"]),
    ("fio --name=a --rw=read --filename=f --number_ios=1 --size=1m", &["Until 1 I/O is done, 1 MiB at most"], &[]),
    ("fio --name=a --rw=read --filename=f --size=1025k", &["Until about 1 MiB is done, which is about 256 I/Os"], &[]),
    ("fio --name=a --filename=/dev/sdz --rw=randwrite --percentage_random=1 --size=4m", &["Until 4 MiB is done (in fio it can be less, by the seed)"], &["1,024 I/Os"]),
    ("fio --name=a --filename=/dev/sdz --rw=randread:8 --size=4m", &["Until 4 MiB is done (in fio it can be less, by the seed)"], &["1,024 I/Os"]),
    ("fio --name=a --rw=randread:8 --size=4m", &["Until 4 MiB is done, which is 1,024 I/Os"], &[]),
    ("fio --name=a --filename=f --rw=read:8k --bs=2k --size=256k", &["Until 256 KiB is done (in fio less where the file goes on behind this part)"], &["128 I/Os"]),
    ("fio --name=a --filename=f --rw=read:8k --size=4m", &["Until 1,368 KiB is done, which is 342 I/Os"], &[]),
    ("fio --name=a --rw=read:8k --size=4m --bsrange=4k-16k", &["Until 4 MiB is done (in fio it can be less)"], &["I/Os of"]),
    ("fio --name=a --rw=write:-8k --size=768k --bs=12k", &["one after the other, each from 8 KiB before where the last one ended"], &["backwards"]),
    ("fio --name=a --rw=write --bs=1M --filename=ft --fill_device=1 --runtime=60",
        &["On ft, from the start on and beyond what is there.", "60 s is only the longest that it may take; it ends earlier if no space is left."], &["as long as it is", "has been done once"]),
    ("fio --name=a --rw=randread --bsrange=512-64k --bs_unaligned --size=10M --filename=x", &["at random places, at multiples of 512 bytes."], &[]),
    ("fio --name=a --ioengine=aio --iodepth=4 --rw=read --size=1m", &["One I/O at a time, through libaio (it waits for each without direct=1)."], &[]),
    ("fio --name=a --ioengine=cpuio --cpuload=10 --runtime=5", &["reads and writes no blocks of storage"], &["IOPS"]),
    // Time alone ends it, and chance decides which blocks come.
    ("fio --name=a --rw=randwrite --filename=/dev/sdm --norandommap --time_based --runtime=300 --log_avg_msec=500 --exitall",
        &["For 300 s.", "log_avg_msec has no effect: no log is written. exitall has no effect: there is one job."], &["starting over"]),
    // What is written, what is checked, and what the data are.
    ("fio --name=a --rw=read --filename=/dev/sdz", &["Nothing is written or checked."], &[]),
    ("fio --name=a --rw=read --size=1g", &["Nothing is written but files that are missing or too short, and nothing is checked."], &[]),
    ("fio --name=a --rw=write --size=1g --buffer_compress_percentage=50 --refill_buffers", 
        &["Its data are random, new in each write; 50 % of them are zeros and compress (buffer_compress_percentage)."], &[]),
    ("fio --name=a --rw=write --size=1g --dedupe_percentage=30", &["Its data are random; 30 % of the blocks repeat others (dedupe_percentage)."], &[]),
    ("fio --name=a --rw=write --size=1g --zero_buffers", &["Its data are zeros."], &[]),
    ("fio --name=a --rw=write --size=1g --buffer_pattern=0xbeef", &["Its data are the typed pattern again and again (buffer_pattern)."], &[]),
    ("fio --name=a --rw=write --size=1g --verify=meta --verify_pattern=0x3B461331", &["Its data are headers and the typed pattern (verify_pattern)."], &[]),
    ("fio --name=a --rw=read --filename=/dev/sdz --refill_buffers --scramble_buffers=1", &["refill_buffers and scramble_buffers have no effect: nothing is written."], &["Its data"]),
    // Caches.
    ("fio --name=a --rw=randrw --rwmixread=0 --size=1g --direct=0 --buffered=0", &["Past the page cache (buffered=0, which overrules direct=0)."], &["is read as it is"]),
    ("fio --name=a --ioengine=nbd --uri=nbd://h --rw=write --size=8m --verify=crc32c",
        &["The page cache of this machine has no part in it.", "How long it takes depends on what nbd reaches, and the way there."],
        &["through the page cache", "Give runtime"]),
    // Advice that does not fit.
    ("fio --name=a --filename=/dev/null --ioengine=io_uring --rw=randread --size=10g", &["/dev/null stores nothing"], &["There is no direct=1", "3,000 IOPS", "parallel", "randrepeat"]),
    ("fio --name=a --filename=/dev/vdb --rw=write --direct=1 --size=1g --numjobs=50 --time_based --runtime=300 --ioengine=sync --verify=meta",
        &["fio reads nothing back with this engine", "plimsoll reads back what was written when the run time is over"], &["can report corruption"]),
    ("fio --name=a --filename=/dev/sdz --rw=randread --ioengine=sync --verify=md5 --verify_state_load=1 --bsrange=4k-1m --bs_unaligned=1 --disable_lat=1 --disable_clat=1 --disable_slat=1",
        &["With bs_unaligned random writes overlap each other", "disable_lat, disable_clat and disable_slat leave out every latency"], &["measures latency", "randrepeat=0"]),
    ("fio --name=a --filename=/dev/nvme0n1 --rw=randwrite --bs=128k --direct=1 --time_based --runtime=300", &["It is overwritten as far as the time suffices"], &["burst"]),
    ("fio --name=a --filename=/dev/nvme0n1 --rw=randwrite --bs=4k --direct=1 --time_based --runtime=300",
        &["300 s can lie wholly within a burst on credits: an EBS gp2 volume holds 3,000 IOPS for 30 min and more."], &[]),
];

/// Counts of fio 3.33: of 16 MiB 51 % are written in one pass and in three, 87 % with `randrepeat=0`, and 77 % by two copies.
#[test]
fn of_a_mix_at_random_the_share_of_its_writes_is_overwritten() {
    let half = "About 50 % of its blocks are overwritten";
    for (words, says) in [
        ("--size=16M --loops=3", half),
        ("--size=16M --io_size=48M", half),
        ("--filename=/dev/sdz --bssplit=4k/30:16k/30:64k/40 --loops=3", half),
        ("--size=16M --loops=3 --randrepeat=0", "About 88 % of its blocks are overwritten"),
        ("--size=16M --filename=f --numjobs=2", "About 75 % of its blocks are overwritten"),
        ("--size=16M --runtime=30", "At most about 50 % of its blocks are overwritten"),
        ("--size=16M --runtime=30 --percentage_random=70", "Blocks all over it are overwritten"),
        ("--size=16M --runtime=30 --time_based", "It is overwritten as far as the time suffices"),
    ] {
        let asks = one(&format!("fio --name=rr --rw=randrw --bs=4k {words}")).asks.join(" ");
        assert!(asks.contains(says), "{words}: {asks}");
    }
    assert_eq!(one("fio --name=a --rw=randrw --size=16M --loops=3").loads[0].share_changed, Some(0.5));
    assert_eq!(
        one("fio --name=a --filename=f --rw=randrw --size=16M --numjobs=2").loads[0].share_changed,
        Some(0.75)
    );
}

#[test]
fn files_without_room_for_a_block_get_no_io() {
    for (words, on) in [
        (
            "--filesize=1k --nrfiles=10000 --size=1M --runtime=30 --time_based",
            "On 10000 files of its own: 1 KiB of each, 9.8 MiB in all.",
        ),
        ("--filesize=2k --nrfiles=3", "On 3 files of its own: 2 KiB of each, 6 KiB in all."),
        ("--size=100k --nrfiles=30", "On 30 files of its own: 3,413 bytes of each, 100.0 KiB in all."),
    ] {
        let told = one(&format!("fio --name=a --rw=write --bs=4k {words}"));
        let asks = told.asks.join(" ");
        let none = "No I/O is done, however long the time: each of them is shorter than a block";
        assert!(asks.contains(none) && !asks.contains("overwritten"), "{asks}");
        assert!(asks.contains(on), "{asks}");
        assert!(!told.loads[0].writes && told.risks.is_empty(), "{:?}", told.risks);
    }
    let fits = one("fio --name=a --rw=write --bs=4k --filesize=6k --nrfiles=3").asks.join(" ");
    assert!(fits.contains("overwritten"), "{fits}");
}

#[test]
fn jobs_that_do_the_same_are_told_once_and_their_depths_add_up() {
    let jobs = "[global]\nrw=randwrite\ndirect=1\nioengine=libaio\niodepth=64\nsize=1g\nnumjobs=4\n\
        [a]\nfilename=f1\n[b]\nfilename=f2\n";
    let told = one(jobs);
    let text: Vec<&str> = told.risks.iter().map(|risk| risk.text.as_str()).collect();
    assert!(
        told.asks[0].starts_with("Jobs a and b, each in 4 copies side by side: each writes blocks"),
        "{:?}",
        told.asks
    );
    assert!(
        told.asks[0].contains("On f1 and f2 (one for each job), the same for all copies: the first 1 GiB.")
    );
    assert_eq!(told.asks.len(), 2);
    assert!(
        text[0].starts_with("If any of f1 and f2 exists, what is in it (the first 1 GiB) is overwritten"),
        "{text:?}"
    );
    let depth = "With 512 in flight the latency is that of waiting in line: depth / IOPS, 102 ms at 5,000 IOPS. The volume's own \
        latency shows with iodepth=1 and numjobs=1 and no job beside it.";
    assert!(text.contains(&depth), "{text:?}");
    let apart = one(
        "fio --rw=randread --direct=1 --ioengine=libaio --iodepth=32 --name=a --filename=/dev/sdy --name=b --filename=/dev/sdz",
    );
    assert!(apart.risks.iter().any(|risk| risk.text.contains("With 32 in flight")), "{:?}", apart.risks);
}

#[test]
fn where_blocks_lie_and_what_has_no_effect_is_said() {
    for (words, says) in [
        (
            "--rw=randwrite --bsrange=4k-64k",
            "at random places, shorter where a block was done already, at multiples of 4 KiB.",
        ),
        ("--rw=randrw:2", "(one in 2 at random places, the others where the last one of their kind ended)."),
        (
            "--rw=randread --percentage_random=70",
            "the others where the last one ended, so that some come again and others never)",
        ),
        (
            "--rw=randread --bssplit=1k/30:2k/25:4k/20:8k/15:16k/10",
            "blocks of 1 KiB (30 %), 2 KiB (25 %), 4 KiB (20 %), 8 KiB (15 %) and 16 KiB (10 %)",
        ),
        ("--rw=randread --percentage_random=0", "blocks of 4 KiB one after the other (percentage_random=0)."),
        ("--rw=randread --zonemode=zbd", "Its reads stay below the write pointers of the zones."),
        (
            "--rw=write --random_generator=lfsr --norandommap",
            "norandommap and random_generator have no effect: this rw goes in order.",
        ),
        (
            "--rw=write --ioengine=io_uring --cmd_type=nvme",
            "cmd_type has no effect: only io_uring_cmd knows it.",
        ),
    ] {
        let told = one(&format!("fio --name=a --size=1g {words}"));
        let text: Vec<String> =
            told.asks.into_iter().chain(told.risks.into_iter().map(|risk| risk.text)).collect();
        assert!(text.iter().any(|text| text.contains(says)), "{words}: {text:#?}");
    }
    let blank = one("fio --name=a --rw=read --size=1g '--directory=/mnt/a b'");
    assert_eq!(blank.native[1].command, "plimsoll check '/mnt/a b'");
    let natives = |line: &str| one(line).native.into_iter().map(|native| native.command).collect::<Vec<_>>();
    assert_eq!(natives("fio --name=a --rw=read --filename={0} --size=1g")[1], "plimsoll check '{0}'");
    assert_eq!(natives("fio --name=a --ioengine=cpuio --cpuload=10 --runtime=5"), [""]);
    assert_eq!(natives(r"diskspd -c1G -d10 C:\t\x.dat").last().map(String::as_str), Some(""));
    let corrected = one("fio --name=s --rw=read --filename=tf --directory=/mnt/x").corrected.unwrap();
    assert_eq!(corrected.command, "fio --name=s --rw=read --directory=/mnt/x --filename=tf --size=4G");
    let iostat = one("iostat -dmx /dev/$DEV 1").asks.join(" ");
    assert!(
        iostat.contains("a report every 1 s until it is stopped.") && iostat.contains("Devices: $DEV."),
        "{iostat}"
    );
}

#[test]
fn what_is_always_said_of_a_job_is_said_in_these_sentences() {
    for (line, says, never) in LINES {
        let told = one(line);
        let risks = told.risks.iter().map(|risk| risk.text.clone());
        let all = told.asks.iter().cloned().chain(risks).collect::<Vec<_>>().join(" ");
        says.iter().for_each(|words| assert!(all.contains(words), "{line}: lacks '{words}': {all}"));
        never.iter().for_each(|words| assert!(!all.contains(words), "{line}: says '{words}': {all}"));
    }
}

/// By the counts of fio 3.33 on files of 512 KiB and 2 MiB.
#[test]
fn what_several_passes_come_to_depends_on_the_engine_and_the_seed() {
    let job = "fio --name=a --filename=f --bs=4k --size=2m --direct=1";
    let timed = "--verify=crc32c --time_based --runtime=9";
    for (words, says) in [
        (
            format!("--rw=randrw --ioengine=libaio --iodepth=8 {timed}"),
            "On f: the first 2 MiB. At most about 50 % of its blocks are overwritten, the same in each pass.",
        ),
        (format!("--rw=randrw {timed}"), "It is overwritten as far as the time suffices."),
        (
            format!("--rw=randrw --ioengine=libaio {timed} --randrepeat=0"),
            "It is overwritten as far as the time suffices.",
        ),
        (
            format!("--rw=rw --ioengine=io_uring {timed}"),
            "reads and writes each come to at most the first 50 % of it, again and again. At most about the first 1 MiB are \
             overwritten.",
        ),
        (
            "--rw=rw --rwmixread=75 --ioengine=libaio --loops=4".to_owned(),
            "reads come to about the first 75 % of it, again and again, and writes come to about the first 25 % of it, again \
             and again. About the first 512 KiB are overwritten",
        ),
        (
            "--rw=rw --rwmixread=75 --loops=4".to_owned(),
            "reads go through it about 3 times, and writes come to about the first 33 % of it, again and again.",
        ),
        ("--rw=randrw --loops=3 --randseed=7".to_owned(), "About 88 % of its blocks are overwritten,"),
        (
            "--rw=randrw --loops=3".to_owned(),
            "About 50 % of its blocks are overwritten, the same in each pass, and not checked.",
        ),
        // Every second thread takes two orders.
        (
            "--rw=randrw --loops=3 --name=b --filename=g --bs=4k --size=2m --rw=randrw --loops=3".to_owned(),
            "On g: the first 2 MiB. About 75 % of its blocks are overwritten,",
        ),
        (
            "--rw=randrw --verify=md5 --verify_backlog=20 --rate_iops=500".to_owned(),
            "reads (50 %, or fewer where the rate holds the reads back) and writes",
        ),
        (
            "--rw=randrw --loops=3 --numjobs=2 --offset_increment=2m".to_owned(),
            "About 65 % of its blocks are overwritten,",
        ),
        ("--rw=randrw --loops=3 --numjobs=2".to_owned(), "About 88 % of its blocks are overwritten,"),
    ] {
        let told = one(&format!("{job} {words}")).asks.join(" ");
        assert!(told.contains(says), "{words}: {told}");
    }
}

#[test]
fn a_job_that_waits_for_one_of_several_is_said_to_wait_for_that_one() {
    let order = |b: &str| {
        let text = format!("[global]\nrw=read\nsize=1m\n[a]\n[b]\n{b}[c]\nwait_for=b\n");
        one(&text).asks.pop().unwrap()
    };
    assert_eq!(order(""), "They run in turn: a with b, then c as soon as b has ended.");
    assert_eq!(order("wait_for=a\n"), "They run in turn: a, then b, then c.");
}

#[test]
fn an_amount_below_the_part_is_said_with_its_place() {
    for (words, says) in [
        ("--filename=f --rw=read --bs=1M --size=1G --io_size=10M", "Of that it comes to the first 10 MiB."),
        (
            "--filename=/dev/sdb --rw=read --io_size=100000m",
            "Of that it comes to at most the first 97.7 GiB.",
        ),
        ("--filename=/dev/sdb --rw=write --io_size=1G", "At most the first 1 GiB are overwritten,"),
        ("--filename=/dev/sdb --rw=write --io_size=1G", "is lost (at most the first 1 GiB):"),
        ("--filename=/dev/sdb --rw=rw --io_size=1G", "each come to at most about the first 512 MiB."),
        (
            "--filename=/dev/sdb:/dev/sdc --rw=write --number_ios=8 --bs=1m",
            "At most the first 4 MiB are overwritten,",
        ),
    ] {
        let told = one(&format!("fio --name=a {words}"));
        let risks = told.risks.into_iter().map(|risk| risk.text);
        let all = told.asks.into_iter().chain(risks).collect::<Vec<_>>().join(" ");
        assert!(all.contains(says), "{words}: {all}");
    }
}

#[test]
fn figures_of_limits_are_those_of_one_job_without_its_rests_and_never_0() {
    let deep = "--rw=randread --direct=1 --ioengine=libaio --iodepth=100 --size=1g --thinktime=5000 --thinktime_blocks=100";
    for (words, says) in [
        (
            "--rw=randwrite --size=2m --runtime=2 --name=b --rw=read --size=1g --filename=f",
            "at more than 1 MB/s of its own",
        ),
        (
            "--rw=randwrite --size=6M --runtime=600",
            "at more than 10 kB/s it ends earlier, when 6 MiB is done.",
        ),
        (deep, "depth / IOPS, 20 ms at 5,000 IOPS, without the rests."),
        ("--rw=randwrite --size=256k --loops=3 --rate_iops=400", "192 I/Os take 478 ms on a volume"),
        ("--rw=read --size=1g --stonewall", "stonewall has no effect: no job comes before it."),
        (
            "--rw=read --size=1g --stonewall --name=b --filename=g --rw=read --size=1g",
            "a: stonewall has no effect:",
        ),
    ] {
        let told = one(&format!("fio --name=a --filename=f {words}")).risks;
        assert!(told.iter().any(|risk| risk.text.contains(says)), "{words}: {told:#?}");
    }
    for (words, never) in [
        // At that rate time ends it.
        ("--rw=write --bs=128k --size=4m --rate=2m --runtime=1", "There is no time_based"),
        ("--rw=randread --size=2m --thinktime=2ms --runtime=1", "There is no time_based"),
        // The checks in between count into the rate of the reads.
        ("--rw=randrw --size=1m --verify=md5 --verify_backlog=20 --rate_iops=500", "256 I/Os take"),
    ] {
        let told = one(&format!("fio --name=a --filename=f {words}")).risks;
        assert!(told.iter().all(|risk| !risk.text.contains(never)), "{words}: {told:#?}");
    }
    let global = one("[global]\nstonewall\nrw=read\nsize=1g\n[a]\n[b]\n").risks;
    assert!(global.iter().all(|risk| !risk.text.contains("stonewall has")), "{global:#?}");
}

#[test]
fn what_plimsoll_does_in_another_way_is_named() {
    let told = one("fio --name=a --rw=trimwrite --filename=./test --size=100m");
    assert_eq!(
        told.apart,
        ["a: fio fails at the first trim of a file; plimsoll gives the file's blocks back."]
    );
    assert!(one("fio --name=a --rw=trimwrite --filename=/dev/sdz").apart.is_empty());
    let uneven = one("fio --name=a --rw=rw --rwmixread=75 --size=8m --io_size=32m --filename=f").apart;
    assert!(uneven[0].contains("in fio both together"), "{uneven:?}");
    assert!(one("fio --name=a --rw=rw --size=8m --io_size=32m --filename=f").apart.is_empty());
}

#[test]
fn every_value_that_fio_takes_for_something_else_is_named_and_plimsoll_says_why_it_runs_none() {
    let told = one(
        "[a]\nrw=write\nsize=1g\nbuffer_compress_percentage=57%\nverify=md5\n[b]\nrw=write\nsize=2g // x\nbuffer_compress_percentage=15%\n",
    );
    let begins: Vec<&str> = told.gaps.iter().map(|gap| &gap[..gap.find(": '").unwrap()]).collect();
    assert_eq!(
        begins,
        [
            "line 4, column 1: buffer_compress_percentage=57%",
            "line 8, column 1: size=2g // x",
            "line 9, column 1: buffer_compress_percentage=15%"
        ]
    );
    assert!(
        told.asks[0].contains("Nothing of its data is made to compress (buffer_compress_percentage=57%).")
    );
    assert!(told.asks[1].contains("Until 2 GiB is done"));
    assert!(told.native[0].command.is_empty() && told.native[0].says.contains("does not run these words"));
}

#[test]
fn what_fio_itself_refuses_is_named_before_what_it_takes_for_something_else() {
    let text = "[global]\nsize=2g // x\n // \"runtime\" has passed.\n[a]\nrw=read\nfilename=zz\n";
    let error = crate::all(text).unwrap_err();
    assert_eq!((error.line, error.word.as_str()), (3, "// \"runtime\" has passed."));
    let told = one("[a]\nrw=read\nsize=1m\nfilename=/dev/sdg  // => x\n");
    assert!(told.gaps[0].contains("// begins no comment for fio"), "{:?}", told.gaps);
}

#[test]
fn lines_that_a_backslash_continues_need_no_report() {
    let told = one("fio --name=a \\\n  --rw=read\\\n  --size=1g\n");
    assert_eq!((told.repairs.len(), told.command.as_str()), (0, "fio --name=a --rw=read --size=1g"));
    assert!(one("[a]\n#directory=G\\:\\\nrw=read\nsize=1g\n").repairs.is_empty());
    assert_eq!(one("fio --name=a \\ --rw=read --size=1g").repairs.len(), 1);
}
