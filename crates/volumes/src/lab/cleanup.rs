//! Undoes the changes that the kernel does not undo by itself when the process of a lab volume dies, however it dies.
//!
//! Loop devices and unnamed data go with the process. A group's limits, queue settings and names of files do not: they
//! are stored in `/sys` and on a file system, and stay with the device's number for its next user.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Collects notes of steps to take, one per line, and exits at the word `done`. If the last writing end of the pipe is
/// closed without this word, the process is dead, and the steps are taken.
///
/// This happens within a moment of the death, before anybody can have obtained the device's number and limited it anew;
/// and the values written are those of a new device.
const SCRIPT: &str = "trap '' INT TERM HUP QUIT; IFS=$(printf '\\t'); notes=; device=
while read -r what text path; do case $what in
  'done') exit ;;
  kept) device=$path; shows=$text ;;
  *) notes=\"$notes$what\t$text\t$path
\" ;;
esac; done
[ -e \"$device/autoclear\" ] && [ \"$(cat \"$device/autoclear\" \"$device/backing_file\")\" = \"0
$shows\" ] && exit
printf %s \"$notes\" | while read -r what text path; do case $what in
  remove) rm -f \"$path\" ;;
  leave) n=0; while [ -d \"$path\" ] && ! rmdir \"$path\" && [ $n -lt 20 ]; do n=$((n + 1)); sleep 0.1; done ;;
  write) [ -e \"$path\" ] && printf %s \"$text\" >\"$path\" ;;
esac; done";

/// A step to take after the death of this process.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Removes the file's name.
    Remove(PathBuf),
    /// Removes the folder if it is empty, such as a control group without members.
    RemoveFolder(PathBuf),
    /// Writes the text to the file.
    Write(String, PathBuf),
    /// Cancels every step if the loop device in `device` is attached to `shows` and outlives its users: from that
    /// moment the volume is complete.
    UntilKept {
        /// The device's folder in `/sys`: `/sys/class/block/loopN/loop`.
        device: PathBuf,
        /// The lower device.
        shows: PathBuf,
    },
}

impl Step {
    fn note(&self) -> String {
        match self {
            Step::Remove(path) => format!("remove\t-\t{}\n", path.display()),
            Step::RemoveFolder(path) => format!("leave\t-\t{}\n", path.display()),
            Step::Write(text, path) => format!("write\t{text}\t{}\n", path.display()),
            Step::UntilKept { device, shows } => format!("kept\t{}\t{}\n", shows.display(), device.display()),
        }
    }
}

/// A small process that waits for the death of this process; dismissed on drop.
#[derive(Debug)]
pub(crate) struct Cleanup {
    process: Child,
    line: Option<ChildStdin>,
}

impl Cleanup {
    /// Starts the process.
    ///
    /// # Errors
    /// The error of starting the shell.
    pub(crate) fn new() -> io::Result<Cleanup> {
        let mut shell = Command::new("sh");
        // A separate group: a signal from the terminal that ends this process must not end both.
        shell.args(["-c", SCRIPT]).process_group(0).current_dir("/");
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = shell.spawn()?;
        let line = process.stdin.take();
        Ok(Cleanup { process, line })
    }

    /// Notes another step; to be called before the change that the step undoes.
    ///
    /// # Errors
    /// An error if somebody has ended the cleanup process.
    pub(crate) fn note(&mut self, step: &Step) -> io::Result<()> {
        self.line.as_mut().map_or(Ok(()), |line| line.write_all(step.note().as_bytes()))
    }
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        if let Some(mut line) = self.line.take() {
            let _ = line.write_all(b"done\n");
        }
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_done_at_the_death_and_not_after_a_dismissal() {
        let dir = tempfile::tempdir().unwrap();
        let (file, value) = (dir.path().join("a b"), dir.path().join("value"));
        let folder = dir.path().join("group");
        std::fs::create_dir(&folder).unwrap();
        let notes = || {
            let mut cleanup = Cleanup::new().unwrap();
            for step in [
                Step::UntilKept { device: dir.path().join("loop"), shows: "/dev/loop7".into() },
                Step::Remove(file.clone()),
                Step::Write("7:0 0".to_owned(), value.clone()),
                Step::RemoveFolder(folder.clone()),
            ] {
                cleanup.note(&step).unwrap();
            }
            cleanup
        };
        std::fs::write(&file, "").unwrap();
        std::fs::write(&value, "x").unwrap();
        drop(notes());
        assert!(file.exists() && folder.exists());
        let die = || {
            let mut dead = notes();
            // Closed in the same way as by the kernel.
            drop(dead.line.take());
            dead.process.wait().unwrap();
        };
        let shelf = dir.path().join("loop");
        std::fs::create_dir(&shelf).unwrap();
        std::fs::write(shelf.join("backing_file"), "/dev/loop7\n").unwrap();
        std::fs::write(shelf.join("autoclear"), "0\n").unwrap();
        die();
        assert!(file.exists() && folder.exists(), "it was kept");
        std::fs::write(shelf.join("autoclear"), "1\n").unwrap();
        die();
        assert!(!file.exists() && !folder.exists());
        assert_eq!(std::fs::read_to_string(&value).unwrap(), "7:0 0");
    }
}
