//! Profiles as XML: written as `-Rpxml` prints them, and read as `-X` accepts them.

mod element;
mod elements;
mod fields;
mod target;

pub use element::ProfileError;
pub(super) use elements::write_profile;
pub use elements::{profile_xml, read};

use super::profile::Profile;

/// Replaces the templates `*1`, `*2`, … by `targets`.
///
/// # Errors
/// A sentence if a target or a template is left over. Without targets, all templates may stay.
pub(super) fn substitute(profile: &mut Profile, targets: &[&str]) -> Result<(), String> {
    let mut used = vec![false; targets.len()];
    for target in profile.time_spans.iter_mut().flat_map(|span| &mut span.targets) {
        let number = target.template().and_then(|number| number.parse::<usize>().ok());
        let Some(index) = number.and_then(|number| number.checked_sub(1)) else { continue };
        if let Some(path) = targets.get(index) {
            target.path = (*path).to_owned();
            used[index] = true;
        }
    }
    let left =
        profile.time_spans.iter().flat_map(|span| &span.targets).find(|target| target.template().is_some());
    match used.iter().position(|used| !used) {
        None if left.is_some() && !targets.is_empty() => Err(format!(
            "template target '{}' has no target: {} behind -X, and each template needs its own; name it, or name none to \
             show the profile as it is",
            left.map_or("", |target| target.path.as_str()),
            match targets.len() {
                1 => "there is one".to_owned(),
                some => format!("there are {some}"),
            }
        )),
        Some(index) => Err(format!(
            "target '{}' fills no template: the profile has no *{}; leave it out, or write <Path>*{}</Path> there",
            targets[index],
            index + 1,
            index + 1
        )),
        None => Ok(()),
    }
}
