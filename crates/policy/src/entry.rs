//! One policy of the catalogue as published: who states it, since when, how certain it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Bytes, Nanos};

use crate::formula::Formula;
use crate::{Accounting, Billing, Covers, Parameter, RateUnit, Resource};

/// One published policy. Its figures result from evaluating it with parameters.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The id that users type.
    pub id: String,
    /// The provider of the volume.
    #[serde(default = "yours")]
    pub provider: String,
    /// The provider's name for the policy.
    pub name: String,
    /// Whether the policy still applies.
    #[serde(default)]
    pub status: Status,
    /// Scope over which the limits count I/O.
    #[serde(default)]
    pub scope: Scope,
    /// Date of the figures: year, month or day; `None` if the source states none.
    pub as_of: Option<String>,
    /// Confidence in the figures.
    #[serde(default = "Confidence::own")]
    pub confidence: Confidence,
    #[serde(default, rename = "sources")]
    pub(crate) source_ids: Vec<String>,
    /// Sources of the figures.
    #[serde(skip)]
    pub sources: Vec<Source>,
    /// Parameters; each may depend on those before it.
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    pub(crate) rules: Vec<Rule>,
    /// The provider's promise: a share of the figures for a share of the time.
    pub promise: Option<Promise>,
    /// Published latency, in words.
    #[serde(rename = "latency")]
    pub latency_words: Option<String>,
    /// Billing of operations.
    #[serde(default = "unknown")]
    pub billing: Billing,
    /// The workload for which the figures are stated.
    pub reference_workload: Option<ReferenceWorkload>,
    /// Further remarks for the reader.
    pub note: Option<String>,
    /// Evaluated figures that the provider publishes; tests compare the formulas with them.
    #[serde(default)]
    pub check: Vec<Check>,
}

/// Returns the provider of a policy that names none.
fn yours() -> String {
    "yours".to_owned()
}

fn unknown() -> Billing {
    Billing::Unknown
}

impl Confidence {
    /// Returns the confidence in figures that the user states.
    pub(crate) fn own() -> Confidence {
        Confidence { grade: Grade::Own, note: None }
    }
}

/// Whether a policy still applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Offered on the date of the source.
    #[default]
    Current,
    /// Replaced, but old volumes may still have it.
    Legacy,
    /// Found in one text only.
    Unverified,
}

/// What the limits of a policy count together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// One volume.
    #[default]
    Volume,
    /// All volumes of the type on one machine.
    VmPool,
    /// One machine.
    Vm,
}

/// How certain the figures are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Confidence {
    /// Grade of the weakest figure.
    pub grade: Grade,
    /// Remarks beyond the grade.
    pub note: Option<String>,
}

/// Where figures were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Read in a text of the provider.
    Verified,
    /// Read in a third party's text.
    Secondary,
    /// From memory; not read again.
    Recalled,
    /// Read in only one article or tutorial.
    Document,
    /// Typed by the user.
    Own,
}

/// A text that states figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Short name.
    pub id: String,
    /// Title of the text.
    pub title: String,
    /// Address of the text; `None` if it has none.
    pub url: Option<String>,
    /// Year, month or day of the text; `None` if it has none.
    pub date: Option<String>,
    /// Kind of text.
    pub kind: SourceKind,
}

/// Kind of a source's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// The provider's own page.
    Primary,
    /// The provider's own page in its archive.
    Archived,
    /// A copy of the provider's page.
    Mirrored,
    /// A third party's text.
    Secondary,
    /// An article or tutorial.
    Document,
    /// A measurement.
    Measurement,
}

/// A provider's promise: `fraction` of the figure during `time`, a share of the time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    /// Share of the figure, 0 to 1; `None` if the provider only says "up to".
    pub fraction: Option<f64>,
    /// Share of the time, 0 to 1.
    pub time: f64,
}

/// A workload for which a provider states its figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReferenceWorkload {
    /// Share of reads, 0 to 1.
    pub read_fraction: f64,
    /// Block size in bytes.
    #[serde(rename = "block_bytes")]
    pub block: Bytes,
    /// Share of random accesses, 0 to 1.
    pub random_fraction: f64,
    latency_limit_ms: u64,
}

impl ReferenceWorkload {
    /// Returns the latency that must not be exceeded.
    pub fn latency_limit(&self) -> Nanos {
        Nanos::from_millis(self.latency_limit_ms)
    }
}

/// One row of a provider's own example table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Parameters as typed after the id.
    pub parameters: String,
    /// Baseline in operations a second.
    pub iops: Option<f64>,
    /// Baseline in decimal megabytes a second.
    pub mbps: Option<f64>,
    /// Seconds of full burst from a full bucket.
    pub burst_s: Option<f64>,
    /// Seconds in which an idle bucket fills.
    pub refill_s: Option<f64>,
}

/// One limit as the catalogue states it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) resource: Resource,
    pub(crate) direction: Covers,
    pub(crate) unit: RateUnit,
    #[serde(default)]
    pub(crate) ambiguous: bool,
    /// Whether the rule exists only for the choices that its table lists.
    #[serde(default)]
    pub(crate) where_listed: bool,
    pub(crate) baseline: Formula,
    pub(crate) billed_above: Option<Formula>,
    pub(crate) burst: Option<RuleBurst>,
    pub(crate) accounting: Option<Accounting>,
    pub(crate) note: Option<String>,
}

/// A burst as the catalogue states it; it exists if its rate is listed and above the baseline.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleBurst {
    pub(crate) rate: Formula,
    pub(crate) bucket: RuleBucket,
}

/// Source of a burst's credits, as the catalogue states it; sizes are in the rule's unit without its "per second".
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum RuleBucket {
    Tokens {
        size: Formula,
        #[serde(default)]
        derived: bool,
    },
    Timed {
        seconds: Option<f64>,
        cool_off: Option<f64>,
    },
    UnlimitedPaid,
    Unknown,
}
