//! `plimsoll report`: draws a run file again.

use analysis::analyse;
use policy::Limits;
use record::Run;
use report::Paint;
use workload::{Expectation, PolicyName};

use crate::arguments::{Format, ReportArguments};
use crate::failure::Failure;
use crate::output;
use crate::place::{short, write_whole};

/// Reads the run, analyses it anew and draws it; drawing it is what was asked, so the exit code is 0 whatever the verdict.
pub fn run(arguments: &ReportArguments) -> Result<u8, Failure> {
    let run = runfile::read(&arguments.run).map_err(Failure::refused)?;
    let analysis = analyse(&run, limits(&run)?.as_ref(), expectation(&run)?.as_ref());
    let html = arguments.html.clone().unwrap_or_else(|| arguments.run.with_extension("html"));
    write_whole(&html, &report::html(&run, &analysis))?;
    if let Some(why) = report::zoom_missing() {
        output::people(why);
    }
    let files = report::files_line(&short(&html), &short(&arguments.run));
    match arguments.format {
        Format::Text => {
            let paint = if output::colours() { Paint::Ansi } else { Paint::Plain };
            output::result(&format!("{}\n{files}", report::terminal(&run, &analysis, paint)))?;
        }
        Format::Json => {
            output::result(&report::json(&run, &analysis))?;
            output::people(files.trim_end());
        }
    }
    Ok(0)
}

/// The limits that the run was held against; parameters of a simulation or a lab volume are passed over.
fn limits(run: &Run) -> Result<Option<Limits>, Failure> {
    let Some(words) = &run.policy else { return Ok(None) };
    let name = PolicyName::parse(words).map_err(Failure::failed)?;
    policy::evaluate_with_rest(&name).map(|(limits, _)| Some(limits)).map_err(Failure::failed)
}

fn expectation(run: &Run) -> Result<Option<Expectation>, Failure> {
    run.expectation.as_deref().map(Expectation::parse).transpose().map_err(Failure::failed)
}
