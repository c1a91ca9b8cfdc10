//! What a watch has to say: read back from the run file, analysed, printed and drawn.

use analysis::{Analysis, analyse};
use record::Run;
use report::Paint;

use super::asked::{Asked, Subject};
use super::desk::{Closed, read_back};
use crate::arguments::Format;
use session::failure::Failure;
use session::output;
use session::place::{Place, short};
use session::run;

/// Reads back what was stored, says what it means, and draws it; the exit code is the verdict's.
pub fn conclude((asked, format): (&Asked, Format), closed: Closed, place: &Place) -> Result<u8, Failure> {
    if closed.recorder.is_silent() {
        // To read there would be to wait as well.
        return Err(incomplete(closed.trouble));
    }
    let mut run = read_back(&place.run(), closed.run);
    run.complete = true;
    let contract = &asked.contract;
    let analysis = analyse(&run, contract.limits.as_ref(), contract.expectation.as_ref());
    let kept = run::keep(&mut run, &analysis, closed.recorder, place);
    present((asked, format), (&run, &analysis), place)?;
    if closed.trouble.is_some() {
        if let Err(failure) = &kept.drawn {
            output::people(report::wrap("plimsoll: ", &failure.message).trim_end());
        }
        return Err(incomplete(closed.trouble));
    }
    kept.whole()?;
    Ok(analysis.verdict.exit_code())
}

fn incomplete(trouble: Option<String>) -> Failure {
    Failure::failed(format!("the run file is not complete: {}", trouble.unwrap_or_default()))
}

/// The result goes to stdout; where that is a command's, text goes to stderr and JSON into a file beside the run file.
fn present(
    (asked, format): (&Asked, Format),
    (run, analysis): (&Run, &Analysis),
    place: &Place,
) -> Result<(), Failure> {
    let files = place.files_line();
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
            output::people(&files);
            Ok(())
        }
        (Format::Json, true) => {
            let path = place.put("json", &report::json(run, analysis))?;
            output::people(&format!("{files}\njson    {}", short(&path)));
            Ok(())
        }
    }
}
