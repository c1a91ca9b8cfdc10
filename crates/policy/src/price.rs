//! What a month of a volume costs: the built-in price list, and the user's own rows in front of it.

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use workload::PolicyName;

use crate::formula::{Formula, Values};
use crate::near::nearest;
use crate::own::{Place, with_nearest};
use crate::{Catalogue, ParameterUnit, Policy};

/// A region of a row that holds for every region of the provider.
const ALL: &str = "all";

/// The name of a volume's size in prices, also of policies that have no such parameter.
const SIZE: &str = "size";

/// Hours that providers count in a month.
const HOURS_A_MONTH: f64 = 730.0;

/// Prices by policy and region.
#[derive(Clone, Debug)]
pub struct PriceList {
    rows: Vec<PriceRow>,
}

/// The price of some policies in one region, as one source states it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceRow {
    /// Ids of the policies that cost the same.
    pub policies: Vec<String>,
    /// The provider's name of the region, or `all`.
    pub region: String,
    /// ISO code of the currency.
    pub currency: String,
    /// Date of the source, which is as old as the price.
    pub as_of: String,
    /// Title of the source.
    pub source: String,
    /// Address of the source, if it has one.
    #[serde(skip)]
    pub url: Option<String>,
    /// What the price leaves out, and other remarks for the reader.
    pub note: Option<String>,
    /// Unit in which the size of a policy without that parameter is counted.
    #[serde(default = "gib")]
    size_unit: ParameterUnit,
    parts: Vec<Part>,
}

/// One item of a bill: a number of units at a price each.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    count: Formula,
    price: f64,
    #[serde(default)]
    per: Period,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Period {
    Hour,
    #[default]
    Month,
}

fn gib() -> ParameterUnit {
    ParameterUnit::GiB
}

/// A file of the user's own prices, in TOML.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnPrices {
    price: Vec<Spanned<PriceRow>>,
}

/// The price of a volume for a month, and where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonthlyPrice {
    /// The amount, in units of the currency.
    pub amount: f64,
    /// ISO code of the currency.
    pub currency: String,
    /// The provider's name of the region, or `all`.
    pub region: String,
    /// Date of the source, which is as old as the price.
    pub as_of: String,
    /// Title of the source.
    pub source: String,
    /// Address of the source, if it has one.
    pub url: Option<String>,
    /// What the price leaves out, and other remarks for the reader.
    pub note: Option<String>,
}

impl MonthlyPrice {
    /// Whether it holds in every region.
    pub fn is_everywhere(&self) -> bool {
        self.region == ALL
    }
}

/// Why prices cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PriceListError {
    /// A row does not have the form of a price, or names something that does not exist.
    #[error("{place}: {problem}")]
    Row {
        /// The place of the offending word.
        place: Place,
        /// The mistake, the offending word, and the nearest allowed one.
        problem: String,
    },
    /// No price is known for the region.
    #[error("no price is known for the region '{region}'; {}", remedy(.nearest))]
    Region {
        /// The region as typed.
        region: String,
        /// The region that was probably meant.
        nearest: Option<String>,
    },
}

fn remedy(nearest: &Option<String>) -> String {
    match nearest {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => "add its prices in a file of your own".to_owned(),
    }
}

impl PriceList {
    /// Returns the price list that is built into the program; it is read once.
    ///
    /// # Panics
    /// If the built-in data is defective; a test reads it, so this cannot happen in a released program.
    pub fn builtin() -> &'static PriceList {
        static PRICES: OnceLock<PriceList> = OnceLock::new();
        PRICES.get_or_init(|| match PriceList::read(include_str!("../data/prices.json")) {
            Ok(prices) => prices,
            Err(problem) => panic!("the built-in price list is defective: {problem}"),
        })
    }

    fn read(text: &str) -> Result<PriceList, String> {
        let mut rows: Vec<PriceRow> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        for row in &mut rows {
            row.agree().map_err(|slip| slip.problem)?;
            let source = Catalogue::builtin().source(&row.source);
            let source = source.ok_or_else(|| format!("there is no source '{}'", row.source))?;
            if source.date.as_ref() != Some(&row.as_of) {
                return Err(format!("'{}' is not of {}", source.id, row.as_of));
            }
            (row.source, row.url) = (source.title.clone(), source.url.clone());
        }
        Ok(PriceList { rows })
    }

    /// Returns the built-in list behind the rows in the `text` of `file`, which replace those of the same policy and
    /// region.
    ///
    /// # Errors
    /// [`PriceListError::Row`] with the place of the mistake.
    pub fn with_own(file: &str, text: &str) -> Result<PriceList, PriceListError> {
        let own: OwnPrices = toml::from_str(text).map_err(|error| PriceListError::Row {
            place: Place::of(file, text, error.span().map_or(0, |span| span.start)),
            problem: with_nearest(error.message()),
        })?;
        let mut rows: Vec<PriceRow> = Vec::new();
        for row in own.price {
            let start = row.span().start;
            let row = row.into_inner();
            row.agree().and_then(|()| row.is_new(&rows)).map_err(|slip| {
                let within = text.get(start..).and_then(|rest| rest.find(&slip.word)).unwrap_or(0);
                PriceListError::Row { place: Place::of(file, text, start + within), problem: slip.problem }
            })?;
            rows.push(row);
        }
        rows.extend_from_slice(&PriceList::builtin().rows);
        Ok(PriceList { rows })
    }

    /// Returns every row, those of the user first.
    pub fn rows(&self) -> &[PriceRow] {
        &self.rows
    }

    /// Returns the price of one volume for a month; `None` if it is not known in this region, or depends on a parameter
    /// that the name lacks. Without a region, the first row of the policy counts. A policy without a size takes one in
    /// the name nevertheless: `hetzner-volumes,size=100GB`.
    pub fn a_month(&self, policy: &PolicyName, region: Option<&str>) -> Option<MonthlyPrice> {
        let known = Catalogue::builtin().find(&policy.id).ok()?;
        let fits = |row: &&PriceRow| row.is_for(&known.id) && region.is_none_or(|region| row.is_in(region));
        self.rows.iter().find(fits)?.a_month(known, policy)
    }

    /// Returns a typed region as the list writes it.
    ///
    /// # Errors
    /// [`PriceListError::Region`] with the nearest name.
    pub fn region(&self, typed: &str) -> Result<&str, PriceListError> {
        let names = || self.rows.iter().map(|row| row.region.as_str());
        names().find(|name| name.eq_ignore_ascii_case(typed)).ok_or_else(|| PriceListError::Region {
            region: typed.to_owned(),
            nearest: nearest(typed, names()).map(str::to_owned),
        })
    }
}

/// A mistake in a row, and the word in which it lies.
struct Slip {
    word: String,
    problem: String,
}

impl PriceRow {
    fn is_for(&self, policy: &str) -> bool {
        self.policies.iter().any(|id| id.eq_ignore_ascii_case(policy))
    }

    fn is_in(&self, region: &str) -> bool {
        self.region == ALL || self.region.eq_ignore_ascii_case(region)
    }

    /// Checks that no earlier row has a price for the same policy and region.
    fn is_new(&self, earlier: &[PriceRow]) -> Result<(), Slip> {
        let mut there = earlier.iter().filter(|row| row.region.eq_ignore_ascii_case(&self.region));
        match there.find_map(|row| self.policies.iter().find(|policy| row.is_for(policy))) {
            None => Ok(()),
            Some(policy) => Err(Slip {
                word: policy.clone(),
                problem: format!("'{policy}' has another price in '{}' above; keep one", self.region),
            }),
        }
    }

    fn a_month(&self, known: &Policy, policy: &PolicyName) -> Option<MonthlyPrice> {
        let values = known.priced(policy, self.size_unit)?;
        let amount = self.parts.iter().map(|part| part.a_month(&values)).sum::<Option<f64>>()?;
        Some(MonthlyPrice {
            amount,
            currency: self.currency.clone(),
            region: self.region.clone(),
            as_of: self.as_of.clone(),
            source: self.source.clone(),
            url: self.url.clone(),
            note: self.note.clone(),
        })
    }

    /// Checks that everything named exists and every price is one.
    fn agree(&self) -> Result<(), Slip> {
        let slip = |word: &str, problem: String| Err(Slip { word: word.to_owned(), problem });
        if self.policies.is_empty() || self.parts.is_empty() {
            return slip("", "a price needs at least one policy and one part".to_owned());
        }
        for id in &self.policies {
            match Catalogue::builtin().find(id) {
                Ok(policy) => self.parts.iter().try_for_each(|part| part.agree(policy))?,
                Err(error) => return slip(id, error.to_string()),
            }
        }
        Ok(())
    }
}

impl Part {
    fn a_month(&self, values: &Values) -> Option<f64> {
        let periods = match self.per {
            Period::Hour => HOURS_A_MONTH,
            Period::Month => 1.0,
        };
        Some(self.count.evaluate(values)? * self.price * periods)
    }

    fn agree(&self, policy: &Policy) -> Result<(), Slip> {
        if !self.price.is_finite() || self.price < 0.0 {
            let problem = format!("{} is no price; write an amount of 0 or more", self.price);
            return Err(Slip { word: "price =".to_owned(), problem });
        }
        for name in self.count.parameters() {
            if name != SIZE {
                policy
                    .parameter(name)
                    .map_err(|error| Slip { word: name.to_owned(), problem: error.to_string() })?;
            }
        }
        for (name, choice) in self.count.listed() {
            let Ok(parameter) = policy.parameter(name) else { continue };
            parameter
                .choose(&policy.id, choice, &Values::default())
                .map_err(|error| Slip { word: choice.to_owned(), problem: error.to_string() })?;
        }
        Ok(())
    }
}
