//! Output of `--dry-run`: the steps that would run, as text, or as a JSON document with the plan of the first step.

use serde_json::json;
use session::failure::Failure;
use session::output;
use workload::StepPlan;

use crate::arguments::Format;

/// Prints `text` about `target`, with the plan of the `first` step in JSON; returns exit code 0.
pub fn tell(format: Format, target: &str, (text, first): (&str, Option<&StepPlan>)) -> Result<u8, Failure> {
    match format {
        Format::Text => output::result(text)?,
        Format::Json => {
            let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            let document = json!({
                "schema": "plimsoll-plan",
                "schema_version": 1,
                "target": target,
                "first_step": first,
                "outline": lines,
            });
            output::result(&report::clean_json(format!("{document:#}\n")))?;
        }
    }
    Ok(0)
}
