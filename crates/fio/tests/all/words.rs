//! What command lines and job files ask for.

use fio::{Format, Request, steps};
use workload::{
    BackendAsk, BackendKind, BlockSizes, Buffers, Bytes, Flush, Iops, Mix, Nanos, Order, Pace, Repeats,
    StopRule,
};

use crate::vocabulary::{asked, asked_by_file, asked_with_file, disk, line, planned, request};

const GIB: u64 = 1 << 30;

/// The five published command lines against a volume, as printed; the file exists, so its size is used.
#[test]
fn the_published_command_lines_run_as_they_stand() {
    let common = "fio --filename=/mnt/volume-nyc3-04/fio.test --direct=1 --ioengine=libaio --runtime=120s";
    for (own, read_percent, block, depth) in [
        ("--rw=randwrite --bs=1024K --iodepth=32 --name=bw-test", 0, 1 << 20, 32),
        ("--rw=randread --bs=4K --iodepth=128 --name=rand-r", 100, 4096, 128),
        ("--rw=randwrite --bs=4K --iodepth=128 --name=rand-w", 0, 4096, 128),
        ("--rw=randread --bs=4K --iodepth=1 --name=lat-read", 100, 4096, 1),
        ("--rw=randwrite --bs=4K --iodepth=1 --name=lat-write", 0, 4096, 1),
    ] {
        let steps = planned(&format!("{common} {own}"), &[("/mnt/volume-nyc3-04/fio.test", GIB)]).unwrap();
        let step = &steps[0];
        let job = &step.workload.jobs[0];
        assert_eq!((steps.len(), step.workload.jobs.len()), (1, 1), "{own}");
        assert_eq!(
            step.workload.stop,
            [StopRule::Time(Nanos::from_secs(120)), StopRule::BytesEach(Bytes(GIB))]
        );
        assert_eq!(job.access.mix, Mix::reads(read_percent), "{own}");
        assert_eq!(job.access.order, Order::Random(Repeats::Without));
        assert_eq!((&job.blocks, job.depth), (&BlockSizes::all(Bytes(block)), depth), "{own}");
        assert_eq!(job.backend, BackendAsk::Only(BackendKind::Libaio));
        assert_eq!((job.direct, &job.buffers), (true, &Buffers::Stamped));
        assert_eq!((job.offset, job.size), (Bytes(0), Some(Bytes(GIB))));
        assert!(step.layouts.is_empty(), "{own}: the file is there and long enough");
    }
}

/// On one line the options after `--name` belong to the job that it starts.
#[test]
fn several_jobs_on_one_line_are_several_jobs() {
    let asked = asked(
        "fio --filename=/f --direct=1 --ioengine=libaio --runtime=5 --name=bw-test --rw=randwrite --bs=1024K \
         --iodepth=32 --name=rand-r --stonewall --rw=randread --bs=4K --iodepth=128",
    );
    let names: Vec<_> = asked.jobs.iter().map(|job| (job.name.as_str(), job.group, job.step)).collect();
    assert_eq!(names, [("bw-test", 0, 0), ("rand-r", 1, 1)]);
    assert_eq!((asked.jobs[0].options.iodepth, asked.jobs[1].options.iodepth), (32, 128));
    assert_eq!(asked.jobs[1].options.engine.name, "libaio");
    let steps = steps(&asked, &disk(&[("/f", GIB)])).unwrap().steps;
    assert_eq!(steps.len(), 2);
}

/// The file's length is not a multiple of the larger block: each job does the whole blocks of its own length.
#[test]
fn jobs_of_different_blocks_share_a_file_side_by_side() {
    let words =
        "fio --filename=/f --runtime=5 --name=a --rw=randwrite --bs=1m --name=b --rw=randread --bs=4k";
    let steps = planned(words, &[("/f", GIB + 8192)]).unwrap();
    let (time, workload) = (StopRule::Time(Nanos::from_secs(5)), &steps[0].workload);
    assert_eq!(workload.stop, []);
    assert_eq!(workload.jobs[0].stop, [time, StopRule::BytesEach(Bytes(GIB))]);
    assert_eq!(workload.jobs[1].stop, [time, StopRule::BytesEach(Bytes(GIB + 8192))]);
}

/// One dash, two dashes, a blank instead of `=`, a prefix: everything that people type.
#[test]
fn every_way_of_writing_an_option_is_understood() {
    let expected = asked("fio --size=1m --ioengine=null --rw=randread --name=a").jobs;
    for words in [
        "fio -size=1m -ioengine=null -rw=randread -name=a",
        "fio --size 1m --ioengine null --rw randread --name a",
        "fio --size=1m --ioeng=null --readw=randread --name=a",
        "fio -size 1m --ioengine=null -readwrite randread --name=a",
    ] {
        let mut jobs = asked(words).jobs;
        assert_eq!(jobs[0].options, expected[0].options, "{words}");
        jobs[0].echo.clear();
    }
}

#[test]
fn a_flag_takes_a_value_only_behind_an_equals_sign() {
    assert!(asked("fio --ioengine=null --size=1m --name=a --thread").jobs[0].options.thread);
    assert!(!asked("fio --ioengine=null --size=1m --name=a --thread=0").jobs[0].options.thread);
    let words = line("fio --ioengine=null --size=1m --name=a --thread 0");
    assert_eq!(request(&words, "").unwrap_err().to_string(), "fio: unable to open '0' job file");
}

#[test]
fn options_are_shown_by_canonical_name_and_globals_apart() {
    let asked = asked("fio --readwrite=read --ioengine=null --size=64k --name=a --blocksize=8k --thread");
    let pairs = |list: &[(String, String)]| {
        list.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(pairs(&asked.globals), "rw=read ioengine=null size=64k");
    assert_eq!(pairs(&asked.jobs[0].echo), "name=a bs=8k thread=");
}

#[test]
fn time_ends_the_job_alone_where_it_is_based_on_it() {
    let rules = |words: &str| {
        let words = format!("fio --ioengine=null --size=1m --name=a {words}");
        planned(&words, &[]).unwrap()[0].workload.stop.clone()
    };
    let (ten, amount) = (StopRule::Time(Nanos::from_secs(10)), StopRule::BytesEach(Bytes::MIB));
    assert_eq!(rules("--runtime=10"), [ten, amount]);
    assert_eq!(rules("--timeout=10s --time_based"), [ten]);
    assert_eq!(rules(""), [amount]);
    assert_eq!(rules("--io_size=4m"), [StopRule::BytesEach(Bytes::mib(4))]);
    assert_eq!(rules("--loops=3"), [StopRule::BytesEach(Bytes::mib(3))]);
    assert_eq!(rules("--number_ios=5"), [amount, StopRule::OpsEach(5)]);
    assert_eq!(rules("--size=10000"), [StopRule::BytesEach(Bytes(8192))], "no part of a block is issued");
}

#[test]
fn a_run_time_that_time_based_lacks_is_noted_and_left_out() {
    let asked = asked("fio --ioengine=null --size=1m --name=a --time_based");
    assert!(asked.notes[0].contains("time_based requires a runtime/timeout setting"), "{:?}", asked.notes);
    assert!(!asked.jobs[0].options.time_based);
}

/// The job of the load cycles: rates with a trailing comma, a name inside the section, a mix by both of its options.
#[test]
fn the_load_of_the_cycles_is_understood() {
    let asked = asked_by_file(
        "[c4y]\nbs=4k\nrw=randrw\npercentage_random=50\nrwmixread=70\nrwmixwrite=30\ndirect=1\niodepth=256\n\
         time_based\nruntime=60\ngroup_reporting\nname=iops-test-job\nnumjobs=1\nfilename=runfio.sh.test\n\
         size=1GB\nioengine=libaio\nrate_iops=700,300,\n",
    );
    assert_eq!(asked.jobs[0].name, "iops-test-job");
    let steps = steps(&asked, &disk(&[])).unwrap().steps;
    let job = &steps[0].workload.jobs[0];
    assert_eq!((job.pace, job.write_pace), (Pace::Fixed(Iops(700.0)), Some(Pace::Fixed(Iops(300.0)))));
    assert_eq!(job.access.mix, Mix::reads(70).drawn(0x5b78_008d));
    assert_eq!((job.access.order, job.access.random_percent.read), (Order::Sequential, 50));
    assert_eq!(job.size, Some(Bytes::gib(1)));
}

/// The line of the provider comparison; with `gtod_reduce` no latency is shown.
#[test]
fn the_line_of_the_provider_comparison_is_understood() {
    let asked = asked(
        "fio --randrepeat=1 --ioengine=libaio --direct=1 --gtod_reduce=1 --name=test --filename=test --bs=4k \
         --iodepth=64 --size=4G --readwrite=randrw --rwmixread=75",
    );
    let options = &asked.jobs[0].options;
    assert_eq!((options.lat, options.clat, options.slat, options.windows), (false, false, false, true));
    assert_eq!(options.rwmix_read, 75);
}

#[test]
fn clones_get_their_own_files_seeds_and_processors() {
    let words =
        "fio --name=a --directory=/d:/e --size=1m --numjobs=3 --cpus_allowed=2-4 --cpus_allowed_policy=split";
    let steps = planned(words, &[("/d/", 0), ("/e/", 0)]).unwrap();
    let jobs = &steps[0].workload.jobs;
    let files: Vec<_> = jobs.iter().map(|job| job.files[0].display().to_string()).collect();
    assert_eq!(files, ["/d/a.0.0", "/e/a.1.0", "/d/a.2.0"]);
    let cpus: Vec<_> = jobs.iter().map(|job| job.cpus.clone()).collect();
    assert_eq!(cpus, [[2], [3], [4]]);
    let seeds: Vec<_> = jobs.iter().map(|job| job.seed).collect();
    assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2] && seeds[0] == 0x89);
    let names: Vec<_> = jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["a", "a.1", "a.2"], "the engine tells clones apart by name");
}

#[test]
fn without_randrepeat_the_seed_comes_from_outside() {
    let seed = |words: &str| asked(&format!("fio --ioengine=null --size=1m --name=a {words}")).jobs[0].seed;
    assert_eq!(seed("--randrepeat=0"), 7);
    // As in fio 3.42 allrandrepeat is another name; in 3.33 it repeats what randrepeat does not, and 0 takes nothing back.
    assert_eq!(seed("--allrandrepeat=0"), 7);
    assert_eq!(seed("--allrandrepeat=1 --randrepeat=0"), 7);
    assert_eq!(seed("--randrepeat=0 --allrandrepeat=1"), 0x89);
    assert_eq!(seed("--randseed=5 --allrandrepeat=0"), 5);
}

/// Seeds by which fio 3.33 draws the directions that its `--write_iolog` shows.
#[test]
fn reads_and_writes_of_each_job_are_drawn_from_fios_seed() {
    let seeds = |words: &str| -> Vec<Option<u32>> {
        let steps =
            planned(&format!("fio --ioengine=null --size=1m --rw=randrw --name=a {words}"), &[]).unwrap();
        steps[0].workload.jobs.iter().map(|job| job.access.mix.seed()).collect()
    };
    let of_two = [Some(0x5b78_008d), Some(0xb6f0_0116)];
    assert_eq!(seeds("--numjobs=2"), of_two);
    assert_eq!(seeds("--name=b --rw=rw --ioengine=null --size=1m"), of_two);
    assert_eq!(seeds("--randrepeat=0 --randseed=12345"), [Some(0x51f8_303d)]);
    assert_eq!(seeds("--rw=randread"), [None]);
}

#[test]
fn buffers_flushes_and_regions_become_those_of_the_workload() {
    let job = |words: &str| {
        let words = format!("fio --name=a --filename=/f --rw=write {words}");
        planned(&words, &[("/f", 1 << 20)]).unwrap().remove(0).workload.jobs.remove(0)
    };
    assert_eq!(job("--zero_buffers").buffers, Buffers::Zero);
    assert_eq!(job("--refill_buffers").buffers, Buffers::Unique);
    assert_eq!(job("--scramble_buffers=0").buffers, Buffers::Repeated);
    assert_eq!(job("--fsync=8").flush, Flush::Every(8));
    assert_eq!(job("--fdatasync=2").flush, Flush::Every(2));
    assert_eq!(job("--ioengine=psync --iodepth=16").depth, 1);
    assert_eq!(job("--bs=,8k").blocks.longest_of(workload::Direction::Write), Bytes::kib(8));
    let half = job("--size=50% --offset=25%");
    assert_eq!((half.offset, half.size), (Bytes::kib(256), Some(Bytes::kib(512))));
    assert_eq!(job("--offset=64k").size, Some(Bytes::kib(960)));
    assert!(!job("--buffered=1").direct && job("--buffered=0").direct);
}

#[test]
fn the_end_of_a_job_is_part_of_its_step() {
    let words = "fio --name=a --filename=/f --size=1m --rw=write --end_fsync=1 --unlink=1 --bwavgtime=250";
    let step = planned(words, &[]).unwrap().remove(0);
    let path = std::path::PathBuf::from("/f");
    for list in [step.flush_at_end, step.remove_at_end, step.drop_cache] {
        assert_eq!(list, std::slice::from_ref(&path));
    }
    assert_eq!(step.interval, Nanos::from_millis(250));
}

#[test]
fn the_page_cache_is_told_how_a_file_is_read() {
    let told = |words: &str| {
        let words = format!("fio --name=a --filename=/f --size=1m {words}");
        let step = planned(&words, &[]).unwrap().remove(0);
        (step.random_hint.len(), step.sequential_hint.len())
    };
    assert_eq!(["--rw=randread", "--rw=read"].map(told), [(1, 0), (0, 1)]);
    assert_eq!(
        ["--rw=read --fadvise_hint=random", "--rw=randread --fadvise_hint=sequential"].map(told),
        [(1, 0), (0, 1)]
    );
    assert_eq!(["--rw=read --fadvise_hint=0", "--rw=randread --direct=1"].map(told), [(0, 0); 2]);
}

#[test]
fn under_readonly_no_file_is_removed_and_a_note_says_so() {
    let words = "fio --readonly --name=a --filename=/f --size=64k --rw=read --unlink=1";
    let step = planned(words, &[("/f", 65_536)]).unwrap().remove(0);
    assert!(step.remove_at_end.is_empty());
    assert!(asked(words).notes.iter().any(|note| note.contains("unlink=1 under --readonly")));
}

#[test]
fn what_a_ramp_moves_is_taken_off_the_amount() {
    let stop = |words: &str| {
        let step = planned(&format!("fio --name=a --filename=/f --size=64k {words}"), &[("/f", 65_536)]);
        let step = step.unwrap().remove(0);
        step.workload.stop.iter().chain(&step.workload.jobs[0].stop).copied().collect::<Vec<_>>()
    };
    let (all, time) = (Bytes::kib(64), StopRule::Time(Nanos::from_secs(5)));
    assert_eq!(stop(""), [StopRule::BytesEach(all)]);
    assert_eq!(stop("--ramp_time=1"), [StopRule::BytesInAll(all)]);
    assert_eq!(stop("--ramp_time=1 --runtime=5"), [time, StopRule::BytesInAll(all)]);
    assert_eq!(stop("--ramp_time=1 --runtime=5 --time_based"), [time]);
    assert_eq!(stop("--ramp_time=1 --number_ios=3"), [StopRule::BytesInAll(all), StopRule::OpsEach(3)]);
}

#[test]
fn states_are_kept_where_aux_path_says() {
    let path = |words: &str| {
        asked(&format!("fio {words} --name=a/b --filename=/f --rw=write --verify=md5")).jobs[0].state_path()
    };
    assert_eq!(path(""), std::path::Path::new("local-a.b-0-verify.state"));
    assert_eq!(path("--aux-path=/var/lib"), std::path::Path::new("/var/lib/local-a.b-0-verify.state"));
}

#[test]
fn a_job_file_has_globals_comments_variables_and_aliases() {
    let asked = asked_by_file(
        "# load\n[global]\nioengine=null ; all of them\nsize=1m\n\n[one]\n  blocksize=${BS}\r\nnumjobs = 2\n\
         [global]\nrw=write\n[two]\nbs=$pagesize\nstonewall\n",
    );
    let seen: Vec<_> = asked
        .jobs
        .iter()
        .map(|job| (job.name.as_str(), job.options.bs[0], job.options.pattern.word(), job.step))
        .collect();
    assert_eq!(seen, [("one", 8192, "read", 0), ("one", 8192, "read", 0), ("two", 4096, "write", 1)]);
    let globals: Vec<_> = asked.globals.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(globals, ["ioengine", "size", "rw"]);
}

#[test]
fn the_meaning_of_k_is_known_before_any_number_of_a_section() {
    let of = |text: &str| asked_by_file(text).jobs[0].options.bs[0];
    assert_eq!(of("[a]\nioengine=null\nsize=1m\nbs=4k\nkb_base=1000\n"), 4000);
    let words = asked("fio --ioengine=null --size=1m --name=a --bs=4k --kb_base=1000");
    assert_eq!(words.jobs[0].options.bs[0], 4096, "on the command line the order counts");
}

#[test]
fn the_command_line_gives_defaults_to_the_first_file() {
    let file = "[one]\nioengine=null\n[two]\nioengine=null\n";
    let asked = asked_with_file("fio --size=4m job.fio job.fio", file);
    let seen: Vec<_> =
        asked.jobs.iter().map(|job| (job.name.as_str(), job.options.size.is_some(), job.step)).collect();
    assert_eq!(seen, [("one", true, 0), ("two", true, 0), ("one", false, 1), ("two", false, 1)]);
}

/// fio looks for the section in the first file only, and runs the others whole.
#[test]
fn sections_are_chosen_in_every_file_and_in_the_first_alone_where_fio_is_to_be_followed() {
    let file = "[one]\nioengine=null\n[two]\nioengine=null\n";
    let names = |words: &str| {
        let jobs = asked_with_file(words, file).jobs;
        jobs.iter().map(|job| job.name.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names("fio --section=two job.fio job.fio"), "two two");
    assert_eq!(names("fio --section=two job.fio job.fio --fio-exact"), "two one two");
    assert_eq!(names("fio --section=two --section=one job.fio"), "one two");
    let error = request(&line("fio --section=twoo job.fio"), file).unwrap_err();
    assert_eq!(error.to_string(), "No job(s) defined\n");
    assert!(error.hint().unwrap_or_default().contains("one, two. Did you mean --section=two?"), "{error:?}");
    let error = request(&line("fio --section=global job.fio"), file).unwrap_err();
    assert_eq!(error.to_string(), "fio: can't use global as only section");
}

#[test]
fn group_reporting_joins_neighbours_of_one_group() {
    let units = |words: &str| asked(&format!("fio --ioengine=null --size=1m {words}")).units();
    assert_eq!(units("--name=a --numjobs=3"), [[0], [1], [2]]);
    assert_eq!(units("--group_reporting --name=a --numjobs=2 --name=b"), [[0, 1, 2]]);
    assert_eq!(units("--group_reporting --name=a --name=b --new_group --numjobs=2"), [vec![0], vec![1, 2]]);
}

#[test]
fn the_output_is_asked_for_by_format_and_file() {
    let asked =
        asked("fio --output-format=json+,normal --output=/o --name=a --ioengine=null --size=1m --eta=never");
    assert_eq!(asked.presentation.formats, [Format::JsonPlus, Format::Normal]);
    assert_eq!(asked.presentation.output.as_deref(), Some("/o".as_ref()));
    assert!(asked.presentation.is_normal() && asked.presentation.json() == Some(Format::JsonPlus));
}

#[test]
fn version_and_help_are_only_said() {
    let said = |words: &str| match request(&line(words), "").unwrap() {
        Request::Say(text) => text,
        Request::Run(_) | Request::Check(_) => panic!("{words} would run"),
    };
    for words in ["fio --version", "fio -v", "fio --name=a --version"] {
        assert_eq!(said(words), "fio-3.42\n");
    }
    assert!(said("fio -h").contains("--output-format"));
    assert!(said("fio --cmdhelp=readwrite").contains("randrw"));
    assert!(said("fio --enghelp").contains("\tio_uring\n"));
}
