//! What a package contains, and that it installs and is removed completely: made from a stand-in that starts this
//! build, so that CI builds no release.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::*;

const PACKAGED: &str = env!("CARGO_PKG_VERSION");

fn script(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../release").join(name).to_string_lossy().into_owned()
}

/// Makes the packages for this machine in a folder; returns `None` if a tool that makes them is missing.
fn packages() -> Option<(Folder, PathBuf)> {
    if !["dpkg-deb", "rpmbuild", "python3", "bash"].into_iter().all(has) {
        return None;
    }
    let folder = Folder::new();
    // The stand-in passes on the name by which it is called, as the binary itself would see it.
    let text = format!("#!/bin/bash\nexec -a \"$0\" {} \"$@\"\n", env!("CARGO_BIN_EXE_plimsoll"));
    let stand_in = folder.path("stand-in");
    fs::write(&stand_in, text).unwrap();
    fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(folder.path("licences"), "terms of others\n").unwrap();
    let out = folder.make_dir(PACKAGED);
    let (stand_in, licences) = (folder.text("stand-in"), folder.text("licences"));
    let words =
        [&script("pack"), &stand_in, env!("CARGO_BIN_EXE_plimsoll"), std::env::consts::ARCH, &licences];
    let made = ended(Command::new("sh").args(words).arg(&out));
    assert_eq!(made.code, Some(0), "{}{}", made.out, made.err);
    Some((folder, out))
}

/// Returns the file in `folder` with this extension.
fn ending(folder: &Path, end: &str) -> PathBuf {
    let mut all = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    all.find(|path| path.to_string_lossy().ends_with(end)).unwrap_or_else(|| panic!("no {end}"))
}

fn printed(program: &str, words: &[&str], file: &Path) -> String {
    let told = ended(Command::new(program).args(words).arg(file));
    assert_eq!(told.code, Some(0), "{}", told.err);
    told.out
}

#[test]
fn every_package_holds_pages_completions_papers_and_links_over_no_tool() {
    let Some((_folder, out)) = packages() else { return };
    let archive = printed("tar", &["-tzf"], &ending(&out, ".tar.gz"));
    let deb = printed("dpkg-deb", &["--contents"], &ending(&out, ".deb"));
    let rpm = printed("rpm", &["-qpl"], &ending(&out, ".rpm"));
    for wanted in [
        "bin/plimsoll",
        "bin/plimsoll-fio",
        "bin/plimsoll-diskspd",
        "bin/plimsoll-ioping",
        "bin/plimsoll-iostat",
        "man/man1/plimsoll.1.gz",
        "man/man1/plimsoll-fio.1.gz",
        "bash-completion/completions/plimsoll",
        "/_plimsoll",
        "vendor_completions.d/plimsoll.fish",
        "doc/plimsoll/LICENSE-MIT",
        "doc/plimsoll/LICENSE-APACHE",
        "doc/plimsoll/licences.gz",
        "doc/plimsoll/changelog.gz",
        "doc/plimsoll/copyright",
    ] {
        for (kind, listed) in [("archive", &archive), ("deb", &deb), ("rpm", &rpm)] {
            let there = |line: &str| line.split(" -> ").next().is_some_and(|path| path.ends_with(wanted));
            assert!(listed.lines().any(there), "the {kind} lacks {wanted}: {listed}");
        }
    }
    for tool in ["bin/fio", "bin/diskspd", "bin/ioping", "bin/iostat"] {
        assert!(!deb.contains(tool) && !rpm.contains(tool) && !archive.contains(tool), "{tool}");
    }
    let said = printed("dpkg-deb", &["--field"], &ending(&out, ".deb"));
    assert!(said.contains(&format!("Version: {PACKAGED}\n")), "{said}");
    let wheel = printed("python3", &["-m", "zipfile", "-l"], &ending(&out, ".whl"));
    for wanted in ["data/scripts/plimsoll ", "dist-info/licenses/LICENSE-MIT ", "dist-info/RECORD "] {
        assert!(wheel.contains(wanted), "{wanted}: {wheel}");
    }
}

#[test]
fn two_packages_of_the_same_are_the_same() {
    let (Some((_one, first)), Some((_other, second))) = (packages(), packages()) else { return };
    for end in [".tar.gz", ".deb", ".whl", ".rpm"] {
        // Both stand-ins are identical, because they start the same program.
        let (first, second) = (ending(&first, end), ending(&second, end));
        assert!(fs::read(&first).unwrap() == fs::read(&second).unwrap(), "{end} differs from call to call");
    }
}

/// Runs a part of what `./dev release --test` does.
fn part(name: &str) {
    let Some((folder, out)) = packages() else { return };
    let tested = ended(&mut folder.through("sh", &[&script("test"), &out.to_string_lossy(), name]));
    match tested.code {
        Some(0) => {}
        Some(3) => skipped(Lack::Root, tested.err),
        code => panic!("{name} ended with {code:?}: {}{}", tested.out, tested.err),
    }
}

#[test]
fn a_deb_installs_runs_and_leaves_nothing_behind() {
    part("deb");
}

#[test]
fn an_rpm_installs_runs_and_leaves_nothing_behind() {
    part("rpm");
}
