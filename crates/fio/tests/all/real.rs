//! The installed fio, used to find how it reads words: it checks and shows command lines without running them.

use std::io;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use fio::{FioError, Request, Surroundings, parse};
use workload::Bytes;

/// The fio to compare with, unless the environment variable `PLIMSOLL_FIO` names another.
const FIO: &str = "/usr/bin/fio";

/// Environment variables set for both, because some job files need them.
pub const VARIABLES: [(&str, &str); 3] = [("BS", "8k"), ("FIO_RW", "randread"), ("FIO_IODEPTH", "4")];

/// Output of the installed fio for `words` in `folder`, with `stdin` for `-`; `None`, with the reason printed, if it is not
/// installed.
pub fn fio(words: &[&str], folder: &Path, stdin: &str) -> Option<Output> {
    let mut command = Command::new(std::env::var_os("PLIMSOLL_FIO").unwrap_or_else(|| FIO.into()));
    command.args(words).current_dir(folder).envs(VARIABLES);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = command.spawn().and_then(|mut child| {
        if let Some(mut pipe) = child.stdin.take() {
            // fio may not read to the end.
            let _ = pipe.write_all(stdin.as_bytes());
        }
        child.wait_with_output()
    });
    match running {
        Ok(output) => Some(output),
        Err(error) => {
            testbed::skipped(testbed::Lack::Tool, format!("no fio to compare with ({error})"));
            None
        }
    }
}

/// stdout as text.
pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// stderr as text.
pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What these words come to here, on this machine, with job files from `folder`.
pub fn ours(words: &[&str], folder: &Path, stdin: &str) -> Result<Request, FioError> {
    let read = |path: &str| match path {
        "-" => Ok(stdin.to_owned()),
        path => std::fs::read(folder.join(path)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    };
    let variable =
        |name: &str| VARIABLES.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    let around = Surroundings {
        read: &read,
        bytes: &|_| Ok(b"pattern".to_vec()),
        below: &|_| Ok(Vec::new()),
        variable: &variable,
        entropy: 7,
        cpus: std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u32),
        memory: memory().unwrap_or(Bytes::gib(1)),
        page: Bytes(4096),
    };
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    parse(&words, &around)
}

/// Memory of this machine as the kernel reports it.
fn memory() -> io::Result<Bytes> {
    let text = std::fs::read_to_string("/proc/meminfo")?;
    let kib =
        text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse().ok());
    Ok(Bytes::kib(kib.unwrap_or(1 << 20)))
}

/// A command line without quotation marks, which only one of the two may print.
pub fn bare(command_line: &str) -> String {
    command_line.replace(['"', '\''], "").trim_end().to_owned()
}
