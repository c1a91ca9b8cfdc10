//! The result of a watch: on stdout, or elsewhere if stdout belongs to a command.

use analysis::Analysis;
use record::Run;
use report::{Extent, Paint};
use session::failure::Failure;
use session::output;
use session::place::{Place, short};

use crate::arguments::Format;
use crate::commands::measure;

/// Prints the result on stdout, as a check does.
pub fn to_stdout(format: Format, run: &Run, analysis: &Analysis, place: &Place) -> Result<(), Failure> {
    let text = |paint| report::terminal(run, analysis, paint, Extent::All);
    measure::print(format, &place.files_line(), (&text, &|| report::json(run, analysis)))
}

/// Prints the result beside a command, which owns stdout: text goes to stderr, JSON into a file beside the run file.
pub fn beside_a_command(
    format: Format,
    run: &Run,
    analysis: &Analysis,
    place: &Place,
) -> Result<(), Failure> {
    match format {
        Format::Text => {
            let text = report::terminal(run, analysis, Paint::Plain, Extent::All);
            output::people(&format!("{text}\n{}", place.files_line()));
        }
        Format::Json => {
            let files = place.files_line();
            let path = place.put("json", &report::json(run, analysis))?;
            output::people(&format!("{files}\njson    {}", short(&path)));
        }
    }
    Ok(())
}
