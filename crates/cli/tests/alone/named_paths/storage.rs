//! Files that are storage of something else, and names that SQLite would use beside a run file.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::machine::*;

const NULL: [&str; 5] = ["fio", "--name=a", "--ioengine=null", "--size=64k", "--bs=4k"];

/// A file shown by a mounted loop device, under the names that options give to their files.
#[test]
fn a_file_that_a_loop_device_shows_takes_no_output_and_is_not_removed() {
    let folder = Folder::new();
    let logs = "--write_bw_log=@/b";
    let cases: [(&str, &[&str]); 5] = [
        ("output", &["--output=@/output"]),
        ("b_bw.1.log", &[logs]),
        ("x.expected", &["--write_iolog=@/x.expected"]),
        ("page.html", &[]),
        ("load", &["--ioengine=psync", "--filename=@/load", "--rw=write", "--unlink=1"]),
    ];
    let page = ["watch", "--for", "1", "--progress", "json:@/page.html"];
    for (name, options) in cases {
        let image = folder.path(name);
        fs::write(&image, vec![7; 1 << 20]).unwrap();
        let Some(device) = LoopOver::with(&image, &[]) else { return };
        let words = if options.is_empty() { page.to_vec() } else { [&NULL[..], options].concat() };
        let done = ended(&mut folder.plimsoll(&words));
        assert!(matches!(done.code, Some(1 | 2)), "{name}: {:?} {}", done.code, done.err);
        assert!(
            done.err.contains(device.path().file_name().unwrap().to_str().unwrap()),
            "{name}: {}",
            done.err
        );
        assert!(fs::read(&image).unwrap() == vec![7; 1 << 20], "{name} has changed");
        drop(device);
    }
}

/// A pipe without a writer, and a device, under the names where SQLite looks for files that it left.
#[test]
fn a_name_beside_which_something_waits_is_passed_over() {
    let folder = Folder::new();
    let Some(disk) = Disk::of(folder.path("."), 4, Through::Cache) else { return };
    let before = disk.fingerprint();
    folder.make_dir("out");
    let stem = folder.text("out/sim-aws-gp3-run-five-figures-");
    // For this minute and the next.
    let plant = "for m in 0 1; do n=$1$(date -d \"+$m min\" +%F-%H%M); cp -a $2 $n.plimsoll-wal; mkfifo $n-2.plimsoll-journal; done";
    assert!(Command::new("sh").args(["-c", plant, "sh", &stem, &disk.node()]).status().unwrap().success());
    let run = ["20", "plimsoll", "run", "five-figures", "sim:aws-gp3", "--out", "@/out"];
    let done = ended(&mut folder.through("timeout", &run));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(run_file(&folder.path("out")).ends_with("-3.plimsoll"), "{:?}", folder.listing());
    assert_eq!(disk.fingerprint(), before);
}

/// Another user's link in a folder for everybody, as one of the folders of a path.
#[test]
fn nothing_is_made_through_another_users_link_on_the_way() {
    let folder = Folder::for_everybody();
    let (secret, link) = (folder.make_dir("secret"), folder.path("link"));
    std::os::unix::fs::symlink(&secret, &link).unwrap();
    if !root_or_skip("links of others") {
        return;
    }
    std::os::unix::fs::lchown(&link, Some(12_345), None).unwrap();
    fs::set_permissions(folder.path("."), fs::Permissions::from_mode(0o1777)).unwrap();
    assert_eq!(ended(&mut folder.plimsoll(&["watch", "--for", "1", "--out", "@/runs"])).code, Some(0));
    let run = run_file(&folder.path("runs"));
    let cases: [&[&str]; 6] = [
        &["report", &run, "--html", "@/link/x"],
        &["report", &run, "--csv", "@/link/.."],
        &["watch", "--for", "1", "--progress", "json:@/link/x"],
        &[&NULL[..], &["--output=@/link/x"]].concat(),
        &[&NULL[..], &["--write_bw_log=@/link/x"]].concat(),
        &[&NULL[..], &["--write_iolog=@/link/x"]].concat(),
    ];
    for words in cases {
        let done = ended(&mut folder.plimsoll(words));
        assert!(matches!(done.code, Some(1 | 2)), "{words:?}: {:?}", done.code);
        assert!(done.complained().contains("user 12345"), "{words:?}: {}", done.err);
        assert_eq!(fs::read_dir(&secret).unwrap().count(), 0, "{words:?}");
    }
}

/// A slash at the end means a folder.
#[test]
fn no_file_is_made_where_a_folder_is_named() {
    let folder = Folder::new();
    for name in ["none/", "none/.", ""] {
        let output = format!("--output={}{name}", if name.is_empty() { "" } else { "@/" });
        let done = ended(&mut folder.plimsoll(&[&NULL[..], &[&output]].concat()));
        assert_eq!(done.code, Some(1), "{name}: {}", done.err);
    }
    assert!(!folder.path("none").exists());
}
