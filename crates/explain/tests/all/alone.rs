//! What fio does in the details of single options, by its runs.

use crate::scripts::check;
use crate::{all, one};

#[test]
fn blockalign_turns_the_map_of_random_places_off() {
    let fio = "fio --name=a --rw=randwrite --filename=/dev/sdb --size=8M";
    let off = "(blockalign, which turns the map of random places off)";
    for words in ["--bs=4k --blockalign=64k", "--bs=64k --blockalign=4k", "--bsrange=41k-82k --blockalign=1k"]
    {
        check(&[(
            &format!("{fio} {words}"),
            &[off, "Blocks all over it are overwritten"],
            &["All of it", "shorter where"],
        )]);
    }
    check(&[(&format!("{fio} --bsrange=4k-16k --blockalign=4k"), &["All of it is overwritten"], &[off])]);
}

#[test]
fn zones_of_a_device_are_written_in_order() {
    let fio = "fio --name=s --filename=/dev/sdd --bs=64k --zonemode=zbd --zonesize=1M --size=16M --rw=";
    let order = "in zones by chance, in each one after the other from its start on";
    for rw in ["randwrite", "randwrite:16"] {
        check(&[(&format!("{fio}{rw}"), &[order], &["at random places", "come again"])]);
    }
    check(&[(&format!("{fio}randread"), &["at random places"], &[order])]);
}

#[test]
fn a_rest_of_a_file_that_is_shorter_than_a_block_is_not_counted() {
    let fio = "fio --name=r --rw=write --bs=4M --size=512M --nrfiles=100 --directory=/m";
    for words in ["--runtime=120 --time_based", ""] {
        check(&[(
            &format!("{fio} {words}"),
            &["the first 4 MiB of each, 400 MiB in all"],
            &["5.1 MiB", "512 MiB"],
        )]);
    }
}

#[test]
fn a_rate_on_several_places_is_no_claim_for_each() {
    let fio = "fio --name=a --rw=randwrite --bs=4k --size=1G --rate_iops=80000 --filename=/dev/sdb";
    let natives =
        |pasted: &str| -> String { one(pasted).native.into_iter().map(|one| one.command + "\n").collect() };
    assert!(natives(fio).contains("--expect 'write 80000 iops'"));
    assert!(!natives(&format!("{fio}:/dev/sdc")).contains("--expect"));
    // Of a path of Windows it is said once that nothing runs there.
    let windows = one("fio --name=w --rw=write --bs=4M --size=512M --nrfiles=100 --directory='Z:\\x'").native;
    assert_eq!(windows.iter().filter(|one| one.says.contains("Linux alone")).count(), 1);
    assert!(windows.iter().all(|one| !one.command.contains("check Z")));
    let piped = one("dd if=/dev/urandom bs=1M count=10 | md5sum").native;
    assert_eq!((piped.len(), piped[0].command.as_str()), (1, ""));
}

#[test]
fn a_variable_of_fio_is_kept_from_the_shell() {
    for word in ["--filename_format=test.'$'filenum", "'--filename_format=test.$filenum'"] {
        let command = one(&format!("fio --name=a --rw=read --size=1m --nrfiles=2 {word}")).command;
        assert!(command.ends_with("'--filename_format=test.$filenum'"), "{command}");
    }
}

#[test]
fn a_refusal_of_a_job_has_the_line_of_its_file() {
    let error = all("Hi\n\n[a]\nrw=write\nsize=1k\nbs=4k\n").unwrap_err();
    assert_eq!((error.line, error.column), (3, 1), "{error}");
}

#[test]
fn jobs_beside_each_other_share_a_flow_break_checks_and_mix_their_traces() {
    let two = "fio --filename=/m/x --size=1G --rw=randread --runtime=5 --time_based --name=a --flow=2 --name=b --flow=8";
    check(&[
        (
            two,
            &["it and b do at the same time 20 % are its own (flow)", "it and a do at the same time 80 %"],
            &["Jobs a and b"],
        ),
        (
            "[global]\nsize=1G\nfilename=/dev/sdb\n[w]\nverify=crc32c\nrw=randwrite\n[t]\nrw=randtrim\n",
            &["w: t may trim blocks that this job has written and is still to check"],
            &[],
        ),
        (
            "fio --rw=read --size=1m --write_iolog=log --name=a --numjobs=2",
            &["All jobs write their traces into log, one behind the other"],
            &[],
        ),
        ("[global]\nwrite_iolog=log\nsize=1m\n[a]\nrw=read\n[b]\nrw=read\n", &["their traces into log"], &[]),
        ("fio --rw=read --size=1m --write_iolog=log --name=a", &["One job, a,"], &["their traces"]),
    ]);
}

#[test]
fn a_risk_keeps_its_reason_unless_figures_alone_differ() {
    use explain::{Detail, Style, pages};
    let text =
        "fio -filename=$1 -rw=write -size=10% -name=a\nfio -filename=$1 -rw=randwrite -runtime=5 -name=b\n";
    let style = Style { detail: Detail::Brief, wrap: &|first, words| format!("{first}{words}\n") };
    let page = pages(&all(text).unwrap().told, style).remove(1);
    assert!(page.contains("There is no size. If $1 exists, all of it is used"), "{page}");
}

#[test]
fn a_file_that_is_deleted_at_the_end_is_in_danger() {
    let fio = "fio --name=a --rw=read --size=16k --filename=";
    let gone = "/data/x is deleted with all that is in it when the job ends (unlink)";
    let deleted = "its files are deleted at the end (unlink)";
    check(&[
        (&format!("{fio}/data/x --unlink=1"), &[gone, deleted], &[]),
        (&format!("{fio}/data/x"), &[], &["deleted"]),
        (&format!("{fio}/dev/sdb --unlink=1"), &[], &["is deleted"]),
    ]);
    check(&[("fio --name=a --rw=write --size=16k --filename=/data/x --unlink=1", &[gone], &[])]);
}
