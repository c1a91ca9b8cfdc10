//! `plimsoll watch`: from the machine's counters to a diagnosis, a run file and a report.

mod announce;
pub mod arguments;
mod asked;
mod command;
mod desk;
pub mod devices;
mod ground;
mod job_files;
mod line;
mod load;
mod result;
mod watching;

use session::failure::Failure;
use session::place::Place;

use arguments::WatchArguments;
use asked::Asked;
use ground::Ground;

/// Watches the machine and says what limits its disks.
pub fn run(arguments: &WatchArguments) -> Result<u8, Failure> {
    let mut asked = Asked::read(arguments)?;
    let stop = asked.stop_flag(arguments.give_up);
    let mut ground = Ground::find(&mut asked, arguments, &stop)?;
    let place = Place::new(arguments.out.as_deref(), &ground.title(), ground.loaded_devices())?;
    announce::announce(&asked, &ground, &place);
    ground.wait_for_idle(arguments, &stop)?;
    let (closed, ended) = watching::watch(&asked, &mut ground, &place, &stop)?;
    let concluded = result::conclude((&asked, arguments.format), closed, &place);
    ended.code(concluded)
}
