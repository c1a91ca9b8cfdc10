//! Scripts, manifests and quotations around a command: what they hide is found, or said to be unknown.

use crate::all;

/// Everything that is told of a text: sentences, risks, repairs, gaps and commands.
fn told(pasted: &str) -> String {
    let page = all(pasted).unwrap_or_else(|error| panic!("{pasted}: {error}"));
    let mut told: Vec<String> = page.not_understood.iter().map(ToString::to_string).collect();
    for one in page.told {
        told.extend(one.taken.map(|taken| format!("{:?} {}", taken.standing, taken.words)));
        told.push(one.command);
        told.extend(one.repairs.iter().map(|repair| repair.what.to_owned()));
        told.extend(one.gaps.into_iter().chain(one.asks));
        told.extend(one.risks.into_iter().map(|risk| risk.text));
    }
    told.join("\n")
}

#[test]
fn variables_of_batch_files_and_backquotes_over_lines_are_read() {
    check(&[
        (
            "set duration=300\r\nset \"F=x.dat\"\r\nset /a T=2+0\r\ndiskspd -c1G -d%DURATION% -t2 %f%\r\n",
            &["diskspd -c1G -d300 -t2 x.dat", "300 s that are measured"],
            &["%"],
        ),
        ("set F=d.dat\nfio --name=a --rw=read --size=1m --filename=%F%", &["On d.dat:"], &["%F%"]),
        ("echo\ndiskspd -c1G -d%LONG% x.dat", &["-d%LONG% is known to the shell alone"], &["then 0 s"]),
        (
            "  x=`fio --name=w --rw=write \\\n  --bs=128k --size=16m`\n",
            &["fio --name=w --rw=write --bs=128k --size=16m", "writes blocks of 128 KiB"],
            &[],
        ),
        (
            "fio --name=w --rw=read `\n  --bs=8k --size=1m `\n  --direct=1\n",
            &["fio --name=w --rw=read --bs=8k --size=1m --direct=1"],
            &[],
        ),
        ("diskspd -c10G -Su x.dat", &["The cache of this machine is passed and no other"], &["-Sh passes"]),
    ]);
}

pub const NOT_DESCRIBED: &str = "may stand in what is missing";

pub fn check(rows: &[(&str, &[&str], &[&str])]) {
    for (pasted, says, never) in rows {
        let told = told(pasted);
        for word in *says {
            assert!(told.contains(word), "{pasted}\nlacks '{word}':\n{told}");
        }
        for word in *never {
            assert!(!told.contains(word), "{pasted}\nsays '{word}':\n{told}");
        }
    }
}

const LOOPED: &str = "runs it in a loop";

#[test]
fn every_loop_is_named_and_none_where_there_is_none() {
    check(&[
        ("while true;\n  do fio --name=a --rw=read --size=1m\ndone\n", &[LOOPED], &[]),
        ("me@host:~# while :; do clear && iostat -d sda; sleep 1; done", &[LOOPED], &[]),
        ("$n | % {\n  $t | ForEach-Object {\n    diskspd -b4K -d5 x.dat\n  }\n}\n", &[LOOPED], &[]),
        ("foreach ($n in 1..3) {\n  echo $n\n}\ndiskspd -b4K -d5 x.dat\n", &["4 KiB"], &[LOOPED]),
        ("for %%n in (1 2) do diskspd -b4K -t%%n x.dat\ndiskspd -b8K x.dat\n", &[LOOPED, "8 KiB"], &[]),
        ("ls | xargs -n1 -I F fio --name=a --filename=F --rw=read", &[LOOPED, "On F"], &[]),
        ("while you do that\nfio --name=a --rw=read --size=1m\n", &["1 MiB"], &[LOOPED]),
        ("what to\ndo\nfio --name=a --rw=read --size=1m\n", &["1 MiB"], &[LOOPED]),
    ]);
}

#[test]
fn all_commands_of_a_line_are_found_and_end_at_the_marks_between_them() {
    check(&[
        (
            "fio --name=a --rw=read --size=1m && fio --name=b --rw=write --size=2m; dd if=/dev/zero of=t bs=1M count=3&",
            &["One job, a,", "One job, b,", "Copies 3 MiB", "goes on at once"],
            &["another command) is left out"],
        ),
        (
            "f() { dd if=/dev/zero of=t bs=4k count=8 conv=fsync,notrunc;sync; }",
            &["conv=fsync,notrunc\n"],
            &["sync'"],
        ),
        ("fio --name=a --rw=read --size=1m;", &["One job, a,"], &["is left out"]),
        ("iostat -x 1|grep sda", &["iostat -x 1\n"], &[]),
        ("fio --name=a \\\n  --rw=read --size=1m \\\n  > log.txt\n", &["One job, a,"], &["log.txt"]),
        ("$ fio --name=a \\\n> --rw=read --size=1m\n", &["One job, a, reads"], &[]),
        ("fio --name=a --rw=read --size=1m > log &\niostat 1\n", &["goes on at once"], &["is left out"]),
        ("fio --name=a --rw=read --size=1m # fio --name=b", &["One job, a,"], &["job, b"]),
        ("out=`fio --name=a --rw=read --size=1m`; echo $out", &["One job, a,"], &[]),
        ("docker run -v /d:/d some/fio fio --name=a --rw=read --size=1m", &["One job, a,"], &["too often"]),
    ]);
}

#[test]
fn commands_in_quotes_units_and_lists_of_programs_are_found() {
    check(&[
        ("alias io='iostat -d -x 1| grep sd'", &["iostat -d -x 1\n"], &[]),
        (
            "$cmd = \"diskspd $b -w0 -L C:\\t.dat\"",
            &["$b is known to the shell alone; what stands below"],
            &[],
        ),
        (
            "[global]\nsize=1m\n[a]\nrw=read\n---\nargs: [\"-c\", \"mkdir d && fio /c/j.fio --directory=d\"]\n",
            &["d/a.0.0"],
            &[],
        ),
        (
            "[Unit]\nDescription=Check\n[Service]\nExecStart=/usr/bin/fio --name=a --rw=read --size=1m\n",
            &["One job, a,"],
            &["Description"],
        ),
        (
            "cmd = [\"fio\", \"--name=a\", f\"--filename={dev}\",\n  f\"--bs={bs}\", \"--rw=read\"]\n",
            &[
                "--filename={dev} is known to the program around it alone; it stands",
                "4k stands for it below",
            ],
            &[],
        ),
        (
            "\"args\": [\n  \"--name=a\",\n  \"--rw=read\",\n  \"--size=2m\"\n],\n",
            &["One job, a,", "2 MiB"],
            &[],
        ),
        ("run(\"ioping -c 20 -D %s\" % dev, shell=True)", &["20 times", "On %s."], &[]),
        ("echo \"IOPing rate: \\`./ioping -RD \\$DIR 2>&1 \\`\"", &["for 3 s", "On $DIR."], &[]),
    ]);
}

#[test]
fn values_of_lists_and_of_several_lines_are_read_and_others_are_named() {
    check(&[
        (
            "O=(--size=1m \"--bs=8k\")\nfio --name=a --rw=read \"${O[@]}\"\n",
            &["blocks of 8 KiB"],
            &["name is missing"],
        ),
        (
            "R=(read randwrite)\nfor ((i=0;i<2;i++)); do\nfio --name=a --size=1m --rw=${R[$i]}\ndone\n",
            &["writes blocks"],
            &[],
        ),
        (
            "for w in 0 10 100; do\nfio --name=a --rw=rw --rwmixwrite=$w --size=1m\ndone\n",
            &["reads (90 %) and writes (10 %)"],
            &[],
        ),
        ("for w in 0 100; do\ndiskspd -b4K -w$w x.dat\ndone\n", &["Writes blocks"], &[]),
        ("R=(read randwrite)\nfio --name=a --size=1m --rw=${R[0]}\n", &["reads blocks"], &[]),
        ("O=\"--name=a \\\n --rw=read --size=3m\"\nfio $O\n", &["the first 3 MiB"], &[]),
        ("$d = 30\ndiskspd -d$d -b4K x.dat\n", &["30 s that are measured"], &[]),
        (
            "F=\"${M}/f\"\ndd if=/dev/zero of=$F bs=1M count=1\n",
            &["to ${M}/f", "If ${M}/f exists"],
            &["standard output"],
        ),
        ("dd if=/dev/zero of=t bs=1M count=$n", &["count=1024 stands for it", "Copies 1 GiB"], &["until"]),
        ("N=${2:-3}\nioping -c $N .", &["3 times"], &[]),
        ("diskspd -b$($b)K -d5 (dir x.dat)", &["-b$($b)K is known to the shell", "on x.dat."], &["on (dir"]),
        (
            "[a]\nrw=read\nsize={{ s }}\nfilename={{ f }}\n",
            &["size={{s}} is known to the template", "1 GiB"],
            &[],
        ),
        (
            "fio --name=a --rw=randrw rwmixread=70 --size=1m",
            &["rwmixread=70 is a job file here, as it has no dashes", "reads (70 %)"],
            &["The jobs stand in"],
        ),
        ("diskspd $o -b4K -d$d x.dat", &["4 KiB"], &["Without -L", "fit into the burst"]),
        ("diskspd -b4K $f", &["Without -L", "on $f."], &[]),
        ("dd if=/dev/zero of=t bs=1M count=9 $o", &["Copies 9 MiB"], &["conv=fdatasync"]),
        ("ioping -c $n -D $1", &["$n is known to the shell alone; the default", "On $1."], &[]),
        (
            "fio --name=a --rw=randwrite --random_distribution=zipf:$z --size=1m",
            &["zipf:$z is known to the shell"],
            &[],
        ),
        (
            "fio --name=a --rw=read --size={{ s | default('2m') }} --bs={{ b }}",
            &["the first 2 MiB", "to the template alone"],
            &[],
        ),
        (
            "fio --name=a --rw=read --size=1m --time_based --runtime=$t",
            &["60s stands for it"],
            &["fit into the burst"],
        ),
        ("fio --name=a --rw=read --size=1m --bs=$'8k'", &["blocks of 8 KiB"], &["shell alone"]),
    ]);
}

#[test]
fn marks_before_all_lines_are_none_of_the_text() {
    let told_of = |before: &str| told(&format!("{before}[a]\n{before}rw=read\n{before}\n{before}size=1m\n"));
    for before in ["> ", ">> ", "> +", "+"] {
        assert!(told_of(before).contains("One job, a, reads"), "{before}");
    }
    check(&[
        ("7[a]\n8rw=read\n9size=1m\n", &["the first 1 MiB"], &[]),
        (" 7  fio --name=a \\\n 8   --rw=read \\\n 9   --size=1m\n", &["the first 1 MiB"], &[]),
        ("[a]\nrw=3Dread\nsize=3D1m\n", &["the first 1 MiB"], &[]),
        ("fio --name=3Dtest --rw=read --size=1m", &["job, 3Dtest,"], &[]),
    ]);
}

#[test]
fn a_share_of_reads_without_a_mix_has_no_effect() {
    check(&[
        (
            "fio --name=a --rw=randwrite --rwmixread=70 --size=1m",
            &["rwmixread has no effect: this rw only writes"],
            &[],
        ),
        ("fio --name=a --rw=randrw --rwmixread=100 --size=1m", &[], &["rwmixread has no effect"]),
    ]);
}

#[test]
fn a_single_request_of_ioping_is_told_as_one() {
    check(&[(
        "ioping -c 1 /d",
        &["Reads 4 KiB at a random place, once:", "count none"],
        &["1 requests", "pauses"],
    )]);
}

#[test]
fn values_that_double_from_line_to_line_do_not_grow_without_end() {
    let text =
        format!("A=xxxx\n{}fio --name=a --rw=read --size=1m --description=$A\n", "A=$A$A\n".repeat(200));
    assert!(told(&text).len() < 1_000_000);
    let open = "a=\"b\n".repeat(40_000);
    assert!(told(&format!("{open}fio --name=$a --rw=read --size=1m\n")).len() < 10_000);
}

#[test]
fn what_asks_for_a_program_or_belongs_to_another_language_is_no_command() {
    let fio = "fio --name=a --rw=read --size=1m\n";
    for other in [
        "if command -v iostat >/dev/null; then\n",
        "sudo systemctl stop iostat\n",
        "param(\n    [string] $drive = 'E:\\'\n)\n",
        "[CmdletBinding()]\n",
    ] {
        let page = all(&format!("{other}\n{fio}")).unwrap();
        assert_eq!(page.told.len(), 1, "{other}");
    }
}

#[test]
fn items_without_a_dash_sums_and_quotations_within_quotations_are_read() {
    check(&[
        (
            "command:\n- fio\n- /config/a.fio\n- --output-format=json\n",
            &["fio /config/a.fio --output-format=json"],
            &[],
        ),
        ("- fio\n- --name=a\n- --size\n- 1g\n- --rw=read\n", &["1 GiB"], &[]),
        (
            "dd if=/dev/zero of=t bs=1M count=$(( 10 * 1024 ))\n",
            &["count=10240", "10,240 blocks of 1 MiB"],
            &["$(("],
        ),
        (
            "dd if=/dev/zero of=/dev/sdz bs=1K count=200 seek=$((1 * 1024**2))\n",
            &["200 KiB from 1 GiB on"],
            &["known to the shell"],
        ),
        (
            "N=2\nfio --name=a --rw=read --size=$((1024*1024)) --iodepth=$((2**N))\n",
            &["--size=1048576 --iodepth=4"],
            &["known to the shell"],
        ),
        ("fio --name=a --rw=read --size=$((1<<20))\n", &["--size=1048576"], &[]),
        ("fio --name=a --rw=read --size=$((010*2))\n", &["known to the shell alone"], &[]),
        (
            "dd if=/dev/zero of=/dev/sdz bs=1M count=10 seek=$(( $(blockdev --getsz /dev/sdz) / 2048 ))\n",
            &[
                "to /dev/sdz (from a place that only the shell knows)",
                "is lost: 10 MiB from where seek says on",
            ],
            &["the first 10 MiB"],
        ),
        ("fio --name=a --rw=read --size=$((N ^ 2))\n", &["$((N ^ 2)) is known to the shell alone"], &[]),
        ("FIO=\"fio $FIO_X --name=a --rw=read --size=1m\"\nnumactl -m 1 $FIO\n", &["1 MiB"], &[]),
        ("dd if=/dev/zero of=t bs=1M count=3 status=none\n", &["no rate"], &["last line"]),
    ]);
}

#[test]
fn what_nothing_runs_is_left_out_beside_what_is_run_and_is_told_as_such_alone() {
    let run = "fio --name=b --rw=read --size=2m\n";
    for (other, stands) in [
        ("CMD=\"fio --name=a --rw=read --size=1m\"\n", "Kept fio --name=a"),
        ("cmd = [\"fio\", \"--name=a\", \"--rw=read\", \"--size=1m\"]\n", "Kept fio --name=a"),
        ("echo \"fio --name=a --rw=read --size=1m\"\n", "Printed fio --name=a"),
        ("print('fio --name=a --rw=read --size=1m')\n", "Printed fio --name=a"),
        ("#fio --name=a --rw=read --size=1m\n", "Comment fio --name=a"),
        ("# Run this: fio --name=a --rw=read --size=1m\n", "Comment fio --name=a"),
    ] {
        check(&[
            (other, &[stands, "One job, a,"], &[]),
            (&format!("{other}{run}"), &["Run fio --name=b", "One job, b,"], &["job, a,"]),
        ]);
    }
    check(&[
        // A root's prompt, unless there are commands without one.
        (
            "# fio --name=a --rw=read --size=1m\n$ sudo fio --name=b --rw=read\n",
            &["Prompted fio --name=a", "job, b,"],
            &[],
        ),
        (
            "#!/bin/sh\n# fio --name=a --rw=read --size=1m\nfio --name=b --rw=read\n",
            &["job, b,"],
            &["job, a,"],
        ),
        // What is read again, or put in the place of words, is run.
        (
            "echo \"fio --name=a --rw=read --size=1m\" | sh\nfio --name=b --rw=read\n",
            &["job, a,", "job, b,"],
            &[],
        ),
        ("echo $(fio --name=a --rw=read --size=1m)\nfio --name=b --rw=read\n", &["job, a,", "job, b,"], &[]),
        ("CMD=\"fio --name=a --rw=read --size=1m\"\neval $CMD\n", &["Run fio --name=a"], &["Kept"]),
        ("cmd = \"fio --name=a --rw=read --size=1m\"\nrun(cmd)\n", &["Run fio --name=a"], &["Kept"]),
    ]);
}

#[test]
fn the_words_taken_are_shown_where_a_text_has_others_and_only_there() {
    let taken = |pasted: &str| all(pasted).unwrap().told.into_iter().map(|one| one.taken).collect::<Vec<_>>();
    for bare in [
        "fio --name=a --rw=read",
        "fio --name=a \\\n  --rw=read\n\nioping -c 3 .\n",
        "; a test\n[a]\nrw=read\n",
        "1. fio --name=a \\\n2. --rw=read\n",
    ] {
        assert!(taken(bare).iter().all(Option::is_none), "{bare}");
    }
    for (text, words, until) in [
        ("$ fio --name=a --rw=read\n", "fio --name=a --rw=read", 1),
        ("Then run\n\nfio --name=a \\\n --rw=read\n", "fio --name=a --rw=read", 4),
        ("B=8k\nfio --name=a --bs=$B | tee log\n", "fio --name=a --bs=8k", 2),
        ("It is\n[a]\nrw=read\n", "[a]\nrw=read", 3),
        ("CMD [\"fio\", \"--name=a\", \"--rw=read\"]", "fio --name=a --rw=read", 1),
    ] {
        let found = taken(text)[0].clone().unwrap_or_else(|| panic!("{text}"));
        assert_eq!((found.words.as_str(), found.until), (words, until), "{text}");
    }
}

#[test]
fn a_variable_that_holds_the_program_is_filled_in_and_the_words_of_a_call_are_not() {
    check(&[
        (
            "go() {\n  fio --name=$1 --rw=$2 --size=${3:-1m}\n}\ngo a randread 2m\ngo b randwrite 4m\n",
            &["fio --name=$1 --rw=$2 --size=1m", "--rw=$2 is known to the shell alone; randrw stands for it"],
            &[],
        ),
        (
            "function go {\n  local d=/dev/sdz\n  fio --name=a --filename=$d\n}\ngo\nfio --name=b --filename=$d --rw=read\n",
            &["fio --name=a --filename=/dev/sdz", "The value of $d (line 2) is computed by the script"],
            &[],
        ),
        (
            "go() { fio --name=a \"$@\"; }\ngo --rw=read --bs=8k\n",
            &["fio --name=a $@", NOT_DESCRIBED],
            &["One job"],
        ),
        ("fio --name=a --filename=$1 --rw=read\n", &["$1 is known to the shell alone"], &[]),
        (
            "FIO=\"fio --name=\\\"x\\\" --size=1m\"\n$FIO --rw=read\n",
            &["Run fio '--name=\"x\"' --size=1m --rw=read"],
            &["Kept"],
        ),
        ("sh -c \"fio --name=\\\"x\\\" --size=1m\"\n", &["fio --name=x --size=1m"], &[]),
    ]);
}

#[test]
fn each_call_of_a_function_that_runs_its_words_is_told_also_over_several_lines() {
    let calls = "try fio --version\n\n# The load\ntry fio \\\n\t--name=a \\\n\t--rw=write \\\n\t--filename=/dev/sdz\n";
    for body in
        ["{ \"$@\" || exit 1; }", "{ echo \"+ $*\"; \"$@\"; }", "{\n  sudo \"$@\" || die \"Failed: $*\"\n}"]
    {
        let page = all(&format!("#!/bin/bash\ntry() {body}\n{calls}")).unwrap();
        let told: Vec<&str> = page.told.iter().map(|one| one.command.as_str()).collect();
        assert_eq!(told, ["fio --version", "fio --name=a --rw=write --filename=/dev/sdz"], "{body}");
        assert!(page.told[1].risks[0].text.starts_with("Everything on /dev/sdz is lost"), "{body}");
    }
    let retried = told(
        "retry() { for i in 1 2 3; do \"$@\" && return; done; }\nretry 3 fio --name=a --rw=read --size=1g\n",
    );
    assert!(retried.contains("On a.0.0: the first 1 GiB."), "{retried}");
}

#[test]
fn a_job_file_in_the_lines_below_is_told_with_its_command() {
    let page = all("sudo fio --bandwidth-log - <<EOF\n[a]\nrw=read\nfilename=x\nsize=1M\nEOF\n").unwrap();
    assert_eq!((page.told.len(), page.told[0].command.as_str()), (1, "fio --bandwidth-log -"));
    assert_eq!(page.told[0].job_file.as_deref(), Some("[a]\nrw=read\nfilename=x\nsize=1M\n"));
    assert!(page.told[0].gaps.is_empty(), "{:?}", page.told[0].gaps);
    let listed = told("1. # zpool create t\n2. # dd if=/dev/zero of=DATA count=100 bs=10\n");
    assert!(listed.starts_with("Prompted dd if=/dev/zero of=DATA count=100 bs=10"), "{listed}");
    let error = all("Hi\n\n[a]\nrw=read\nsize=1M\nioengine=foo\n").unwrap_err();
    assert_eq!((error.line, error.column, error.word.as_str()), (6, 1, "ioengine=foo"));
}

#[test]
fn a_program_that_is_named_after_its_version_is_the_tool() {
    for name in
        ["./fio-abc123", "/opt/fio-3.36/fio", "./fio-3.36", "/usr/local/bin/fio-3.36", "~/src/fio/fio"]
    {
        check(&[(&format!("{name} --name=a --rw=read --size=1m"), &["One job, a,"], &[])]);
    }
    for other in ["fio-plot --name=a", "rm -r /mnt/fio-test1 --force", "fio-status --size=1m"] {
        assert!(explain::find(other).is_empty(), "{other}");
    }
}

#[test]
fn words_that_fio_takes_for_files_or_refuses_are_named() {
    check(&[
        ("fio --name=a -- --runtime=5", &["further jobs stand in --runtime=5"], &[]),
        (
            "fio --name=a --filename= x --rw=read --size=1m",
            &["--filename= has no value, so that fio runs nothing: x is a word of its own", "On x:"],
            &["FILE"],
        ),
    ]);
}

#[test]
fn a_backlog_that_is_never_reached_leaves_all_checks_to_the_end() {
    let fio = "fio --name=a --rw=write --bs=4k --size=1m --verify=crc32c --verify_backlog=";
    let (between, end) = ("checked in between", "then read back and checked: fewer");
    let long = "fio --name=a --rw=write --filename=/m/x --size=40M --bsrange=4M-8M --verify=crc32c --verify_backlog=1024";
    check(&[
        (long, &[end], &[between]),
        (&format!("{fio}64"), &[between], &[end]),
        (&format!("{fio}256"), &[end], &[between]),
        (&format!("{fio}256 --loops=2"), &[end], &[between]),
    ]);
}

#[test]
fn commands_behind_other_words_and_below_their_names_are_found_and_others_are_not() {
    check(&[
        ("/usr/bin/time -p sudo fio --name=a --rw=read --size=1m 2>&1 | grep real\n", &["One job, a,"], &[]),
        (
            "shout \"fio Done. Test it with 'fio --name=a --rw=read --size=1m'\"\n",
            &["Printed fio --name=a"],
            &["Done"],
        ),
        ("ssh h \"sh -c 'fio --name=a --rw=read --size=1m'\"\n", &["Run fio --name=a"], &[]),
        (
            "10:00:01 - INFO - Executing command: oc -n x rsh pod fio --name=a --rw=read\n",
            &["One job, a,"],
            &[],
        ),
        ("s=$( ( dd if=/dev/zero of=t bs=1M count=3; rm t ) 2>&1 | tail )\n", &["Copies 3 MiB"], &["rm"]),
        (
            "Run\nfio\n  --name=a\n  --filename=/f (the one above)\n  --rw=read --size=1m\n\nfio\n  --name=b\n",
            &["fio --name=a --filename=/f --rw=read --size=1m", "job, b,"],
            &["above"],
        ),
        (
            "docker run --rm --name x org/fio-image:1 --name=a --rw=read --size=1m\n",
            &["One job, a,"],
            &["job, x"],
        ),
        (
            "fio --output=o $FILES\n",
            &["Whether $FILES names job files or has the jobs themselves is not known"],
            &["There is no --name"],
        ),
        // An option far below belongs to something else.
        (
            "dd if=/dev/zero of=t bs=1M count=3\nThen\nrun\nthe\nother\n-d test\n",
            &["Copies 3 MiB"],
            &["operands"],
        ),
        // A heading and a prompt far from a command without one.
        (
            "# fio --name=a --rw=read --size=1m\n\nThen\n\nit\ndd if=/dev/zero of=t bs=1M count=3\n",
            &["job, a,"],
            &[],
        ),
    ]);
}

#[test]
fn a_command_in_comments_over_several_lines_is_read_whole() {
    let whole = "Comment fio --name=a --rw=write --filename=/dev/sdb";
    check(&[
        (
            "# fio --name=a \\\n#   --rw=write \\\n#   --filename=/dev/sdb\n",
            &[whole, "Everything on /dev/sdb is lost"],
            &["left out (", "reads", "a.0.0"],
        ),
        ("> # fio --name=a \\\n> #  --rw=write --filename=/dev/sdb\n", &[whole], &[]),
        ("# fio --name=a --rw=write\n#   --filename=/dev/sdb\n# and more\n", &[whole], &["more"]),
        (
            "# fio --name=a \\\n#  --rw=write\nfio --name=b --rw=read --size=1m\n",
            &["job, b,"],
            &["--name=a", "--rw=write"],
        ),
        ("# fio --name=a --rw=read \\\n  --size=1m\n", &["Prompted fio --name=a --rw=read --size=1m"], &[]),
    ]);
}

#[test]
fn script_blocks_are_read_to_their_brace_and_no_further() {
    check(&[
        (
            "Invoke-Command -ScriptBlock {diskspd.exe -c1G -b512k x.dat} -ComputerName s\n",
            &["Run diskspd -c1G -b512k x.dat\n", "on x.dat."],
            &["}", "ComputerName"],
        ),
        ("& {C:\\D\\diskspd.exe -c1G -w50 x.dat}\n", &["Run diskspd -c1G -w50 x.dat\n"], &["}"]),
        ("x=$(fio --name=a --rw=read --size=$((4*4))m --bs=4k) ; y\n", &["--bs=4k\n"], &["4k)"]),
    ]);
}

#[test]
fn what_a_second_shell_reads_has_the_values_of_the_text_and_unknown_places_stand() {
    check(&[(
        "  for p in reg fua; do\n    sync=1\n    fio --name=\\$p --filename=$MD --rw=write --size=1m --sync=\\$sync\n",
        &["fio --name=reg --filename=$MD --rw=write --size=1m --sync=1", "$MD is known to the shell alone"],
        &["\\$"],
    )]);
    let told = crate::one("fio --name=a --filename=$MD --rw=randwrite --size=1G");
    assert_eq!(told.native[1].command, "plimsoll check $MD");
}
