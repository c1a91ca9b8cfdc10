//! Risks: each is named where it applies, and is silent where it does not.

use std::collections::BTreeSet;

use explain::{Level, every};

use crate::one;

/// The name of a risk, a command to which it applies, and one to which it does not; empty if it always applies.
#[rustfmt::skip]
const EXAMPLES: &[(&str, &str, &str)] = &[
    ("destroys-device", "fio --name=a --rw=randwrite --filename=/dev/sdz", "fio --name=a --rw=randread --filename=/dev/sdz"),
    ("deletes-file", "fio --name=a --rw=read --filename=x --size=1g --unlink=1", "fio --name=a --rw=read --filename=x --size=1g"),
    ("overwrites-file", "fio --name=a --rw=randwrite --filename=x --size=1g", "fio --name=a --rw=randread --filename=x --size=1g"),
    ("commands-to-a-file", "fio --name=a --rw=read --size=1g --ioengine=io_uring_cmd", "fio --name=a --rw=read --filename=/dev/ng0n1 --ioengine=io_uring_cmd"),
    ("empty-logs", "fio --name=a --rw=read --size=1g --gtod_reduce=1 --write_bw_log=l", "fio --name=a --rw=read --size=1g --gtod_reduce=1 --write_bw_log=l --log_avg_msec=500"),
    ("stores-nothing", "fio --name=a --rw=write --filename=/dev/zero --size=1g", "fio --name=a --rw=write --filename=/dev/sdz"),
    ("zones-without-a-mode", "fio --name=a --rw=read --filename=x --size=1g --zonesize=256k", "fio --name=a --rw=read --filename=x --size=1g --zonemode=strided --zonesize=256k"),
    ("colon-in-a-path", r"fio --name=a --rw=read --size=1g --directory=Z:\bench", "fio --name=a --rw=read --size=1g --directory=/a:/b"),
    ("one-report", "fio --group_reporting --size=1g --name=a --rw=read --name=b --rw=write", "fio --group_reporting --size=1g --name=a --rw=read --name=b --stonewall --rw=write"),
    ("overlapping-blocks", "fio --name=a --rw=randwrite --size=1g --bsrange=512-1k --bs_unaligned=1 --verify=crc32c", "fio --name=a --rw=randwrite --size=1g --bsrange=512-1k --bs_unaligned=1"),
    ("trims-a-file", "fio --name=a --rw=trim --filename=x --size=1g", "fio --name=a --rw=trim --filename=/dev/sdz"),
    ("starts-a-command", "fio --name=a --rw=read --size=1m --exec_prerun=sync", "fio --name=a --rw=read --size=1m"),
    ("fills-the-volume", "fio --name=a --rw=write --filename=x --fill_device=1", "fio --name=a --rw=write --filename=x --size=1m"),
    ("overwrites-store", "fio --name=a --ioengine=rbd --pool=p --rbdname=i --rw=randwrite", "fio --name=a --ioengine=rbd --pool=p --rbdname=i --rw=randread"),
    ("not-storage", "fio --name=a --ioengine=page_fault --size=1m", "fio --name=a --ioengine=cpuio --cpuload=50 --runtime=5"),
    ("flush-figures", "fio --name=a --rw=write --fdatasync=1 --ioengine=sync --size=22m --bs=2300", "fio --name=a --rw=write --fdatasync=1 --ioengine=libaio --direct=1 --size=22m"),
    ("trace-writes", "fio --name=a --read_iolog=t.log", "fio --name=a --read_iolog=t.log --replay_skip=write,trim"),
    ("removes-files", "fio --name=a --ioengine=filedelete --filename=x --filesize=4k", "fio --name=a --ioengine=filestat --filename=x --filesize=4k"),
    ("no-size", "fio --name=a --rw=randread --filename=x", "fio --name=a --rw=randread --filename=x --size=1g"),
    ("one-at-a-time", "fio --name=a --rw=randread --size=1g --iodepth=32", "fio --name=a --rw=randread --size=1g --iodepth=32 --ioengine=libaio"),
    ("one-per-file", "fio --name=a --rw=randread --size=1g --iodepth=32 --ioengine=posixaio", "fio --name=a --rw=randread --size=1g --iodepth=32 --ioengine=posixaio --nrfiles=32"),
    ("appends-once", "fio --name=a --rw=write --size=1g --file_append=1 --time_based --runtime=60", "fio --name=a --rw=randwrite --size=1g --file_append=1 --time_based --runtime=60"),
    ("device-without-a-path", "fio --name=a --rw=read --filename=nvme0n1 --size=1g", "fio --name=a --rw=read --filename=/dev/nvme0n1 --size=1g"),
    ("parts-of-a-sector", "fio --name=a --rw=randread --size=1g --direct=1 --bssplit=64k:100", "fio --name=a --rw=randread --size=1g --direct=1 --bssplit=64k/60:4k/40"),
    ("parts-of-a-page", "fio --name=a --rw=write --filename=/dev/sdz --offset=1k --size=512m --direct=1", "fio --name=a --rw=write --filename=/dev/sdz --offset=4k --size=512m --direct=1"),
    ("draws-without-a-place", "fio --name=a --rw=randwrite --size=1g --bs=4k,8k --random_distribution=zipf:1.2", "fio --name=a --rw=randread --size=1g --bs=4k,8k --random_distribution=zipf:1.2"),
    ("without-effect", "fio --name=a --rw=read --size=1g --iodepth_batch=4", "fio --name=a --rw=read --size=1g --iodepth_batch=4 --iodepth=8 --ioengine=libaio"),
    ("depth-of-rests", "fio --name=a --rw=read --size=1g --direct=1 --ioengine=libaio --iodepth=16 --thinktime=40", "fio --name=a --rw=read --size=1g --direct=1 --ioengine=libaio --iodepth=16 --thinktime=40 --thinktime_blocks=16"),
    ("buffered-libaio", "fio --name=a --rw=randread --size=1g --iodepth=32 --ioengine=libaio", "fio --name=a --rw=randread --size=1g --iodepth=32 --ioengine=libaio --direct=1"),
    ("no-direct", "fio --name=a --rw=randwrite --size=1g", "fio --name=a --rw=randwrite --size=1g --sync=1"),
    ("runtime-is-a-cap", "fio --name=a --rw=randread --size=1g --runtime=60", "fio --name=a --rw=randread --size=1g --runtime=60 --time_based"),
    ("no-set-time", "fio --name=a --rw=randread --size=4g", "fio --name=a --rw=randread --size=4g --runtime=60 --time_based"),
    ("shorter-than-a-burst", "fio --name=a --rw=randread --size=4g --runtime=60", "fio --name=a --rw=randread --size=4g --runtime=3600"),
    ("no-latency", "fio --name=a --rw=randread --size=4g --gtod_reduce=1", "fio --name=a --rw=randread --size=4g"),
    ("latency-of-the-queue", "fio --name=a --rw=randread --size=4g --direct=1 --ioengine=libaio --iodepth=64", "fio --name=a --rw=randread --size=4g --direct=1 --ioengine=libaio --iodepth=4"),
    ("iops-of-depth-one", "fio --name=a --rw=randread --size=4g --direct=1", "fio --name=a --rw=randread --size=4g --direct=1 --ioengine=libaio --iodepth=4"),
    ("copies-in-step", "fio --name=a --rw=read --filename=/dev/sdz --numjobs=4", "fio --name=a --rw=read --filename=/dev/sdz --numjobs=4 --offset_increment=10g"),
    ("false-alarms", "fio --name=a --rw=write --filename=/dev/sdz --verify=md5 --numjobs=4", "fio --name=a --rw=write --filename=/dev/sdz --verify=md5 --numjobs=4 --offset_increment=10g"),
    ("trims-of-others", "fio --filename=/dev/sdz --size=1g --verify=md5 --name=a --rw=write --name=b --rw=trim", "fio --filename=/dev/sdz --size=1g --verify=md5 --name=a --rw=write --name=b --stonewall --rw=trim"),
    ("one-trace", "fio --name=a --rw=read --size=1g --write_iolog=log --numjobs=2", "fio --name=a --rw=read --size=1g --write_iolog=log"),
    ("false-alarms-of-a-mix", "fio --name=a --rw=rw --size=1g --verify=md5 --loops=3 --randrepeat=0", "fio --name=a --rw=rw --size=1g --verify=md5 --loops=3"),
    ("false-alarms-of-a-mix", "fio --name=a --rw=randrw --size=1g --verify=md5 --ioengine=libaio --runtime=9 --time_based --randseed=7", "fio --name=a --rw=randrw --size=1g --verify=md5 --runtime=9 --time_based --randseed=7"),
    ("false-alarms-of-a-mix", "fio --name=a --rw=randrw --size=1g --verify=md5 --norandommap", "fio --name=a --rw=randrw --size=1g --verify=md5 --norandommap --verify_backlog=16"),
    ("false-alarms-of-a-mix", "fio --name=a --rw=randrw --size=1g --verify=md5 --random_generator=lfsr", "fio --name=a --rw=randwrite --size=1g --verify=md5 --random_generator=lfsr"),
    ("false-alarms", "fio --name=a --rw=write --filename=/dev/sdz --verify=md5 --numjobs=4 --offset_increment=1g --size=2g", "fio --name=a --rw=write --filename=/dev/sdz --verify=md5 --numjobs=4 --offset_increment=2g --size=2g"),
    ("false-alarms-of-a-mix", "fio --name=a --rw=rw --nrfiles=2 --size=1g --verify=md5", "fio --name=a --rw=rw --nrfiles=2 --size=1g --verify=md5 --verify_backlog=16"),
    ("offset-of-one-copy", "fio --name=a --rw=read --filename=/dev/sdz --offset_increment=100g", "fio --name=a --rw=read --filename=/dev/sdz --offset_increment=100g --numjobs=2"),
    ("chance-in-order", "fio --name=a --rw=read --size=1g --random_distribution=zipf:1.2", "fio --name=a --rw=randread --size=1g --random_distribution=zipf:1.2"),
    ("share-without-a-mix", "fio --name=a --rw=randwrite --size=1g --rwmixread=70", "fio --name=a --rw=randrw --size=1g --rwmixread=70"),
    ("flushes-of-a-reader", "fio --name=a --rw=read --size=1g --fsync_on_close=1", "fio --name=a --rw=randrw --size=1g --fsync=1"),
    ("rate-is-a-ceiling", "fio --name=a --rw=randwrite --size=1g --rate_iops=3200", "fio --name=a --rw=randwrite --size=1g"),
    ("unwritten-reads", "fio --name=a --rw=randread --size=1g", "fio --name=a --rw=randwrite --size=1g"),
    ("unwritten-writes", "fio --name=a --rw=randwrite --size=1g", "fio --name=a --rw=randwrite --size=1g --overwrite=1"),
    ("other-caches", "fio --name=a --rw=randread --size=1g --direct=1", "fio --name=a --rw=randwrite --size=1g --direct=1"),
    ("same-places", "fio --name=a --rw=randread --size=1g", "fio --name=a --rw=randread --size=1g --randrepeat=0"),
    ("each-by-itself", "fio --name=a --rw=randread --size=1g --numjobs=4", "fio --name=a --rw=randread --size=1g --numjobs=4 --group_reporting"),
    ("long-blocks", "fio --name=a --rw=randread --size=1g --bs=1m", "fio --name=a --rw=randread --size=1g --bs=64k"),
    ("trailing-comma", "fio --name=a --rw=randrw --size=1g --rate_iops=700,300,", "fio --name=a --rw=randrw --size=1g --rate_iops=700,300"),
    ("global-in-capitals", "[Global]\ndirect=1\n[a]\nrw=read\nsize=1g\n", "[global]\ndirect=1\n[a]\nrw=read\nsize=1g\n"),
    ("name-inside-a-section", "[a]\nname=b\nrw=read\nsize=1g\n", "[a]\nrw=read\nsize=1g\n"),
    ("makes-anew", "diskspd -c10G -Sh -L t.dat", "diskspd -Sh -L t.dat"),
    ("writes-over", "diskspd -w30 -Sh -L t.dat", "diskspd -Sh -L t.dat"),
    ("small-working-set", "diskspd -c1M -Sh -L t.dat", "diskspd -c10G -Sh -L t.dat"),
    ("cached", "diskspd -L t.dat", "diskspd -Sh -L t.dat"),
    ("every-write-waits", "diskspd -w100 -Sh -L t.dat", "diskspd -w100 -Su -L t.dat"),
    ("latency-of-the-queue", "diskspd -t4 -o8 -Sh -L t.dat", "diskspd -t4 -o8 -L t.dat"),
    ("no-latency", "diskspd -Sh t.dat", "diskspd -Sh -L t.dat"),
    ("shorter-than-a-burst", "diskspd -d30 -Sh -L t.dat", "diskspd -d3600 -Sh -L t.dat"),
    ("long-warm-up", "diskspd -W7200 -Sh -L t.dat", "diskspd -W5 -Sh -L t.dat"),
    ("host-cache", "diskspd -Sh -L t.dat", "diskspd -w100 -Sh -L t.dat"),
    ("same-data", "diskspd -w100 -Sh -L t.dat", "diskspd -w100 -Zr -Sh -L t.dat"),
    ("same-places", "diskspd -r -Sh -L t.dat", "diskspd -r -z7 -Sh -L t.dat"),
    ("destroys", "ioping -WWW /dev/sdz", "ioping -W ."),
    ("no-tail", "ioping -c 10 .", "ioping -c 5000 ."),
    ("one-place", "ioping -s 1m .", "ioping -s 256k ."),
    ("an-idle-volume", "ioping -c 10 .", "ioping -i 0 -c 5000 ."),
    ("small-working-set", "ioping -c 10 .", "ioping -S 1g -c 10 ."),
    ("cached", "ioping -C .", "ioping -D ."),
    ("advice-only", "ioping -c 10 .", "ioping -D -c 10 ."),
    ("since-boot", "iostat -x 10 30", "iostat -y -x 10 30"),
    ("long-interval", "iostat -y -x 10 30", "iostat -y -x 1 30"),
    ("utilisation", "iostat -y -x 1 30", "iostat -y 1 30"),
    ("layers", "iostat -y -x 1 30", "iostat -y -x sda 1 30"),
    ("destroys-device", "dd if=/dev/zero of=/dev/sdz bs=1M count=1", "dd if=/dev/sdz of=/dev/null bs=1M count=1"),
    ("overwrites-file", "dd if=/dev/zero of=t bs=1M count=1", "dd if=t of=/dev/null bs=1M count=1"),
    ("not-flushed", "dd if=/dev/zero of=t bs=1M count=1024", "dd if=/dev/zero of=t bs=1M count=1024 conv=fdatasync"),
    ("not-flushed", "dd if=/dev/zero of=/dev/sdz bs=1M count=9", "dd if=/dev/zero of=/dev/sdz bs=1M count=9 oflag=direct"),
    ("small-unit", "dd if=/dev/zero of=t bs=1m count=1024", "dd if=/dev/zero of=t bs=1M count=1024"),
    ("no-zeros", "dd if=/dev/zero of=t bs=1M conv=sparse", "dd if=x of=t bs=1M conv=sparse"),
    ("cached-read", "dd if=t of=/dev/null bs=1M", "dd if=t of=/dev/null bs=1M iflag=direct"),
    ("zeros", "dd if=/dev/zero of=t bs=1M count=1", "dd if=x of=t bs=1M count=1 iflag=direct"),
    ("slow-source", "dd if=/dev/urandom of=t bs=1M count=1", "dd if=/dev/zero of=t bs=1M count=1"),
    ("one-stream", "dd if=t of=/dev/null bs=1M", ""),
    ("short-blocks", "dd if=t of=/dev/null", "dd if=t of=/dev/null bs=1M"),
    ("no-end", "dd if=/dev/zero of=t bs=1M", "dd if=/dev/zero of=t bs=1M count=10"),
];

fn risks(pasted: &str) -> BTreeSet<&'static str> {
    one(pasted).risks.iter().map(|told| told.id).collect()
}

#[test]
fn every_risk_is_told_where_it_holds_and_only_there() {
    for (id, example, without) in EXAMPLES {
        assert!(risks(example).contains(id), "{id}: not told of {example}");
        if !without.is_empty() {
            assert!(!risks(without).contains(id), "{id}: told of {without}");
        }
    }
    let listed = |name: &str| EXAMPLES.iter().filter(|(id, ..)| *id == name).count();
    for risk in every() {
        assert!(listed(risk.id) >= every().filter(|other| other.id == risk.id).count(), "{}", risk.id);
        assert!(!risk.source.is_empty());
    }
}

#[test]
fn dangers_come_first_and_every_text_is_a_sentence() {
    for (_, example, _) in EXAMPLES {
        let told = one(example).risks;
        assert!(told.is_sorted_by_key(|told| told.level), "{example}");
        for one in &told {
            assert!(one.text.ends_with('.') && one.text.len() > 20, "{}", one.text);
            assert!(!one.text.contains("  "), "{}", one.text);
        }
    }
    assert!(every().any(|risk| risk.level == Level::Danger));
}
