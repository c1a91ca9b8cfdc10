//! What an answer is given from, besides the run.

use policy::Limits;

use crate::figures::Figures;
use crate::findings::Finding;
use crate::spent::Consumption;

/// The inputs of an answer besides the run.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'g> {
    pub figures: &'g Figures,
    pub findings: &'g [Finding],
    pub limits: Option<&'g Limits>,
    /// What the run has used up by those limits.
    pub spent: &'g Consumption,
}
