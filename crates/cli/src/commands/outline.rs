//! What would run, for `--dry-run`: as text, or as a document with the first step as it is planned.

use serde_json::json;
use session::failure::Failure;
use session::output;
use workload::StepPlan;

use crate::arguments::Format;

/// Prints `text` about `target`, in whose steps `first` comes first, and ends well.
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
