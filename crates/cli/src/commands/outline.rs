//! Output of `--dry-run`: the steps that would run, as text, or as a JSON document with the plan of the first step.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use session::failure::Failure;
use session::output;
use workload::StepPlan;

use crate::arguments::Format;

/// What would run.
#[derive(Serialize, JsonSchema)]
pub(super) struct PlanDocument<'p> {
    /// What would be measured.
    target: &'p str,
    /// The first step as it is planned, with its reasons.
    #[schemars(with = "Option<Map<String, Value>>")]
    first_step: Option<&'p StepPlan>,
    /// What would run, in words, an element for each line.
    outline: Vec<&'p str>,
}

/// Prints `text` about `target`, with the plan of the `first` step in JSON; returns exit code 0.
pub fn tell(
    format: Format,
    target: &str,
    (text, first_step): (&str, Option<&StepPlan>),
) -> Result<u8, Failure> {
    match format {
        Format::Text => output::result(text)?,
        Format::Json => {
            let outline = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            output::result(&report::document_json("plan", &PlanDocument { target, first_step, outline }))?;
        }
    }
    Ok(0)
}
