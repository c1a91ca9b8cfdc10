//! Published limits as data, and their evaluation: the limits of a policy, the end of its credits, and a rate limiter.
//!
//! The way through the crate: a [`workload::PolicyName`] finds a [`Policy`] in the [`Catalogue`], which evaluates to
//! [`Limits`]. These answer questions (caps, phases, forecasts) and drive a [`Meter`], which decides in virtual time
//! when an I/O may proceed. [`matches()`] goes the other way, from measured rates to the policies that explain them.
//!
//! Nothing here measures. Every figure is a claim of its source on its date.

mod billing;
mod bursting;
mod caps;
mod catalogue;
mod custom;
mod demand;
mod entry;
mod error;
mod evaluate;
mod forecast;
mod formula;
mod governor;
mod identify;
mod instance;
mod ledger;
mod limits;
mod matching;
mod meter;
mod near;
mod own;
mod parameter;
mod price;
mod settings;
mod start;
mod table;

pub use billing::Billing;
pub use bursting::{BurstAlike, Plateau, bursts_alike};
pub use caps::{Cap, Level, Load, Locality};
pub use catalogue::{Catalogue, CatalogueError, evaluate, evaluate_of_volume, evaluate_with_rest};
pub use demand::{
    Arrivals, Asked, Bound, ChargedSpan, Conditions, Curve, Demand, Headroom, Horizon, Offer, Program,
    Replay, RuleState, Traced, Waits,
};
pub use entry::{
    Check, Confidence, Grade, Policy, Promise, ReferenceWorkload, Scope, Source, SourceKind, Status,
};
pub use error::PolicyError;
pub use forecast::{ASSUMED_BURST, BurstLength, Phase};
pub use governor::Governor;
pub use identify::{Apart, Candidate, Circumstances, identify};
pub use instance::{AwsInstance, AzureInstance};
pub use ledger::{Balance, Entry, ExcessDemand, IoGroup, Ledger, Opening, Order};
pub use limits::{
    Accounting, Bucket, Burst, Covers, Limit, Limits, PublishedRate, RateUnit, Resource, Rounding,
    UnitReading,
};
pub use matching::{Match, MeasuredPlateaus, RuleFit, Specificity, matches, round_figure};
pub use meter::Meter;
pub use near::nearest;
pub use own::{OwnPolicyError, Place, adopt, adopted};
pub use parameter::{Parameter, ParameterUnit};
pub use price::{MonthlyPrice, PriceList, PriceListError, PriceRow};
pub use settings::Wanted;
pub use start::BucketStart;
pub use table::{Cell, PublishedTable};
