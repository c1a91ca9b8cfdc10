//! What a watch has to say: read back from the run file, analysed, printed and drawn.

use analysis::{Analysis, analyse};
use record::Run;
use report::Paint;

use super::asked::{Asked, Subject};
use super::desk::{Closed, read_back};
use crate::arguments::Format;
use crate::failure::Failure;
use crate::output;
use crate::place::{Place, short, write_whole};
use crate::session;

/// Reads back what was stored, says what it means, and draws it; the exit code is the verdict's.
pub fn conclude((asked, format): (&Asked, Format), closed: Closed, place: &Place) -> Result<u8, Failure> {
    let mut run = read_back(&place.run, closed.run);
    run.complete = true;
    let contract = &asked.contract;
    let analysis = analyse(&run, contract.limits.as_ref(), contract.expectation.as_ref());
    let stored = session::conclude(&mut run, &analysis, closed.writer);
    let drawn = write_whole(&place.report, &report::html(&run, &analysis));
    let files = match drawn {
        Ok(()) => place.files_line(),
        // What is not there is not named.
        Err(_) => format!("run     {}", short(&place.run)),
    };
    present((asked, format), (&run, &analysis), place, &files)?;
    if let Some(text) = closed.trouble {
        if let Err(failure) = &drawn {
            output::people(report::wrap("plimsoll: ", &failure.message).trim_end());
        }
        return Err(Failure::failed(format!("the run file is not complete: {text}")));
    }
    stored?;
    drawn?;
    Ok(analysis.verdict.exit_code())
}

/// The result goes to stdout; where that is a command's, text goes to stderr and JSON into a file beside the run file.
fn present(
    (asked, format): (&Asked, Format),
    (run, analysis): (&Run, &Analysis),
    place: &Place,
    files: &str,
) -> Result<(), Failure> {
    let is_the_commands = matches!(asked.subject, Subject::Command(_));
    match (format, is_the_commands) {
        (Format::Text, false) => {
            let paint = if output::colours() { Paint::Ansi } else { Paint::Plain };
            output::painted(&format!("{}\n{}\n", report::terminal(run, analysis, paint), files))
        }
        (Format::Text, true) => {
            let text = report::terminal(run, analysis, Paint::Plain);
            output::people(&format!("{text}\n{files}"));
            Ok(())
        }
        (Format::Json, false) => {
            output::result(&report::json(run, analysis))?;
            output::people(files);
            Ok(())
        }
        (Format::Json, true) => {
            let path = place.run.with_extension("json");
            write_whole(&path, &report::json(run, analysis))?;
            output::people(&format!("{files}\njson    {}", short(&path)));
            Ok(())
        }
    }
}
