//! Another program that runs beside plimsoll until its end: its output is read, and a request to stop is passed on to it.

use std::io::{self, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use session::failure::Failure;
use session::signals::StopFlag;

/// Time between checks of a running program.
const LOOK: Duration = Duration::from_millis(20);
/// SIGINT, as Ctrl-C sends it: fio then ends its jobs.
const INTERRUPT: i32 = 2;

/// Starts a program with `input` on its stdin, so that no temporary file is needed.
pub(super) fn start(command: &mut Command, input: &[u8]) -> io::Result<Child> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that refuses the input may have closed stdin; its own message says why.
        let _ = stdin.write_all(input);
    }
    Ok(child)
}

/// Waits for the end of a program; passes a stop request on once.
pub(super) fn end(child: Child, stop: &StopFlag) -> Result<Output, Failure> {
    let number = child.id();
    let reader = std::thread::spawn(move || child.wait_with_output());
    let mut passed_on = false;
    while !reader.is_finished() {
        if stop.raised() && !passed_on {
            passed_on = true;
            // A program that has just ended does not receive the signal.
            let _ = kernel::send_signal(number, INTERRUPT);
        }
        std::thread::sleep(LOOK);
    }
    let ended = reader.join().unwrap_or_else(|_| Err(io::Error::other("its output cannot be read")));
    ended.map_err(|error| Failure::failed(format!("the tool is lost: {error}")))
}
