//! The elements of a profile. Children are read in any order, each once, and written in DiskSpd's order; anything that
//! 2.2's schema does not allow is an error with a place. Settings that 2.2 omits when it writes (new data for each
//! write, wait statistics, experiments) are written if they are set, so that a profile can be read back without loss.

use roxmltree::Document;

use super::element::{Element, ProfileError};
use super::fields::{self, Field, ProfileResult, flag, value, word_of};
use super::target::TARGET;
use crate::markup::Markup;
use crate::profile::{Cpu, Etw, Format, Precreate, Profile, Target, TimeSpan};

const FORMATS: [(&str, Format); 2] = [("text", Format::Text), ("xml", Format::Xml)];
const PRECREATES: [(&str, Precreate); 3] = [
    ("UseMaxSize", Precreate::UseMaxSize),
    ("CreateOnlyFilesWithConstantSizes", Precreate::ConstantSizes),
    ("CreateOnlyFilesWithConstantOrZeroSizes", Precreate::ConstantOrZeroSizes),
];

#[rustfmt::skip]
const PROFILE: &[Field<Profile>] = &[
    value!("Progress", progress, child => child.number32(0)?),
    Field {
        name: "ResultFormat",
        read: |profile, child| child.one_of(&FORMATS).map(|format| profile.format = format),
        write: |profile, markup| markup.leaf("ResultFormat", word_of(&FORMATS, &profile.format)),
    },
    flag!("Verbose", verbose),
    flag!("VerboseStats", verbose_stats unless false),
    value!("ExperimentFlags", experiments unless 0, child => child.number32(0)?),
    Field {
        name: "PrecreateFiles",
        read: |profile, child| child.one_of(&PRECREATES).map(|rule| profile.precreate = Some(rule)),
        write: |profile, markup| {
            let rule = profile.precreate.iter();
            rule.for_each(|rule| markup.leaf("PrecreateFiles", word_of(&PRECREATES, rule)));
        },
    },
    Field { name: "ETW", read: |profile, child| etw(child).map(|etw| profile.etw = Some(etw)), write: write_etw },
    Field {
        name: "TimeSpans",
        read: |profile, child| {
            let spans = child.children(&[], &["TimeSpan"])?;
            profile.time_spans = spans.into_iter().map(time_span).collect::<ProfileResult<_>>()?;
            Ok(())
        },
        write: |profile, markup| markup.within("TimeSpans", &[], |markup| {
            for span in &profile.time_spans {
                markup.within("TimeSpan", &[], |markup| fields::write(span, markup, SPAN));
            }
        }),
    },
];

#[rustfmt::skip]
const SPAN: &[Field<TimeSpan>] = &[
    flag!("CompletionRoutines", completion_routines),
    flag!("MeasureLatency", latency),
    flag!("CalculateIopsStdDev", iops),
    flag!("DisableAffinity", no_affinity),
    value!("Duration", duration, child => child.number32(0)?),
    value!("Warmup", warm_up, child => child.number32(0)?),
    value!("Cooldown", cool_down, child => child.number32(0)?),
    value!("ThreadCount", threads, child => child.number32(0)?),
    value!("RequestCount", requests, child => child.number32(0)?),
    value!("IoBucketDuration", bucket_ms, child => child.number32(1)?),
    value!("RandSeed", seed, child => child.number32(0)?),
    flag!("RandomWriteData", random_write_data unless false),
    // Groups are always taken into account.
    Field { name: "GroupAffinity", read: |_, child| child.flag().map(drop), write: |_, _| {} },
    Field {
        name: "Affinity",
        read: |span, child| affinity(child).map(|cpus| span.affinity = cpus),
        write: write_affinity,
    },
    Field {
        name: "Targets",
        read: |span, child| {
            let targets = child.children(&[], &["Target"])?;
            span.targets = targets.into_iter().map(target).collect::<ProfileResult<_>>()?;
            Ok(())
        },
        write: |span, markup| markup.within("Targets", &[], |markup| {
            for target in &span.targets {
                markup.within("Target", &[], |markup| fields::write(target, markup, TARGET));
            }
        }),
    },
];

/// Reads a profile from its text.
///
/// # Errors
/// [`ProfileError`], with line and column.
pub fn read(text: &str) -> Result<Profile, ProfileError> {
    let text = text.trim_start_matches('\u{feff}');
    let document = Document::parse(text).map_err(|error| {
        let place = error.pos();
        ProfileError { place: Some((place.row, place.col)), why: format!("this is no XML: {error}") }
    })?;
    let root = Element::root(&document, "Profile")?;
    let mut profile = Profile::default();
    let there = fields::read(&mut profile, root, PROFILE)?;
    match there.contains(&"TimeSpans") {
        true => Ok(profile),
        false => Err(root.wrong("a profile needs <TimeSpans>")),
    }
}

/// Prints the profile only.
pub fn profile_xml(profile: &Profile) -> String {
    let mut markup = Markup::default();
    write_profile(&mut markup, profile);
    markup.into_text()
}

/// Adds the profile to `markup`.
pub fn write_profile(markup: &mut Markup, profile: &Profile) {
    markup.within("Profile", &[], |markup| fields::write(profile, markup, PROFILE));
}

fn etw(element: Element<'_>) -> ProfileResult<Etw> {
    let names = Etw::NAMES.map(|(name, _)| name);
    let mut etw = Etw::default();
    for child in element.children(&names, &[])? {
        if let Some(at) = names.iter().position(|&name| name == child.name()) {
            etw.flags[at] = child.flag()?;
        }
    }
    Ok(etw)
}

fn write_etw(profile: &Profile, markup: &mut Markup) {
    let Some(etw) = profile.etw else { return };
    markup.within("ETW", &[], |markup| {
        Etw::NAMES.iter().zip(etw.flags).for_each(|((name, _), flag)| markup.leaf(name, flag));
    });
}

fn time_span(element: Element<'_>) -> ProfileResult<TimeSpan> {
    let mut span = TimeSpan::untyped();
    fields::read(&mut span, element, SPAN)?;
    match span.targets.is_empty() {
        false => Ok(span),
        true => Err(element.wrong("a timespan needs <Targets> with at least one <Target>")),
    }
}

fn affinity(element: Element<'_>) -> ProfileResult<Vec<Cpu>> {
    let assignments = element.children(&[], &["AffinityAssignment", "AffinityGroupAssignment"])?;
    let cpu = |one: Element<'_>| -> ProfileResult<Cpu> {
        if one.name() == "AffinityAssignment" {
            return Ok(Cpu { group: 0, number: one.number(0, 255)? as u8 });
        }
        one.attributes(&["Group", "Processor"])?;
        let (group, number) = (one.attribute("Group", 65_535)?, one.attribute("Processor", 255)?);
        Ok(Cpu { group: group as u16, number: number as u8 })
    };
    assignments.into_iter().map(cpu).collect()
}

fn write_affinity(span: &TimeSpan, markup: &mut Markup) {
    if span.affinity.is_empty() {
        return;
    }
    markup.within("Affinity", &[], |markup| {
        for cpu in &span.affinity {
            let attributes = [("Group", cpu.group.to_string()), ("Processor", cpu.number.to_string())];
            markup.empty("AffinityGroupAssignment", &attributes);
        }
    });
}

fn target(element: Element<'_>) -> ProfileResult<Target> {
    let mut target = Target::untyped();
    let there = fields::read(&mut target, element, TARGET)?;
    let has = |name| there.contains(&name);
    if !has("Path") {
        return Err(element.wrong("a target needs a <Path>"));
    }
    if has("StrideSize") && (has("Random") || has("RandomRatio")) {
        return Err(
            element.wrong("<StrideSize> contradicts <Random> and <RandomRatio>; keep one of the two kinds")
        );
    }
    Ok(target)
}
