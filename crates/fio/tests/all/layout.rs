//! What must be on the disk before a step starts.

use fio::{FioError, announcement};
use workload::{Buffers, Bytes, Content, Flush, FlushBy, PagesFlush, Reserve, WhenFull};

use crate::vocabulary::planned;

const MIB: u64 = 1 << 20;

fn sizes(words: &str, files: &[(&str, u64)]) -> Vec<(String, u64, u64, Content)> {
    let steps = planned(words, files).unwrap_or_else(|error| panic!("{words}: {error}"));
    let layouts = steps.iter().flat_map(|step| &step.layouts);
    layouts
        .flat_map(|layout| {
            layout
                .files
                .iter()
                .map(|file| (file.path.display().to_string(), file.bytes, file.there, layout.content.clone()))
        })
        .collect()
}

#[test]
fn a_file_to_be_read_is_laid_out_with_real_data() {
    let words = "fio --name=a --filename=/f --size=4m --offset=1m --rw=read";
    let data = Content::Data(Buffers::Stamped);
    assert_eq!(sizes(words, &[]), [("/f".to_owned(), 5 * MIB, 0, data.clone())]);
    let ours = "fio --name=a --filename=/ours --size=4m --offset=1m --rw=read";
    assert_eq!(sizes(ours, &[("/ours", MIB)]), [("/ours".to_owned(), 5 * MIB, MIB, data.clone())]);
    assert!(matches!(planned(words, &[("/f", MIB)]), Err(FioError::NotOurs(_))), "it is somebody else's");
    let exact = format!("{words} --fio-exact");
    assert_eq!(sizes(&exact, &[("/f", MIB)]), [("/f".to_owned(), 5 * MIB, MIB, data.clone())]);
    for words in [format!("{ours} --readonly"), format!("{exact} --readonly")] {
        for files in [&[][..], &[("/ours", MIB), ("/f", MIB)]] {
            assert!(matches!(planned(&words, files), Err(FioError::ReadonlyExtend(_))), "{words}");
        }
    }
    assert_eq!(sizes(words, &[("/f", 5 * MIB)]), [], "it is long enough");
    assert_eq!(sizes("fio --name=a --filename=/f --size=4m --rw=write --overwrite=1", &[])[0].3, data);
}

#[test]
fn a_file_to_be_written_only_gets_its_space() {
    let of = |words: &str| {
        sizes(&format!("fio --name=a --filename=/f --size=4m --rw=write {words}"), &[])[0].3.clone()
    };
    assert_eq!(of(""), Content::Space(Reserve::Native));
    assert_eq!(of("--fallocate=none"), Content::Space(Reserve::None));
    assert_eq!(of("--fallocate=truncate"), Content::Space(Reserve::Truncate));
}

/// A writer that only reserves space would make its neighbour read unwritten extents.
#[test]
fn a_reader_beside_a_writer_makes_the_file_hold_data() {
    let words = "fio --filename=/f --size=4m --name=w --rw=write --name=r --rw=read";
    assert_eq!(sizes(words, &[]), [("/f".to_owned(), 4 * MIB, 0, Content::Data(Buffers::Stamped))]);
    let after = "fio --filename=/f --size=4m --name=w --rw=write --name=r --stonewall --rw=read";
    assert_eq!(sizes(after, &[])[0].3, Content::Space(Reserve::Native), "the writer has filled it by then");
}

#[test]
fn a_reader_without_a_size_takes_what_an_earlier_job_makes() {
    let words = "fio --filename=/f --name=w --rw=write --size=4m --name=r --stonewall --rw=read";
    let steps = planned(words, &[]).unwrap();
    assert_eq!(steps[1].workload.jobs[0].size, Some(Bytes(4 * MIB)));
}

/// The writer may end before it has written so much.
#[test]
fn a_reader_after_a_writer_that_reserves_nothing_has_its_data_laid_out() {
    for fallocate in ["none", "keep"] {
        let words = format!(
            "fio --filename=/f --size=4m --name=w --fallocate={fallocate} --rw=write --name=r --stonewall --rw=read"
        );
        let data = ("/f".to_owned(), 4 * MIB, 0, Content::Data(Buffers::Stamped));
        assert_eq!(sizes(&words, &[])[1..], [data], "{words}");
        assert_eq!(
            sizes(&words, &[("/f", MIB)])[1].3,
            Content::Data(Buffers::Stamped),
            "the writer replaces it"
        );
    }
    let more = "fio --filename=/f --fallocate=none --name=w --size=2m --rw=write --name=r --stonewall --size=4m --rw=read";
    assert!(matches!(planned(more, &[("/f", MIB)]), Err(FioError::NotOurs(_))), "the writer leaves the rest");
}

#[test]
fn clones_share_a_named_file_and_split_a_size_over_several() {
    assert_eq!(sizes("fio --name=a --filename=/f --size=4m --numjobs=3", &[]).len(), 1);
    let split = planned("fio --name=a --filename=/f:/g --size=4m", &[]).unwrap();
    assert_eq!(split[0].workload.jobs[0].size, Some(Bytes(2 * MIB)));
    assert_eq!(announcement(&split[0].layouts[0]), "a: Laying out IO files (2 files / total 4MiB)\n");
    let one = planned("fio --name=a --filename=/f --size=4m", &[]).unwrap();
    assert_eq!(announcement(&one[0].layouts[0]), "a: Laying out IO file (1 file / 4MiB)\n");
}

#[test]
fn a_device_is_taken_as_long_as_it_is_and_never_laid_out() {
    let words = "fio --name=a --filename=/dev/sdx --rw=randread";
    let steps = planned(words, &[("/dev/sdx", 8 * MIB)]).unwrap();
    assert_eq!(steps[0].workload.jobs[0].size, Some(Bytes(8 * MIB)));
    let larger = planned(&format!("{words} --size=1g"), &[("/dev/sdx", 8 * MIB)]).unwrap();
    assert_eq!(larger[0].workload.jobs[0].size, Some(Bytes(8 * MIB)));
    assert!(larger[0].layouts.is_empty());
}

/// Here fio exits with code 0, and a script goes on as if it had measured.
#[test]
fn a_held_device_is_read_but_never_written() {
    let files = [("/dev/held", 8 * MIB)];
    assert!(planned("fio --name=a --filename=/dev/held --rw=read", &files).is_ok());
    let error = planned("fio --name=a --filename=/dev/held --rw=randrw", &files).unwrap_err();
    assert_eq!(
        error.to_string(),
        "fio: /dev/held appears mounted, and 'allow_mounted_write' isn't set. Aborting."
    );
    assert_eq!(error.exit_code(), 1);
}

#[test]
fn what_is_not_there_or_not_allowed_is_named() {
    let of = |words: &str, files: &[(&str, u64)]| planned(words, files).unwrap_err();
    let offset = of("fio --name=a --filename=/f --offset=2m", &[("/f", MIB)]);
    assert_eq!(offset.to_string(), "a: you need to specify valid offset=");
    let directory = of("fio --name=a --directory=/no --size=1m", &[]);
    assert_eq!(directory.to_string(), "fio: /no is not a directory\nfio: failed parsing directory=/no");
    let second = of("fio --name=a --directory=/d:/no --size=1m", &[("/d/", 0)]);
    assert_eq!(second.to_string(), "fio: /no is not a directory\nfio: failed parsing directory=/d:/no");
    let file = of("fio --name=a --filename=/f --size=1m --allow_file_create=0", &[]);
    assert_eq!(file.to_string(), "fio: file creation disallowed by allow_file_create=0");
    assert!(matches!(
        of("fio --name=a --filename=/d --size=1m", &[("/d/", 0)]),
        FioError::Setup { errno: 21, .. }
    ));
}

#[test]
fn clones_move_on_by_the_increment() {
    let words = "fio --name=a --filename=/f --size=1m --numjobs=3 --offset_increment=1m --rw=write";
    let steps = planned(words, &[]).unwrap();
    let offsets: Vec<_> = steps[0].workload.jobs.iter().map(|job| job.offset.0 / MIB).collect();
    assert_eq!(offsets, [0, 1, 2]);
}

/// Otherwise a buffered job smaller than memory measures the volume once, and memory from then on.
#[test]
fn the_page_cache_is_emptied_for_each_pass_where_fio_does_so() {
    let pass = |words: &str| {
        let words = format!("fio --name=a --filename=/f --size=1m --rw=read {words}");
        planned(&words, &[("/f", MIB)]).unwrap()[0].workload.jobs[0].forget_each
    };
    for words in ["", "--loops=3", "--io_size=4m", "--time_based --runtime=1", "--rw=randread --loops=2"] {
        assert_eq!(pass(words), Some(Bytes::MIB), "{words}");
    }
    for words in ["--direct=1", "--invalidate=0", "--pre_read=1"] {
        assert_eq!(pass(words), None, "{words}");
    }
    assert_eq!(pass("--rw=randread --norandommap --io_size=4m"), Some(Bytes::mib(4)), "one pass in fio");
    let loops = "--rw=randread --norandommap --loops=3";
    assert_eq!(pass(loops), Some(Bytes::mib(3)), "an engine that waits never knows the end of a pass");
    assert_eq!(pass(&format!("{loops} --ioengine=libaio")), Some(Bytes::MIB));
}

#[test]
fn a_job_that_fills_what_is_left_needs_no_size_and_reserves_nothing() {
    let job = |words: &str, files: &[(&str, u64)]| {
        planned(&format!("fio --name=a --fill_device=1 {words}"), files)
            .map(|steps| steps[0].workload.jobs[0].clone())
    };
    let filling = job("--filename=/f --rw=write", &[]).unwrap();
    assert_eq!((filling.size, filling.when_full), (Some(Bytes(1 << 60)), WhenFull::Ends));
    let device = job("--filename=/dev/sdx --rw=write", &[("/dev/sdx", 8 * MIB)]).unwrap();
    assert_eq!(device.size, Some(Bytes(8 * MIB)), "to its end");
    assert_eq!(job("--filename=/f --rw=write --size=2m", &[]).unwrap().size, Some(Bytes(2 * MIB)));
    let reserved = sizes("fio --name=a --filename=/f --rw=write --fill_device=1 --size=4m", &[])[0].3.clone();
    assert_eq!(reserved, Content::Space(Reserve::None), "it could be more than there is");
    for rw in ["read", "randwrite", "rw"] {
        let words = format!("--filename=/f --rw={rw}");
        assert!(
            matches!(job(&words, &[]), Err(FioError::NeedSize { .. })),
            "{rw}: places must be known before"
        );
    }
}

#[test]
fn each_flush_is_the_call_of_its_name() {
    let flush = |words: &str| {
        let words = format!("fio --name=a --filename=/f --size=1m --rw=write {words}");
        let job = planned(&words, &[]).unwrap()[0].workload.jobs[0].clone();
        (job.flush, job.calls.flush)
    };
    assert_eq!(flush("--fsync=2"), (Flush::Every(2), FlushBy::File));
    assert_eq!(flush("--fdatasync=3"), (Flush::Every(3), FlushBy::Data));
    let pages = PagesFlush { wait_before: true, write: true, wait_after: false };
    assert_eq!(flush("--sync_file_range=wait_before,write:8"), (Flush::Every(8), FlushBy::Pages(pages)));
}

#[test]
fn somebodys_file_is_laid_out_for_a_reader_only_where_an_earlier_job_is_sure_to_write_over_it() {
    let after = |writer: &str| {
        let words = format!(
            "fio --filename=/f --size=8m --fallocate=none --name=w {writer} --name=r --stonewall --rw=read"
        );
        planned(&words, &[("/f", MIB)])
    };
    for whole in ["--rw=write", "--rw=randwrite"] {
        assert!(after(whole).is_ok(), "{whole}");
    }
    for part in [
        "--rw=randwrite --number_ios=1",
        "--rw=write --runtime=1",
        "--rw=write --io_size=1m",
        "--rw=randwrite --norandommap",
        "--rw=write:4k",
    ] {
        assert!(matches!(after(part), Err(FioError::NotOurs(_))), "{part}");
    }
}
