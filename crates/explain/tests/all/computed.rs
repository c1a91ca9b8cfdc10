//! What a shell or a program computes is unknown: the page names it, and says nothing that it could refute.

use crate::scripts::{NOT_DESCRIBED, check};

/// What no page says of a command whose words are not all here.
const NEVER: &[&str] = &[
    "Nothing is written",
    "not checked",
    "no size",
    "There is no --name",
    "wrong",
    "Corrected",
    "has no effect",
];

#[test]
fn a_list_of_options_that_the_text_computes_is_named_and_the_load_is_not_described() {
    let computed =
        |of: &str| format!("The value of {of} is computed by the script: what stands here holds without it");
    for (pasted, of) in [
        (
            "a=\"--direct=1\"\na+=\" --name=x --rw=randwrite --filename=/dev/sdb\"\nfio $a\n",
            "$a (lines 1 and 2)",
        ),
        (
            "a=(--name=x --rw=randwrite)\na+=(--filename=/dev/sdb --size=1g)\nfio \"${a[@]}\"\n",
            "$a (lines 1 and 2)",
        ),
        (
            "if [ $B = m ]; then\n  a+=\" \\\n    --name=j1 --rw=randwrite --filename=/dev/sda\"\nelse\n  a+=\" \\\n    \
             --name=j2 --rw=read --filename=/dev/sdb\"\nfi\nfio $a\n",
            "$a (lines 2 and 5)",
        ),
        (
            "run() {\n  fio --name=a --filename=/dev/sdb $p\n}\np=\"--rw=randwrite --bs=4k\"\nrun\n",
            "$p (line 4)",
        ),
        (
            "jobs=\"\"\njobs=\"$jobs --name=x --rw=randwrite\"\nfio --direct=1 $jobs\n",
            "$jobs (lines 1 and 2)",
        ),
        ("p=\"\"\n[ -n \"$B\" ] && p=--bs=$B\nfio --name=x $p --size=1g\n", "$p (lines 1 and 2)"),
    ] {
        check(&[(pasted, &[&computed(of), NOT_DESCRIBED, "may write, and data"], NEVER)]);
    }
    // The place that is known is named.
    check(&[("fio --name=a --filename=/dev/sdb $p\n", &["and data on /dev/sdb may be lost"], NEVER)]);
}

#[test]
fn a_list_of_a_program_that_is_not_here_is_named_as_missing() {
    for (pasted, words) in [
        (
            "cmd = base_params + [\n \"--name=a\",\n \"--rw=randwrite\",\n \"--bs=4k\",\n]\n",
            "--rw=randwrite --bs=4k",
        ),
        ("cmd = [\"fio\", *base_params, \"--name=a\"]\n", "fio '*base_params' --name=a"),
        ("cmd = [\"fio\", \"--name=a\"] + base_params\n", "fio --name=a '*base_params'"),
    ] {
        let named = "*base_params is known to the program around it alone";
        check(&[(pasted, &[words, named, "may be lost"], NEVER)]);
    }
    let changed =
        "cmd = [\"fio\", \"--name=a\", \"--rw=read\"]\ncmd += [\"--filename=/dev/sdb\"]\nrun(cmd)\n";
    check(&[(changed, &["The value of cmd (line 2) is computed", "On /dev/sdb"], NEVER)]);
}

#[test]
fn what_only_a_shell_computes_leaves_no_old_value_standing() {
    for set in [
        "let n+=6",
        "((n*=5))",
        "((n++))",
        "read -p 'n? ' n",
        "n=$(nproc)",
        "n=`nproc`",
        "[ -n \"$x\" ] && n=4",
        "if x; then n=4; fi",
        "while x; do n=4; done",
        "x() { n=4; }",
        "getopts a: n",
        "printf -v n %d 4",
        "unset n",
    ] {
        let text = format!("n=1\n{set}\nfio --name=a --rw=read --size=1g --numjobs=$n\n");
        check(&[(
            &text,
            &["$n (lines 1 and 2) is computed by the script", "4 stands for it below"],
            &["numjobs=1"],
        )]);
    }
    check(&[
        (
            "size=0\nfor c in 100 200; do\n  let size+=$c\ndone\ndd if=/dev/zero of=/tmp/x bs=1024 count=$size\n",
            &["$size (lines 1 and 3) is computed by the script"],
            &["count=0", "Copies 0 bytes"],
        ),
        ("RW=\"${RW:-randread}\"\nfio --name=a --rw=$RW --size=1m\n", &["--rw=randread"], &["computed"]),
        (
            "if [ -e /dev/vz ]; then\n  d=/dev/$(ls);\nelse\n  d=/vz;\nfi;\nioping -c 3 -D ${d} -B | cut -f2;\n",
            &["$d (lines 2 and 4) is computed", "3 times", "On ${d}."],
            &[],
        ),
        // Plain values stand, also where another block sets another variable.
        (
            "n=8\nif x; then\n  m=2\nfi\nfio --name=a --rw=read --size=1g --numjobs=$n\n",
            &["--numjobs=8"],
            &["computed"],
        ),
        ("cat <<EOF\nn=1\nEOF\nn=8\nfio --name=a --rw=read --size=1g --numjobs=$n\n", &["--numjobs=8"], &[]),
        (
            "dd if=/dev/zero of=x bs=1M count=0 seek=9\n",
            &["Copies nothing from /dev/zero to x"],
            &["in one block"],
        ),
    ]);
}

#[test]
fn what_stands_in_a_shells_parentheses_or_backquotes_is_one_word() {
    let fio = "fio --name=a --rw=randwrite --filename=/dev/sdb --size=1g";
    for (word, says) in [
        (
            "--offset_align=$(getconf PAGESIZE)",
            "--offset_align=$(getconf PAGESIZE) is known to the shell alone",
        ),
        (
            "--filename=$(ls /dev/sd? | tail -1)",
            "--filename=$(ls /dev/sd? | tail -1) is known to the shell alone",
        ),
        ("--size=$(cat /x/y)k", "--size=$(cat /x/y)k is known to the shell alone; 1g stands for it"),
        ("--size=`blockdev --getsize64 /dev/sdb`", "--size=$(blockdev --getsize64 /dev/sdb) is known"),
        ("`cat opts`", "$(cat opts) is known to the shell alone"),
    ] {
        for line in [format!("{fio} {word} --bs=8k"), format!("eval \"{fio} {word} --bs=8k\"")] {
            check(&[(
                &line,
                &[says, "writes blocks of 8 KiB"],
                &["The jobs stand in", "described elsewhere"],
            )]);
        }
    }
    check(&[(
        "fio --name=a --rw=randrw --size=1g --verify=sha1 --bs_unaligned=1 --bsrange=$p-1m\n",
        &["--bsrange=$p-1m is known to the shell alone; 4k-64k stands for it", "overlap each other"],
        &["bs_unaligned has no effect"],
    )]);
}

#[test]
fn an_option_whose_value_alone_is_unknown_counts_as_given() {
    check(&[(
        "fio --name=a --directory=/m --nrfiles=$N --filesize=$S --rw=write --openfiles=1\n",
        &["4 stands for it below", "1g stands for it below", "/m/a.0.0 to /m/a.0.3"],
        &["no size", "openfiles has no effect", "Corrected"],
    )]);
}

#[test]
fn a_job_file_that_is_not_here_hides_no_job_of_the_command_line() {
    check(&[(
        "fio --name=a --rw=randwrite --filename=/dev/sdb --size=1g jobs.fio\n",
        &[
            "further jobs stand in jobs.fio, which is not here",
            "One job, a, writes",
            "Data on /dev/sdb is lost",
        ],
        &["stands below", "described elsewhere"],
    )]);
}

#[test]
fn a_dot_of_powershell_runs_what_stands_behind_it() {
    for line in [
        "$result = . C:\\D\\diskspd.exe -t1 -b512k E:\\x.dat",
        "$r = (. C:\\D\\diskspd.exe -t1 -b512k E:\\x.dat)",
    ] {
        check(&[(line, &["Run diskspd -t1 -b512k E:\\x.dat\n", "on E:\\x.dat"], &[])]);
    }
    check(&[(". ./fio --name=a --rw=read --size=1m\n", &["One job, a,"], &[])]);
}

#[test]
fn words_of_scripts_and_programs_are_all_found() {
    check(&[
        // A comment behind an item of a list.
        (
            "run([\n  \"fio\",\n  \"jobs.fio\",  # the jobs\n  f\"--bs={bs}\",  # the length\n  \"--output-format=json\"\n])\n",
            &["fio jobs.fio '--bs={bs}' --output-format=json", "The jobs stand in jobs.fio"],
            NEVER,
        ),
        // Texts of a program that stand below each other are one.
        (
            "command = (\n  \"sudo fio --direct=1 --bs=4k \"\n  \"--time_based=1 {} --rw={} --runtime={} --name={} --filename={}\"\n)\n",
            &[
                "{} is known to the program around it alone; what stands below holds",
                "--rw={} is known to the program around it alone; randrw stands for it",
            ],
            NEVER,
        ),
        // A function that runs its words with another one.
        (
            "try() { ( \"$@\" ) || die; }\nrun() { echo \"$@\"; try \"$@\"; }\nrun fio \\\n  --name=a \\\n  --rw=read --size=1m\n",
            &["Run fio --name=a --rw=read --size=1m"],
            &[],
        ),
        (
            "fio --name=a --rw=write --size=1m --verify=pattern --verify_pattern=$p",
            &["0xa5 stands for it"],
            &["does not take"],
        ),
    ]);
    check(&[
        // A program's name that stands in a branch.
        (
            "if (!$exe) {\n  $exe = '.\\D\\diskspd.exe'\n}\n& $exe -b4K -w100 $dat\n",
            &["Run diskspd -b4K -w100 $dat", "Writes blocks of 4 KiB"],
            &[],
        ),
        (
            "DEBUG: fio_cmd for 2 is /usr/bin/fio --name=a-`hostname -f`-2 --rw=read --size=1m **--iodepth=10**\n",
            &["--name=a-$(hostname -f)-2", "--iodepth=10"],
            &["**"],
        ),
        (
            "command:\n  cmd: >-\n    fio\n    --output={{ d }}/{{ item.f | basename }}.json\n    {{ item.f }}\n",
            &["{{item.f|basename}}.json", "Whether {{item.f}} names job files"],
            NEVER,
        ),
        // A job file that a script writes piece by piece.
        (
            "cat <<- FIO\n\t[global]\n\trw=$t\n\tverify_dump=1\nFIO\nif ((v == 1)); then\n\tcat <<- FIO\n\t\tverify=crc32c\n\tFIO\nfi\n\
             cat <<- FIO\n\t[job$dev]\n\tfilename=/dev/${devs[dev]}\nFIO\n",
            &[
                "The value of the job file (lines 2 and 12) is computed",
                "One job, job$dev,",
                "Data on /dev/${devs[dev]}",
            ],
            NEVER,
        ),
        ("[global]\nrw=read\n", &["The job file has no job"], NEVER),
    ]);
    // What stands for a value that is not known is no correction of the command.
    let unknown = crate::one("fio --name=a --rw=$rw --filename=$f --runtime=60");
    assert_eq!(unknown.corrected, None);
    assert!(crate::one("fio --name=a --rw=read --filename=$f --runtime=60").corrected.is_some());
}
