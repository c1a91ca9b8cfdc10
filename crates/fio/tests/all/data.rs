//! What options on lengths, places and data ask for.

use workload::{
    Buffers, ByDirection, Bytes, Checksum, Direction, Duplicates, FileOrder, FileTurn, Follow, Job,
    LengthShare, Lengths, LengthsBy, Mix, OnMismatch, Order, Pattern, Pieces, Proof, ReadBack, Repeats, Runs,
    Shape, Spread, StopRule, Verification, Verify, Zone, ZoneLength,
};

use fio::{Below, Disk, opening};

use crate::vocabulary::{asked, disk, planned, refused};

fn job(words: &str) -> Job {
    let steps = planned(&format!("fio --ioengine=null --size=1g --name=a {words}"), &[]);
    steps.unwrap_or_else(|error| panic!("{words}: {error}"))[0].workload.jobs[0].clone()
}

fn amount(words: &str) -> StopRule {
    planned(&format!("fio --ioengine=null --name=a {words}"), &[]).unwrap()[0].workload.stop[0]
}

fn shares(list: &[(u64, u32)]) -> Lengths {
    Lengths::Shares(
        list.iter().map(|&(kib, weight)| LengthShare { length: Bytes::kib(kib), weight }).collect(),
    )
}

/// fio 3.33: 10 blocks a loop; a mix ends as soon as one direction is through.
#[test]
fn a_loop_ends_with_its_last_whole_block_and_a_mix_with_holes_with_its_likelier_direction() {
    for (loops, blocks) in [(1, 10), (2, 20), (7, 70)] {
        let words = format!("--size=1m --rw=write --bs=96k --loops={loops}");
        assert_eq!(amount(&words), StopRule::BytesEach(Bytes::kib(96 * blocks)));
    }
    let holes = |percent: u32, loops: u32| {
        let words = format!("--rw=rw:8k --bs=8k --size=2m --rwmixread={percent} --loops={loops} --name=a");
        let steps = planned(&format!("fio --filename=/f {words}"), &[("/f", 16 << 20)]).unwrap();
        steps[0].workload.stop[0]
    };
    for (percent, loops, blocks) in [(75, 1, 170), (25, 1, 170), (50, 1, 256), (90, 2, 284), (100, 1, 128)] {
        assert_eq!(holes(percent, loops), StopRule::BytesEach(Bytes::kib(8 * blocks)), "{percent} %");
    }
}

/// What both tools do alike gets no note.
#[test]
fn what_fio_does_otherwise_with_these_files_is_noted() {
    let notes = |words: &str| {
        let line = format!("fio --name=a --filename=/f {words}");
        fio::steps(&asked(&line), &disk(&[("/f", 64 << 20)])).unwrap().notes
    };
    let zones = "--zonemode=strided --zonesize=64k --zoneskip=192k";
    for (words, noted) in [
        (format!("--rw=write --offset=1m --size=8m {zones}"), true),
        (format!("--rw=read --size=8m --time_based --runtime=1 --io_size=1m {zones}"), true),
        (format!("--rw=write --size=8m --io_size=1m {zones}"), false),
        (format!("--rw=write --size=8m --number_ios=100 {zones}"), false),
        (format!("--rw=write {zones}"), false),
        (format!("--rw=write --size=128m {zones}"), false),
        ("--rw=write --size=8m --zonemode=strided --zonesize=64k".to_owned(), false),
        ("--rw=trim --size=1m".to_owned(), true),
        ("--rw=randtrimwrite --size=1m".to_owned(), true),
        ("--rw=trim --size=1m --ioengine=null".to_owned(), false),
        ("--rw=write --size=1m".to_owned(), false),
    ] {
        assert_eq!(!notes(&words).is_empty(), noted, "{words}: {:?}", notes(&words));
    }
}

#[test]
fn bssplit_shares_out_the_lengths_of_each_direction() {
    let one = job("--rw=randrw --bssplit=4k/10:64k/50:32k/40");
    for (_, lengths) in one.blocks.lengths.iter().take(2) {
        assert_eq!(lengths, &shares(&[(4, 1000), (64, 5000), (32, 4000)]));
    }
    let two = job("--rw=randrw --bssplit=4k/50:8k/50,16k/");
    assert_eq!(two.blocks.of(Direction::Read), &shares(&[(4, 5000), (8, 5000)]));
    assert_eq!(two.blocks.of(Direction::Write), &shares(&[(16, 10_000)]));
    let blanks = job("--rw=read --bssplit=4k/60:8k:16k/");
    assert_eq!(blanks.blocks.of(Direction::Read), &shares(&[(4, 6000), (8, 2000), (16, 2000)]));
    let rest = asked("fio --ioengine=null --size=1m --name=a --bssplit=4k/30:8k/30");
    assert!(rest.notes.iter().any(|note| note.contains("add up to 60")), "{:?}", rest.notes);
}

#[test]
fn wrong_lengths_are_refused_with_what_would_do() {
    for (words, says) in [
        ("--bssplit=4k/60:8k/60", "add up to 120"),
        ("--bssplit=4k/x", "'x' is no percentage"),
        ("--bssplit=4.5k/50:8k/50", "no fractions"),
        ("--bssplit=0/100", "min value out of range"),
        ("--bsrange=64k-4k", "write the shorter length first"),
        ("--bsrange=4-64k", "write 4k-64k"),
        ("--random_distribution=zoned:50/30:40/70", "add up to 90"),
        ("--random_distribution=normal", "for example normal:20"),
        ("--random_distribution=pareto:1.5", "between 0 and 1"),
        ("--random_distribution=zip:1.5", "zip:1.5"),
        ("--rw=randread:0", "after the colon"),
        ("--rw=reads:8k", "reads:8k"),
        ("--buffer_pattern=abc", "double quotes"),
        ("--buffer_pattern=\"abc", "closing quote"),
        ("--buffer_pattern=0x", "no hexadecimal digit"),
        ("--buffer_pattern=0x11%o", "in verify_pattern alone"),
        (
            "--dedupe_percentage=70 --dedupe_mode=working_set --dedupe_working_set_percentage=40",
            "the set's blocks are no duplicates",
        ),
        ("--file_service_type=roundrobin:0", "how many I/Os"),
        ("--zonemode=strided", "give zonesize"),
    ] {
        let error = refused(&format!("fio --ioengine=null --size=1m --name=a {words}"));
        let text = format!("{error}{}", error.hint().unwrap_or_default());
        assert!(text.contains(says), "{words}: {text}");
    }
}

#[test]
fn ranges_alignment_and_their_like() {
    let ranged = job("--rw=randrw --bsrange=4k-16k,8k-64k");
    let range = |least, most, step| Lengths::Range { least: Bytes::kib(least), most: Bytes::kib(most), step };
    assert_eq!(ranged.blocks.of(Direction::Read), &range(4, 16, Bytes::kib(4)));
    assert_eq!(ranged.blocks.of(Direction::Write), &range(8, 64, Bytes::kib(8)));
    assert_eq!(job("--bsrange=4k-16k --bs_unaligned").blocks.of(Direction::Read), &range(4, 16, Bytes(1)));
    assert_eq!(job("--bs=16k --ba=2k").blocks.align_of(Direction::Read), Bytes::kib(2));
    let chance = job("--rw=randread --percentage_random=30 --bs=64k,4k --bs_is_seq_rand=1").blocks;
    assert_eq!(chance.by, LengthsBy::Sequence);
    assert_eq!(
        (chance.lengths.read.longest(), chance.lengths.write.longest()),
        (Bytes::kib(64), Bytes::kib(4))
    );
}

#[test]
fn the_debug_log_tells_the_seeds_of_the_jobs() {
    let log = |words: &str| {
        let asked = asked(&format!("fio --debug=random --ioengine=null --size=1m --name=a {words}"));
        let text = opening(&asked);
        let numbers: Vec<u64> = text
            .lines()
            .filter(|line| line.starts_with("random "))
            .map(|line| line.rsplit('=').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(numbers, [1, asked.jobs[0].seed], "{text}");
        numbers[1]
    };
    assert_eq!(log("--randseed=5"), log("--randseed=5 --randrepeat=0"));
    assert_ne!(log("--randseed=5"), log("--randseed=6"));
}

#[test]
fn distributions_are_understood() {
    let spread = |words: &str| job(&format!("--rw=randread --random_distribution={words}")).access.spread;
    assert_eq!(spread("random"), Spread::Uniform);
    assert_eq!(spread("zipf"), Spread::Zipf { theta: 1.1, center: None });
    assert_eq!(spread("zipf:1.2:0.25"), Spread::Zipf { theta: 1.2, center: Some(0.25) });
    assert_eq!(spread("pareto:0.3"), Spread::Pareto { h: 0.3, center: None });
    let Spread::Normal { percent, center: None } = spread("normal:20") else {
        panic!("no normal distribution")
    };
    assert!((percent - 10.14).abs() < 0.01, "fio's places deviate by {percent} % of the region");
    assert_eq!(spread("sequence:3,1,2"), Spread::Listed(vec![3, 1, 2]));
    let advancing = spread("sequence:3,1,2 --random_sequence_stride=1");
    assert_eq!(advancing, Spread::Advancing(vec![3, 1, 2]));
    let zone = |percent, length| Zone { percent, length: ZoneLength::Percent(length) };
    let all = vec![zone(60.0, 10.0), zone(40.0, 90.0)];
    assert_eq!(
        spread("zoned:60/10:40/90,50/50:50/"),
        Spread::Zoned(ByDirection {
            read: all,
            write: vec![zone(50.0, 50.0), zone(50.0, 50.0)],
            trim: vec![zone(50.0, 50.0), zone(50.0, 50.0)],
        })
    );
    let Spread::Zoned(absolute) = spread("zoned_abs:60/20m:40/") else { panic!("not zoned") };
    let lengths: Vec<ZoneLength> = absolute.read.iter().map(|zone| zone.length).collect();
    assert_eq!(lengths, [ZoneLength::Bytes(Bytes::mib(20)), ZoneLength::Rest]);
}

#[test]
fn what_follows_the_colon_of_rw_is_a_stride_or_a_run() {
    assert_eq!(job("--rw=read:8k").access.stride, 8192);
    assert_eq!(job("--rw=write:-8k").access.stride, -8192);
    let runs = |follow| Some(Runs { length: 8, follow });
    assert_eq!(job("--rw=randread:8").access.runs, runs(Follow::Next));
    assert_eq!(job("--rw=randread:8 --rw_sequencer=identical").access.runs, runs(Follow::Same));
    // 128 MiB in steps of 1.5 MiB hold 85 blocks of 1 MiB, as fio does on the same words.
    assert_eq!(amount("--rw=read:512k --bs=1m --size=128m"), StopRule::BytesEach(Bytes::mib(85)));
    assert_eq!(amount("--rw=read:12k --size=8m"), StopRule::BytesEach(Bytes::mib(8)), "it begins anew");
    assert_eq!(amount("--rw=read:-8k --bs=4k --size=40k"), StopRule::BytesEach(Bytes::kib(40)));
    // It starts over only if the last hole reaches the end of the file, not that of a region within the file.
    let within = |words: &str| {
        let words = format!("fio --name=a --filename=/f {words}");
        planned(&words, &[("/f", 1 << 20)]).unwrap()[0].workload.stop[0]
    };
    assert_eq!(within("--rw=write:4k --bs=4k --size=128k"), StopRule::BytesEach(Bytes::kib(64)));
    assert_eq!(within("--rw=rw:16k --bs=12k --size=256k"), StopRule::BytesEach(Bytes::kib(216)), "9 each");
    assert_eq!(within("--rw=write:4k --bs=4k --size=1m"), StopRule::BytesEach(Bytes::mib(1)));
}

#[test]
fn trims_are_words_of_rw() {
    assert_eq!(job("--rw=randtrim").access.mix, Mix::TRIM);
    assert_eq!(job("--rw=trim").access.order, Order::Sequential);
    assert_eq!(job("--rw=randtrimwrite").access.mix, Mix::TRIM_WRITE);
    assert_eq!(amount("--rw=trimwrite --size=1m"), StopRule::BytesEach(Bytes::mib(2)), "a pair counts twice");
    assert_eq!(job("--rw=randtrim --bs=4k,8k,16k").blocks.longest_of(Direction::Trim), Bytes::kib(16));
}

#[test]
fn each_direction_keeps_its_share_of_random_places() {
    let job = job("--rw=randrw --percentage_random=80,10");
    assert_eq!(job.access.order, Order::Sequential);
    assert_eq!(job.access.random_percent, ByDirection { read: 80, write: 10, trim: 10 });
    assert_eq!(self::job("--rw=randread --norandommap").access.order, Order::Random(Repeats::With));
    let lfsr = self::job("--rw=randread --norandommap --random_generator=lfsr");
    assert_eq!(lfsr.access.order, Order::Random(Repeats::Without));
}

#[test]
fn data_is_shaped_as_asked() {
    let buffers = |words: &str| job(&format!("--rw=write {words}")).buffers;
    assert_eq!(
        buffers("--buffer_pattern=0xdeadbeef"),
        Buffers::Pattern(Pattern::of([0xde, 0xad, 0xbe, 0xef]))
    );
    let mixed = buffers("--buffer_pattern=\"abcd\"-1258");
    assert_eq!(
        mixed,
        Buffers::Pattern(Pattern::of([b"abcd".as_slice(), &(-1258i32).to_le_bytes()].concat()))
    );
    let Buffers::Shaped(shape) = buffers("--buffer_compress_percentage=60 --buffer_compress_chunk=4k") else {
        panic!("not shaped")
    };
    assert_eq!(shape, Shape { compressible_percent: 60, chunk: Bytes::kib(4), ..Shape::default() });
    let Buffers::Shaped(shape) = buffers(
        "--dedupe_percentage=30 --dedupe_mode=working_set --dedupe_working_set_percentage=10 --size=4m",
    ) else {
        panic!("not shaped")
    };
    assert_eq!((shape.duplicate_percent, shape.duplicates), (30, Duplicates::OfASet(102)));
    assert_eq!(buffers("--buffer_compress_percentage=100"), Buffers::Zero);
}

#[test]
fn files_and_pieces() {
    let turn = |words: &str| job(&format!("--file_service_type={words}")).access.files;
    assert_eq!(turn("roundrobin:8"), FileTurn { order: FileOrder::InTurn, every: 8 });
    assert_eq!(turn("sequential"), FileTurn { order: FileOrder::OneByOne, every: 1 });
    assert_eq!(turn("zipf:1.5").order, FileOrder::Zipf { theta: 1.5 });
    // Of files that are never done fio opens no more (3.33, by its traces).
    let used = |words: &str| job(&format!("--ioengine=psync --nrfiles=3 --filesize=1m {words}")).files.len();
    let timed = "--runtime=9 --time_based --openfiles=2";
    assert_eq!([used("--rw=randwrite --openfiles=2"), used(&format!("--rw=write {timed}"))], [3, 3]);
    assert_eq!(
        [used(&format!("--rw=randwrite {timed}")), used("--rw=randread --norandommap --openfiles=1")],
        [2, 1]
    );
    assert_eq!(used("--rw=randread --file_service_type=sequential --random_distribution=zipf:1.2"), 1);
    // fio 3.33 does 128 I/Os of 4 KiB, 80 and 160.
    let looped = |words: &str| amount(&format!("--size=64k {words}"));
    assert_eq!(looped("--rw=read --io_size=512k --loops=2"), StopRule::BytesEach(Bytes::kib(512)));
    assert_eq!(looped("--rw=read --io_size=128k --loops=5"), StopRule::BytesEach(Bytes::kib(320)));
    let again = looped("--rw=randread --norandommap --io_size=128k --loops=5 --ioengine=psync --filename=/f");
    assert_eq!(again, StopRule::BytesEach(Bytes::kib(640)));
    let rests =
        planned("fio --name=a --nrfiles=2 --size=64k --bs=12k --rw=write --norandommap", &[]).unwrap();
    assert_eq!(rests[0].workload.stop, [StopRule::BytesEach(Bytes::kib(48))]);
    let pieces = job("--zonemode=strided --zonesize=1m --zoneskip=3m").access.pieces;
    assert_eq!(pieces, Some(Pieces { range: Bytes::mib(1), size: Bytes::mib(1), skip: Bytes::mib(3) }));
    let steps = planned("fio --name=a --filename=/f --filesize=8m --size=2m --rw=write", &[]).unwrap();
    assert_eq!(steps[0].workload.jobs[0].size, Some(Bytes::mib(8)));
    assert_eq!(steps[0].workload.stop, [StopRule::BytesEach(Bytes::mib(2))]);
    let drawn = planned("fio --name=a --nrfiles=64 --filesize=1k-128k --size=8m --bs=32k --rw=write", &[]);
    let drawn = drawn.unwrap().remove(0).workload.jobs.remove(0);
    assert!(drawn.sizes.len() == 64 && drawn.sizes.iter().all(|size| size.0 % 32_768 == 0 && size.0 > 0));
    let behind =
        planned("fio --name=a --filename=/f --file_append=1 --size=2m --rw=write", &[("/f", 1 << 20)]);
    assert_eq!(behind.unwrap()[0].workload.jobs[0].offset, Bytes::mib(1));
    let only = planned("fio --name=a --filename=/f --size=2m --rw=read --create_only=1", &[]).unwrap();
    assert!(only[0].workload.jobs.is_empty() && only[0].layouts.len() == 1);
    let below = |_: &_| vec![Below { name: "vda".to_owned(), ..Below::default() }];
    assert_eq!(Disk::under(&only, below)[0].names(), ["vda"], "fio reports the disk of what it only made");
    let aligned =
        planned("fio --name=a --filename=/f --offset=30% --offset_align=64k --rw=read", &[("/f", 1 << 20)]);
    assert_eq!(aligned.unwrap()[0].workload.jobs[0].offset, Bytes::kib(320));
}

fn proof(words: &str) -> Verification {
    match job(&format!("--rw=randwrite --ioengine=psync --filename=/f {words}")).verify {
        Verify::On(verification) => verification,
        Verify::Off => panic!("{words}: not verified"),
    }
}

#[test]
fn verifying_is_asked_for_in_many_words() {
    for word in ["md5", "crc32c", "crc32c-intel", "crc7", "sha3-512", "xxhash", "meta"] {
        let verification = proof(&format!("--verify={word}"));
        assert_eq!((verification.proof, verification.when), (Proof::Header, ReadBack::AtTheEnd), "{word}");
        assert_ne!(verification.run, 0, "what an earlier run left is told apart");
    }
    assert_eq!(proof("--verify=null").proof, Proof::Nothing);
    let text = || Pattern::of("ab");
    let alone = proof("--verify_pattern=\"ab\"");
    assert_eq!((alone.proof, alone.checksum), (Proof::HeaderAndPattern(text()), Checksum::Pattern));
    assert_eq!(proof("--verify=pattern --verify_pattern=\"ab\"").proof, Proof::Pattern(text()));
    assert_eq!(proof("--verify=crc32c --verify_pattern=\"ab\"").proof, Proof::HeaderAndPattern(text()));
    let placed = proof("--verify=pattern --verify_pattern=%o0xff");
    assert_eq!(
        placed.proof,
        Proof::Pattern(Pattern { bytes: vec![0, 0, 0, 0, 0, 0, 0, 0, 0xff], offsets: vec![0] })
    );
    assert!(
        refused("fio --ioengine=null --size=1m --name=a --verify=pattern")
            .to_string()
            .contains("verify_pattern")
    );
}

#[test]
fn a_number_may_stand_right_behind_another() {
    let bytes = |words: &str| match proof(&format!("--verify=pattern --verify_pattern={words}")).proof {
        Proof::Pattern(pattern) => pattern.bytes,
        other => panic!("{other:?}"),
    };
    // fio lays them out this way.
    assert_eq!(bytes("\"abcd\"-120xdeadface"), b"abcd\xf4\xff\xff\xff\xde\xad\xfa\xce");
    assert_eq!(bytes("120xab"), [12, 0xab]);
    assert_eq!(bytes("-12-1300"), [0xf4, 0xff, 0xff, 0xff, 0xec, 0xfa, 0xff, 0xff]);
}

#[test]
fn blocks_are_read_back_when_it_is_asked_for() {
    assert_eq!(proof("--verify=md5 --do_verify=0").when, ReadBack::NotAtAll);
    assert_eq!(proof("--verify=md5 --verify_backlog=64").when, ReadBack::Every { writes: 64, batch: 64 });
    let batch = proof("--verify=md5 --verify_backlog=64 --verify_backlog_batch=16");
    assert_eq!(batch.when, ReadBack::Every { writes: 64, batch: 16 });
    let only = proof("--verify=md5 --verify_only");
    assert_eq!((only.when, only.run), (ReadBack::WithoutWriting, 0), "which run wrote it nobody knows");
    let Verify::On(reader) = job("--rw=read --verify=md5").verify else { panic!("not verified") };
    assert_eq!((reader.when, reader.run), (ReadBack::WhatIsRead, 0));
    let placed = proof("--verify=md5 --verify_interval=1k --verify_offset=64 --verify_fatal=1");
    assert_eq!((placed.interval, placed.header_at), (Some(Bytes::kib(1)), Bytes(64)));
    assert_eq!(placed.on_failure, OnMismatch::Stop);
}

#[test]
fn the_first_wrong_block_ends_the_job_unless_failed_checks_are_passed_over() {
    for (words, expected) in [
        ("", OnMismatch::Stop),
        ("--continue_on_error=io", OnMismatch::Stop),
        ("--continue_on_error=verify", OnMismatch::GoOn),
        ("--continue_on_error=all", OnMismatch::GoOn),
        ("--ignore_error=,,EILSEQ", OnMismatch::GoOn),
        ("--continue_on_error=verify --ignore_error=,,EIO", OnMismatch::Stop),
        ("--continue_on_error=verify --verify_fatal=1", OnMismatch::Stop),
    ] {
        assert_eq!(proof(&format!("--verify=md5 {words}")).on_failure, expected, "{words}");
    }
}

#[test]
fn what_verifying_does_not_prove_is_said() {
    let notes =
        |words: &str| asked(&format!("fio --name=a --filename=/f --size=1m --rw=write {words}")).notes;
    let cached = notes("--verify=md5");
    assert!(cached.iter().any(|note| note.contains("page cache")), "{cached:?}");
    let timed = notes("--verify=md5 --direct=1 --time_based --runtime=10");
    assert!(timed.iter().any(|note| note.contains("run time is over")), "{timed:?}");
    assert!(notes("").is_empty());
}

/// fio also flushes after reads of a mix; a remark says that here only writes are followed by a flush.
#[test]
fn flushes_of_a_mix_follow_writes_only_and_that_is_said() {
    let notes = |words: &str| asked(&format!("fio --name=a --filename=/f --size=1m {words}")).notes;
    let said = |words: &str| notes(words).iter().any(|note| note.contains("after each read"));
    assert!(said("--rw=randrw --fsync=4") && said("--rw=rw --fdatasync=1"));
    assert!(!said("--rw=randwrite --fsync=4") && !said("--rw=randrw"));
}

/// fio uses all files that are named, in one option or in several.
#[test]
fn a_further_filename_adds_to_those_before() {
    let names = |words: &str| {
        let steps = planned(words, &[("/f", 1 << 20), ("/g", 1 << 20)]).unwrap();
        format!("{:?}", steps[0].workload.jobs[0].files)
    };
    let (once, twice) =
        ("fio --name=a --rw=read --filename=/f:/g", "fio --name=a --rw=read --filename=/f --filename=/g");
    assert_eq!(names(once), names(twice));
}
