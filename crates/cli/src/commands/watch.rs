//! `plimsoll watch`: from the machine's counters to a diagnosis, a run file and a report.

pub mod arguments;
mod asked;
mod forecast;
mod job_files;
mod load;

use analysis::Analysis;
use record::Run;
use report::Paint;
use session::failure::Failure;
use session::output;
use session::place::{Place, short};
use session::watch::{Subject, Watch};

use crate::arguments::Format;
use arguments::WatchArguments;
use asked::Asked;

/// Watches the machine and says what limits its disks.
pub fn run(arguments: &WatchArguments) -> Result<u8, Failure> {
    let mut asked = Asked::read(arguments)?;
    let stop = asked.stop_flag(arguments.give_up);
    let mut watched = asked.open(&stop)?;
    let place = Place::new(arguments.out.as_deref(), &watched.title(), watched.loaded_devices())?;
    forecast::tell(&asked, &watched, &place);
    if !arguments.busy {
        watched.wait_for_idle(&stop)?;
    }
    let Asked { every, subject, against, .. } = &asked;
    let watch = Watch { watched, subject, every: *every, place: &place, stop: &stop, against };
    watch.run(&|run, analysis| match subject {
        Subject::Command(_) => beside_a_command(arguments.format, (run, analysis), &place),
        Subject::Alone(_) | Subject::Cycles(_) => {
            super::check::present(arguments.format, run, analysis, &place)
        }
    })
}

/// stdout is the command's: text goes to stderr, and JSON into a file beside the run file.
fn beside_a_command(
    format: Format,
    (run, analysis): (&Run, &Analysis),
    place: &Place,
) -> Result<(), Failure> {
    let files = place.files_line();
    match format {
        Format::Text => {
            output::people(&format!("{}\n{files}", report::terminal(run, analysis, Paint::Plain)));
        }
        Format::Json => {
            let path = place.put("json", &report::json(run, analysis))?;
            output::people(&format!("{files}\njson    {}", short(&path)));
        }
    }
    Ok(())
}
