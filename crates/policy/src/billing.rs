//! Costs that a provider may bill for the test of a volume.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::figure;
use crate::{Limits, Resource};

/// How the provider bills operations of this type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Billing {
    /// Nothing is billed.
    None,
    /// Every transaction is billed.
    Transactions,
    /// Operations beyond the provisioned target are billed.
    OnDemandBurst,
    /// The catalogue does not say.
    Unknown,
}

impl Limits {
    /// Returns at least one sentence on what the provider may bill for the load of a test, for the forecast printed before it.
    pub fn billing_notes(&self) -> Vec<String> {
        match self.billing {
            Billing::None => vec!["Your provider does not bill per operation for this type.".to_owned()],
            Billing::Transactions => {
                vec![
                    "Your provider bills every transaction of this type: each test I/O costs money."
                        .to_owned(),
                ]
            }
            Billing::OnDemandBurst => vec![self.on_demand_note()],
            Billing::Unknown => {
                vec![
                    "Whether your provider bills operations of this type is not in the catalogue.".to_owned(),
                ]
            }
        }
    }

    fn on_demand_note(&self) -> String {
        let above: Vec<String> = self
            .limits
            .iter()
            .filter_map(|limit| {
                let unit = if limit.resource == Resource::Iops { "IOPS" } else { limit.written.unit.name() };
                let factor = limit.baseline / limit.written.baseline;
                Some(format!("{} {unit}", figure(limit.billed_above? / factor)))
            })
            .collect();
        format!("Your provider bills what exceeds {}, per 10,000 transactions.", above.join(" or "))
    }
}
