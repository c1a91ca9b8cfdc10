//! The built-in catalogue: published policies, instance limits, tables and their sources.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use workload::PolicyName;

use crate::instance::{AwsInstances, AzureInstances, Instances};
use crate::near::nearest;
use crate::{Limits, Policy, PolicyError, PublishedTable, Source, custom, own};

/// Published policies with everything that belongs to them.
#[derive(Clone, Debug)]
pub struct Catalogue {
    policies: Vec<Policy>,
    custom: Policy,
    sources: BTreeMap<String, Source>,
    tables: Vec<PublishedTable>,
    pub(crate) aws: AwsInstances,
    pub(crate) azure: AzureInstances,
}

/// Why the catalogue's data cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// A file does not have the expected form.
    #[error("{file}: {problem}; correct the entry that the place names")]
    Form {
        /// Name of the file.
        file: &'static str,
        /// The parser's message.
        problem: String,
    },
    /// A reference names something that does not exist.
    #[error("{of}: {problem}; correct the reference or add what is missing")]
    Reference {
        /// The entry that holds the reference.
        of: String,
        /// Description of the missing item.
        problem: String,
    },
}

/// The four files of the catalogue, as text.
struct Texts {
    policies: &'static str,
    sources: &'static str,
    tables: &'static str,
    instances: &'static str,
}

const BUILTIN: Texts = Texts {
    policies: include_str!("../data/policies.json"),
    sources: include_str!("../data/sources.json"),
    tables: include_str!("../data/tables.json"),
    instances: include_str!("../data/instances.json"),
};

impl Catalogue {
    /// Returns the catalogue that is built into the program; it is read once.
    ///
    /// # Panics
    /// If the built-in data is defective; a test reads it, so this cannot happen in a released program.
    pub fn builtin() -> &'static Catalogue {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        CATALOGUE.get_or_init(|| match Catalogue::read(&BUILTIN) {
            Ok(catalogue) => catalogue,
            Err(error) => panic!("the built-in catalogue is defective: {error}"),
        })
    }

    fn read(texts: &Texts) -> Result<Catalogue, CatalogueError> {
        let sources: Vec<Source> = parse("sources.json", texts.sources)?;
        let instances: Instances = parse("instances.json", texts.instances)?;
        let mut catalogue = Catalogue {
            policies: parse("policies.json", texts.policies)?,
            custom: custom::entry(),
            sources: sources.into_iter().map(|source| (source.id.clone(), source)).collect(),
            tables: parse("tables.json", texts.tables)?,
            aws: instances.aws,
            azure: instances.azure,
        };
        for policy in &mut catalogue.policies {
            policy.sources = resolve(&catalogue.sources, &policy.id, &policy.source_ids)?;
            policy.agree()?;
        }
        for table in &catalogue.tables {
            resolve(&catalogue.sources, &table.id, &table.sources)?;
            table.agree()?;
        }
        for ids in [&catalogue.aws.sources, &catalogue.azure.sources] {
            resolve(&catalogue.sources, "instances.json", ids)?;
        }
        Ok(catalogue)
    }

    /// Returns every published policy, in the order of the catalogue: by provider. `custom` is not among them.
    pub fn list(&self) -> &[Policy] {
        &self.policies
    }

    /// Returns the policy with this id, ignoring case, or the user's own policy adopted from this file;
    /// `custom` takes its figures from the parameters.
    ///
    /// # Errors
    /// [`PolicyError::UnknownPolicy`] with the nearest id.
    pub fn find(&self, id: &str) -> Result<&Policy, PolicyError> {
        if let Some(own) = own::find(id) {
            return Ok(own);
        }
        let all = || self.policies.iter().chain(std::iter::once(&self.custom));
        all().find(|policy| policy.id.eq_ignore_ascii_case(id)).ok_or_else(|| {
            let ids = all().map(|policy| policy.id.as_str());
            PolicyError::UnknownPolicy { id: id.to_owned(), nearest: nearest(id, ids).map(str::to_owned) }
        })
    }

    /// Returns the source with this id.
    pub fn source(&self, id: &str) -> Option<&Source> {
        self.sources.get(id)
    }

    /// Returns the tables that providers publish, for comparison with measured or simulated volumes.
    pub fn tables(&self) -> &[PublishedTable] {
        &self.tables
    }

    pub(crate) fn resolved(&self, ids: &[String]) -> Vec<Source> {
        ids.iter().filter_map(|id| self.source(id).cloned()).collect()
    }
}

fn parse<T: serde::de::DeserializeOwned>(file: &'static str, text: &str) -> Result<T, CatalogueError> {
    serde_json::from_str(text).map_err(|error| CatalogueError::Form { file, problem: error.to_string() })
}

fn resolve(
    sources: &BTreeMap<String, Source>,
    of: &str,
    ids: &[String],
) -> Result<Vec<Source>, CatalogueError> {
    ids.iter()
        .map(|id| {
            sources.get(id).cloned().ok_or_else(|| CatalogueError::Reference {
                of: of.to_owned(),
                problem: format!("there is no source '{id}'"),
            })
        })
        .collect()
}

/// Finds and evaluates a policy of the built-in catalogue.
///
/// # Errors
/// [`PolicyError`] for an unknown policy or parameter, and for a missing, unreadable or forbidden value.
pub fn evaluate(name: &PolicyName) -> Result<Limits, PolicyError> {
    Catalogue::builtin().find(&name.id)?.evaluate(name)
}

/// Finds and evaluates a policy of the built-in catalogue; also returns the parameters that it does not know, as typed.
///
/// # Errors
/// The [`PolicyError`]s of [`evaluate`], except for an unknown parameter.
pub fn evaluate_with_rest(name: &PolicyName) -> Result<(Limits, Vec<(String, String)>), PolicyError> {
    Catalogue::builtin().find(&name.id)?.evaluate_with_rest(name)
}

/// Returns the limits that a simulated or lab volume of this name has: those of its policy, with credits that drain
/// as many times faster as a lab volume's `speed` says. Other parameters of the volume itself are ignored here.
///
/// # Errors
/// The [`PolicyError`]s of [`evaluate_with_rest`].
pub fn evaluate_of_volume(name: &PolicyName) -> Result<Limits, PolicyError> {
    let (limits, rest) = evaluate_with_rest(name)?;
    let speed = rest.iter().find(|(parameter, _)| parameter == "speed");
    let speed = speed.and_then(|(_, value)| value.parse::<f64>().ok()).filter(|speed| *speed >= 1.0);
    Ok(speed.map_or_else(|| limits.clone(), |speed| limits.at_speed(speed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"[{"id":"p","provider":"x","name":"P","status":"current","scope":"volume",
        "confidence":{"grade":"verified"},"sources":["s"],"billing":"none",
        "parameters":[{"name":"size","unit":"GiB","min":1,"max":10}],
        "rules":[{"id":"iops","resource":"iops","direction":"total","unit":"ops/s","baseline":{"param":"size"}}]}]"#;

    fn problem_after(wrong: &str, right: &str) -> String {
        let changed: &'static str = Box::leak(ONE.replacen(right, wrong, 1).into_boxed_str());
        assert_ne!(changed, ONE, "'{right}' is in the text");
        let texts = Texts {
            policies: changed,
            sources: r#"[{"id":"s","title":"S","kind":"primary"}]"#,
            tables: "[]",
            instances: BUILTIN.instances,
        };
        match Catalogue::read(&texts) {
            Ok(_) => "none".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    /// A mistake in the data must fail the build's tests, not silently drop a limit.
    #[test]
    fn slips_in_the_data_are_found() {
        for (wrong, right, named) in [
            ("\"statsu\"", "\"status\"", "statsu"),
            ("\"param\":\"sise\"", "\"param\":\"size\"", "sise"),
            ("\"sources\":[\"t\"]", "\"sources\":[\"s\"]", "'t'"),
            ("\"unit\":\"KiB/s\"", "\"unit\":\"ops/s\"", "KiB/s"),
            ("\"unit\":\"MiB/s\"", "\"unit\":\"ops/s\"", "unit"),
            (
                "\"rules\":[],\"note\":\"\",\"check\":[]",
                "\"rules\":[{\"id\":\"iops\",\"resource\":\"iops\",\"direction\":\"total\",\"unit\":\"ops/s\",\"baseline\":{\"param\":\"size\"}}]",
                "rule",
            ),
        ] {
            let problem = problem_after(wrong, right);
            assert!(problem.contains(named), "{wrong}: {problem}");
        }
    }

    #[test]
    fn the_built_in_data_can_be_read() {
        if let Err(error) = Catalogue::read(&BUILTIN) {
            panic!("{error}");
        }
    }
}
