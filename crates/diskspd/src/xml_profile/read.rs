//! Reads a profile: children in any order, each once; what 2.2's schema does not allow is an error with its place.

use roxmltree::Document;

use super::element::{Element, ProfileError};
use crate::profile::{
    Cache, Cpu, Distribution, DistributionKind, Etw, Format, MappedFlush, Precreate, Profile, Range, Target,
    ThreadTarget, Throughput, TimeSpan,
};

type Found<T> = Result<T, ProfileError>;

const PROFILE: &[&str] = &[
    "Verbose",
    "VerboseStats",
    "Progress",
    "ExperimentFlags",
    "ResultFormat",
    "PrecreateFiles",
    "ETW",
    "TimeSpans",
];
const SPAN: &[&str] = &[
    "Targets",
    "Duration",
    "Warmup",
    "Cooldown",
    "RandSeed",
    "RandomWriteData",
    "ThreadCount",
    "RequestCount",
    "GroupAffinity",
    "DisableAffinity",
    "CompletionRoutines",
    "MeasureLatency",
    "CalculateIopsStdDev",
    "IoBucketDuration",
    "Affinity",
];
const TARGET: &[&str] = &[
    "Path",
    "BlockSize",
    "StrideSize",
    "InterlockedSequential",
    "BaseFileOffset",
    "MaxFileSize",
    "SequentialScan",
    "RandomAccess",
    "TemporaryFile",
    "UseLargePages",
    "RequestCount",
    "Random",
    "RandomRatio",
    "Distribution",
    "DisableAllCache",
    "DisableLocalCache",
    "DisableOSCache",
    "WriteThrough",
    "MemoryMappedIo",
    "FlushType",
    "WriteBufferContent",
    "BurstSize",
    "ThinkTime",
    "Throughput",
    "ThreadsPerFile",
    "ThreadStride",
    "FileSize",
    "WriteRatio",
    "ParallelAsyncIO",
    "IOPriority",
    "Weight",
    "ThreadTargets",
];

/// Reads a profile from its text.
///
/// # Errors
/// [`ProfileError`] with line and column.
pub fn read(text: &str) -> Result<Profile, ProfileError> {
    let text = text.trim_start_matches('\u{feff}');
    let document = Document::parse(text).map_err(|error| {
        let place = error.pos();
        ProfileError { place: Some((place.row, place.col)), why: format!("this is no XML: {error}") }
    })?;
    let root = Element::root(&document, "Profile")?;
    let mut profile = Profile::default();
    let mut has_spans = false;
    for child in root.children(PROFILE, &[])? {
        match child.name() {
            "Verbose" => profile.verbose = child.flag()?,
            "VerboseStats" => profile.verbose_stats = child.flag()?,
            "Progress" => profile.progress = child.number32(0)?,
            "ExperimentFlags" => profile.experiments = child.number32(0)?,
            "ResultFormat" => {
                profile.format = child.one_of(&[("text", Format::Text), ("xml", Format::Xml)])?;
            }
            "PrecreateFiles" => profile.precreate = Some(precreate(child)?),
            "ETW" => profile.etw = Some(etw(child)?),
            _ => {
                has_spans = true;
                let spans = child.children(&[], &["TimeSpan"])?;
                profile.time_spans = spans.into_iter().map(time_span).collect::<Found<_>>()?;
            }
        }
    }
    if !has_spans {
        return Err(root.wrong("a profile needs <TimeSpans>"));
    }
    Ok(profile)
}

fn precreate(element: Element<'_>) -> Found<Precreate> {
    element.one_of(&[
        ("UseMaxSize", Precreate::UseMaxSize),
        ("CreateOnlyFilesWithConstantSizes", Precreate::ConstantSizes),
        ("CreateOnlyFilesWithConstantOrZeroSizes", Precreate::ConstantOrZeroSizes),
    ])
}

fn etw(element: Element<'_>) -> Found<Etw> {
    let names = Etw::NAMES.map(|(name, _)| name);
    let mut etw = Etw::default();
    for child in element.children(&names, &[])? {
        if let Some(at) = names.iter().position(|&name| name == child.name()) {
            etw.flags[at] = child.flag()?;
        }
    }
    Ok(etw)
}

fn time_span(element: Element<'_>) -> Found<TimeSpan> {
    let mut span = TimeSpan::default();
    let mut has_targets = false;
    for child in element.children(SPAN, &[])? {
        match child.name() {
            "Duration" => span.duration = child.number32(0)?,
            "Warmup" => span.warm_up = child.number32(0)?,
            "Cooldown" => span.cool_down = child.number32(0)?,
            "RandSeed" => span.seed = child.number32(0)?,
            "RandomWriteData" => span.random_write_data = child.flag()?,
            "ThreadCount" => span.threads = child.number32(0)?,
            "RequestCount" => span.requests = child.number32(0)?,
            // Groups are always looked at.
            "GroupAffinity" => drop(child.flag()?),
            "DisableAffinity" => span.no_affinity = child.flag()?,
            "CompletionRoutines" => span.completion_routines = child.flag()?,
            "MeasureLatency" => span.latency = child.flag()?,
            "CalculateIopsStdDev" => span.iops = child.flag()?,
            "IoBucketDuration" => span.bucket_ms = child.number32(1)?,
            "Affinity" => span.affinity = affinity(child)?,
            _ => {
                let targets = child.children(&[], &["Target"])?;
                has_targets = !targets.is_empty();
                span.targets = targets.into_iter().map(target).collect::<Found<_>>()?;
            }
        }
    }
    if !has_targets {
        return Err(element.wrong("a timespan needs <Targets> with at least one <Target>"));
    }
    Ok(span)
}

fn affinity(element: Element<'_>) -> Found<Vec<Cpu>> {
    let assignments = element.children(&[], &["AffinityAssignment", "AffinityGroupAssignment"])?;
    let cpu = |one: Element<'_>| -> Found<Cpu> {
        if one.name() == "AffinityAssignment" {
            return Ok(Cpu { group: 0, number: one.number(0, 255)? as u8 });
        }
        one.attributes(&["Group", "Processor"])?;
        let (group, number) = (one.attribute("Group", 65_535)?, one.attribute("Processor", 255)?);
        Ok(Cpu { group: group as u16, number: number as u8 })
    };
    assignments.into_iter().map(cpu).collect()
}

/// What says of the pattern how it is written.
#[derive(Default)]
struct Pattern {
    stride: Option<u64>,
    align: Option<u64>,
    ratio: Option<u32>,
}

fn target(element: Element<'_>) -> Found<Target> {
    let mut target = Target::default();
    let mut pattern = Pattern::default();
    let mut has_path = false;
    for child in element.children(TARGET, &[])? {
        match child.name() {
            "Path" => {
                target.path = path(child)?;
                has_path = true;
            }
            "StrideSize" => pattern.stride = Some(child.number(0, u64::MAX)?),
            "Random" => pattern.align = Some(child.number(1, u64::MAX)?),
            "RandomRatio" => pattern.ratio = Some(child.number(1, 99)? as u32),
            name if sizes(&mut target, name, child)? => {}
            name if flags(&mut target, name, child)? => {}
            _ => contents(&mut target, child)?,
        }
    }
    if !has_path {
        return Err(element.wrong("a target needs a <Path>"));
    }
    let is_random = pattern.align.is_some() || pattern.ratio.is_some();
    if pattern.stride.is_some() && is_random {
        return Err(
            element.wrong("<StrideSize> contradicts <Random> and <RandomRatio>; keep one of the two kinds")
        );
    }
    target.alignment = pattern.align.or(pattern.stride).filter(|&step| step > 0);
    target.random = pattern.ratio.unwrap_or(if is_random { 100 } else { 0 });
    Ok(target)
}

/// A path; where it begins with `*` a template with its number.
fn path(element: Element<'_>) -> Found<String> {
    let path = element.text()?;
    match path.strip_prefix('*') {
        Some(number) if number.parse::<u32>().is_ok_and(|n| n > 0) && !number.starts_with('+') => Ok(path),
        Some(_) => Err(element.wrong(format!(
            "'{path}' is no template; write *1 for the first target of the command line, *2 for the second"
        ))),
        None => Ok(path),
    }
}

/// Numbers; false where `name` is none of them.
fn sizes(target: &mut Target, name: &str, child: Element<'_>) -> Found<bool> {
    match name {
        "BlockSize" => target.block = child.number(1, u64::from(u32::MAX) - 1)? as u32,
        "BaseFileOffset" => target.base = child.number(0, u64::MAX)?,
        "MaxFileSize" => target.max = child.number(0, u64::MAX)?,
        "RequestCount" => target.requests = child.number32(1)?,
        "BurstSize" => target.burst = child.number32(0)?,
        "ThinkTime" => target.think_ms = child.number32(0)?,
        "ThreadsPerFile" => target.threads = child.number32(1)?,
        "ThreadStride" => target.thread_stride = child.number(0, u64::MAX)?,
        "FileSize" => target.create = Some(child.number(0, u64::MAX)?),
        "WriteRatio" => target.write_percent = child.number(0, 100)? as u32,
        "IOPriority" => target.priority = child.number(1, 3)? as u8,
        "Weight" => target.weight = child.number32(0)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Truth values; false where `name` is none of them.
fn flags(target: &mut Target, name: &str, child: Element<'_>) -> Found<bool> {
    match name {
        "InterlockedSequential" => target.interlocked = child.flag()?,
        "SequentialScan" => target.sequential_hint = child.flag()?,
        "RandomAccess" => target.random_hint = child.flag()?,
        "TemporaryFile" => target.temporary_hint = child.flag()?,
        "UseLargePages" => target.large_pages = child.flag()?,
        "ParallelAsyncIO" => target.parallel = child.flag()?,
        "MemoryMappedIo" => target.mapped = child.flag()?,
        "WriteThrough" => target.write_through |= child.flag()?,
        "DisableAllCache" if child.flag()? => (target.cache, target.write_through) = (Cache::Off, true),
        "DisableLocalCache" if child.flag()? => target.cache = Cache::RemoteOnly,
        "DisableOSCache" if child.flag()? => target.cache = Cache::Off,
        "DisableAllCache" | "DisableLocalCache" | "DisableOSCache" => {}
        _ => return Ok(false),
    }
    Ok(true)
}

/// What has a form of its own.
fn contents(target: &mut Target, child: Element<'_>) -> Found<()> {
    match child.name() {
        "FlushType" => {
            target.mapped_flush = Some(child.one_of(&[
                ("ViewOfFile", MappedFlush::View),
                ("NonVolatileMemory", MappedFlush::Memory),
                ("NonVolatileMemoryNoDrain", MappedFlush::MemoryNoDrain),
            ])?);
        }
        "Distribution" => target.distribution = Some(distribution(child)?),
        "WriteBufferContent" => write_buffers(target, child)?,
        "Throughput" => target.throughput = throughput(child)?,
        _ => target.thread_targets = thread_targets(child)?,
    }
    Ok(())
}

fn throughput(element: Element<'_>) -> Found<Throughput> {
    element.attributes(&["unit"])?;
    let limit = element.number_beside(0, u64::from(u32::MAX))? as u32;
    match element.word_attribute("unit") {
        _ if limit == 0 => Ok(Throughput::Free),
        None | Some("BPMS") => Ok(Throughput::BytesPerMs(limit)),
        Some("IOPS") => Ok(Throughput::Iops(limit)),
        Some(other) => {
            Err(element.wrong(format!("unit=\"{other}\" must be IOPS or BPMS (bytes a millisecond)")))
        }
    }
}

fn distribution(element: Element<'_>) -> Found<Distribution> {
    let kinds = element.children(&["Percent", "Absolute"], &[])?;
    let [kind] = kinds.as_slice() else {
        return Err(element.wrong("<Distribution> holds one element, <Percent> or <Absolute>"));
    };
    let percent = kind.name() == "Percent";
    let range = |one: Element<'_>| -> Found<Range> {
        one.attributes(&["IO"])?;
        let io = one.attribute("IO", 100)?;
        let length = if percent { one.number_beside(1, 100)? } else { one.number_beside(0, u64::MAX)? };
        Ok(Range { io, length })
    };
    let ranges = kind.children(&[], &["Range"])?.into_iter().map(range).collect::<Found<Vec<_>>>()?;
    if ranges.is_empty() {
        return Err(kind.wrong(format!("<{}> needs at least one <Range>", kind.name())));
    }
    let kind = if percent { DistributionKind::Percent } else { DistributionKind::Absolute };
    Ok(Distribution::new(kind, ranges))
}

fn write_buffers(target: &mut Target, element: Element<'_>) -> Found<()> {
    let mut pattern = None;
    for child in element.children(&["Pattern", "RandomDataSource"], &[])? {
        if child.name() == "Pattern" {
            pattern = Some(child.one_of(&[("sequential", 's'), ("zero", 'z'), ("random", 'r')])?);
            continue;
        }
        for part in child.children(&["SizeInBytes", "FilePath"], &[])? {
            match part.name() {
                "SizeInBytes" => target.write_source_bytes = part.number(1, u64::MAX)?,
                _ => target.write_source = part.text()?,
            }
        }
        if target.write_source_bytes == 0 {
            return Err(child.wrong("<RandomDataSource> needs <SizeInBytes>"));
        }
    }
    target.zero = pattern == Some('z');
    if pattern == Some('r') && target.write_source_bytes == 0 {
        return Err(element.wrong("the pattern random needs a <RandomDataSource> with its <SizeInBytes>"));
    }
    if pattern != Some('r') {
        // A source is looked at with the pattern random only.
        (target.write_source_bytes, target.write_source) = (0, String::new());
    }
    Ok(())
}

fn thread_targets(element: Element<'_>) -> Found<Vec<ThreadTarget>> {
    let one = |element: Element<'_>| -> Found<ThreadTarget> {
        let (mut thread, mut weight) = (None, 0);
        for child in element.children(&["Thread", "Weight"], &[])? {
            match child.name() {
                "Thread" => thread = Some(child.number32(0)?),
                _ => weight = child.number32(0)?,
            }
        }
        let thread = thread.ok_or_else(|| element.wrong("a <ThreadTarget> needs its <Thread>"))?;
        Ok(ThreadTarget { thread, weight })
    };
    element.children(&[], &["ThreadTarget"])?.into_iter().map(one).collect()
}
