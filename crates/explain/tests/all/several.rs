//! Several commands on one page: nothing is explained twice, and differences between two commands are named.

use explain::{Detail, Style, pages};

use crate::all;

fn told(pasted: &str) -> Vec<String> {
    let style = Style { detail: Detail::Whole, wrap: &|first, words| format!("{first}{words}\n") };
    pages(&all(pasted).unwrap().told, style)
}

const TWO: &str = "fio --name=a --filename=/dev/sdz --rw=randread --bs=4k --direct=1 --ioengine=libaio --iodepth=32 --runtime=60\n\n\
                   fio --name=b --filename=/dev/sdz --rw=randwrite --bs=4k --direct=1 --ioengine=libaio --iodepth=1\n";

#[test]
fn what_differs_from_the_command_above_is_named() {
    let pages = told(TWO);
    assert!(!pages[0].contains("That of line"), "{}", pages[0]);
    let like = "(That of line 1, with --rw=randwrite --iodepth=1, without --runtime=60.)";
    assert!(pages[1].contains(like), "{}", pages[1]);
}

#[test]
fn what_was_told_above_is_not_told_again_and_dangers_are_named() {
    let three = format!("{TWO}\n{}", TWO.lines().last().unwrap());
    let pages = told(&three);
    let count = |page: &str, words: &str| page.matches(words).count();
    assert_eq!(count(&pages[0], "Past the page cache.\n"), 1);
    assert_eq!(count(&pages[1], "Past the page cache.\n"), 0);
    assert!(pages[1].contains("  --rw=randwrite            Writes at random."), "{}", pages[1]);
    assert!(pages[1].contains("  The others are told above."), "{}", pages[1]);
    assert!(pages[2].contains("(The same as in line 3.)"), "{}", pages[2]);
    assert!(pages[2].contains("  All are told above."), "{}", pages[2]);
    assert!(pages[2].contains("as above    Everything on /dev/sdz is lost.\n"), "{}", pages[2]);
    assert!(pages[2].contains("            One I/O at a time measures latency.\n"), "{}", pages[2]);
    for page in &pages[1..] {
        assert_eq!(count(page, "Everything on /dev/sdz is lost"), 1, "{page}");
    }
}

#[test]
fn a_risk_told_above_is_named_with_its_job_and_its_words() {
    let file = "[a]\nrw=write\nrwmixread=70\nfilename=/dev/sdz\n[b]\nrw=rw\nfilename=/dev/sdy\n";
    let pages = told(&format!("{file}$ echo\n{file}"));
    assert!(pages[1].contains("a: rwmixread has no effect.\n"), "{}", pages[1]);
}

#[test]
fn commands_that_are_little_alike_are_not_compared() {
    let pages = told(
        "fio --name=a --rw=read --size=1g\n\nfio --name=b --filename=/dev/sdz --rw=write --runtime=5 --bs=1m\n",
    );
    assert!(!pages[1].contains("That of line"), "{}", pages[1]);
    let pages = told("ioping -c 10 .\n\ndd if=a of=b bs=1M\n");
    assert!(!pages[1].contains("That of line"), "{}", pages[1]);
}

/// A page with scripts: variables, an included file, a path that ends in the tool's name, comments of the next section.
#[test]
fn what_stands_in_scripts_is_understood() {
    let script = "fio --name=fio\\\n\t--filename=/media/x/fio \\\n\t--size=1m\n";
    let pages = told(script);
    assert_eq!(pages.len(), 1, "{pages:?}");
    assert!(pages[0].contains("On /media/x/fio: the first 1 MiB."), "{}", pages[0]);
    let shell = told("fio --name=a --filename=$DIR/f --size=1m\n");
    assert!(shell[0].contains("On $DIR/f: the first 1 MiB."), "{}", shell[0]);
    let job = told(
        "[global]\nbs=${BS}\ndirectory=${TARGET}\nnumjobs=$ncpus\n[a]\nrw=randread\nsize=1m\n\n# https://host.example/next\ncat b\n[b]\nrw=write\nsize=2m\n",
    );
    assert_eq!(job.len(), 2, "{job:?}");
    for words in [
        "line 2: bs=${BS} is known to the environment alone; 4k stands for it below.",
        "line 3: directory=${TARGET} is known to the environment alone; it stands as it is below.",
        "line 4: numjobs=$ncpus: $ncpus is the number of CPUs; 4 stand for it below.",
        "in 4 copies side by side",
        "(${TARGET}/a.0.0 to ${TARGET}/a.3.0)",
    ] {
        assert!(job[0].contains(words), "{words}: {}", job[0]);
    }
    assert!(!job[0].contains("host.example"), "{}", job[0]);
    let included = told("[a]\nrw=randread\ninclude lat.fio\n");
    assert!(
        included[0].contains("line 3: the options of lat.fio are missing below, as it is not here."),
        "{}",
        included[0]
    );
    assert!(included[0].contains("The lines of lat.fio stand here."), "{}", included[0]);
}
