//! `plimsoll watch`: from the machine's counters to a diagnosis, a run file and a report.

pub mod arguments;
pub mod asked;
mod forecast;
mod job_files;
pub mod load;
mod result;
mod target;

use session::failure::Failure;
use session::place::Place;
use session::watch::{Subject, Watch};

use arguments::WatchArguments;
use asked::WatchCommand;

/// Watches the machine and reports what limits its disks.
pub fn run(arguments: &WatchArguments) -> Result<u8, Failure> {
    let mut asked = WatchCommand::read(arguments)?;
    let named = arguments.shown.named_page()?;
    let stop = asked.stop_flag(arguments.give_up);
    let mut watched = target::open(&mut asked, &stop)?;
    let place =
        Place::new(arguments.out.as_deref(), (watched.target_words(), "watch"), watched.loaded_devices())?;
    let place = arguments.onlookers.at(place)?;
    forecast::tell(&asked, &watched, &place);
    if !arguments.busy {
        watched.wait_for_idle(&stop)?;
    }
    let WatchCommand { every, subject, against, .. } = &asked;
    let watch = Watch { watched, subject, every: *every, place: &place, stop: &stop, against };
    let tell = match subject {
        Subject::Command { .. } => result::beside_a_command,
        Subject::Alone(_) | Subject::Cycles(_) => result::to_stdout,
    };
    let code = watch.run(&|run, analysis| tell(arguments.format, run, analysis, &place))?;
    arguments.shown.page_of(&place, named, code)
}
