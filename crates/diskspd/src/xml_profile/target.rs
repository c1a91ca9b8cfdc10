//! The children of a profile's target.

use super::element::Element;
use super::fields::{Field, ProfileResult, flag, value, word_of};
use crate::markup::Markup;
use crate::profile::{
    Cache, Distribution, DistributionKind, MappedFlush, Range, Target, ThreadTarget, Throughput,
};

const FLUSHES: [(&str, MappedFlush); 3] = [
    ("ViewOfFile", MappedFlush::View),
    ("NonVolatileMemory", MappedFlush::Memory),
    ("NonVolatileMemoryNoDrain", MappedFlush::MemoryNoDrain),
];

#[rustfmt::skip]
pub(super) const TARGET: &[Field<Target>] = &[
    value!("Path", path, child => path(child)?),
    value!("BlockSize", block, child => child.number(1, u64::from(u32::MAX) - 1)? as u32),
    value!("BaseFileOffset", base, child => child.number(0, u64::MAX)?),
    flag!("SequentialScan", sequential_hint),
    flag!("RandomAccess", random_hint),
    flag!("TemporaryFile", temporary_hint),
    flag!("UseLargePages", large_pages),
    Field {
        name: "DisableAllCache",
        read: |target, child| {
            if child.flag()? {
                (target.cache, target.write_through) = (Cache::Off, true);
            }
            Ok(())
        },
        write: |_, _| {},
    },
    Field {
        name: "DisableLocalCache",
        read: |target, child| uncached(target, child, Cache::RemoteOnly),
        write: |target, markup| marked(markup, "DisableLocalCache", target.cache == Cache::RemoteOnly),
    },
    Field {
        name: "DisableOSCache",
        read: |target, child| uncached(target, child, Cache::Off),
        write: |target, markup| marked(markup, "DisableOSCache", target.cache == Cache::Off),
    },
    Field {
        name: "WriteThrough",
        read: |target, child| child.flag().map(|flag| target.write_through |= flag),
        write: |target, markup| marked(markup, "WriteThrough", target.write_through),
    },
    flag!("MemoryMappedIo", mapped unless false),
    Field {
        name: "FlushType",
        read: |target, child| child.one_of(&FLUSHES).map(|flush| target.mapped_flush = Some(flush)),
        write: |target, markup| {
            target.mapped_flush.iter().for_each(|flush| markup.leaf("FlushType", word_of(&FLUSHES, flush)));
        },
    },
    Field { name: "WriteBufferContent", read: buffers, write: write_buffers },
    flag!("ParallelAsyncIO", parallel),
    value!("BurstSize", burst unless 0, child => child.number32(0)?),
    value!("ThinkTime", think_ms unless 0, child => child.number32(0)?),
    Field {
        name: "FileSize",
        read: |target, child| child.number(0, u64::MAX).map(|bytes| target.create = Some(bytes)),
        write: |target, markup| target.create.iter().for_each(|bytes| markup.leaf("FileSize", bytes)),
    },
    Field {
        name: "StrideSize",
        read: |target, child| {
            target.alignment = Some(child.number(0, u64::MAX)?).filter(|&step| step > 0);
            Ok(())
        },
        write: |target, markup| {
            if target.random == 0 {
                markup.leaf("StrideSize", target.step());
            }
        },
    },
    Field {
        name: "InterlockedSequential",
        read: |target, child| child.flag().map(|flag| target.interlocked = flag),
        write: |target, markup| {
            if target.random == 0 {
                markup.leaf("InterlockedSequential", target.interlocked);
            }
        },
    },
    Field {
        name: "Random",
        read: |target, child| {
            target.alignment = Some(child.number(1, u64::MAX)?);
            // A ratio from an earlier element stays.
            target.random = if target.random == 0 { 100 } else { target.random };
            Ok(())
        },
        write: |target, markup| {
            if target.random > 0 {
                markup.leaf("Random", target.step());
            }
        },
    },
    Field {
        name: "RandomRatio",
        read: |target, child| child.number(1, 99).map(|ratio| target.random = ratio as u32),
        write: |target, markup| {
            if (1..100).contains(&target.random) {
                markup.leaf("RandomRatio", target.random);
            }
        },
    },
    Field {
        name: "Distribution",
        read: |target, child| distribution(child).map(|found| target.distribution = Some(found)),
        write: write_distribution,
    },
    value!("ThreadStride", thread_stride, child => child.number(0, u64::MAX)?),
    value!("MaxFileSize", max, child => child.number(0, u64::MAX)?),
    value!("RequestCount", requests, child => child.number32(1)?),
    value!("WriteRatio", write_percent, child => child.number(0, 100)? as u32),
    Field {
        name: "Throughput",
        read: |target, child| throughput(child).map(|limit| target.throughput = limit),
        write: |target, markup| match target.throughput {
            Throughput::Free => markup.leaf("Throughput", 0),
            Throughput::BytesPerMs(bytes) => markup.leaf("Throughput", bytes),
            Throughput::Iops(iops) => markup.leaf_with("Throughput", &[("unit", "IOPS".to_owned())], iops),
        },
    },
    value!("ThreadsPerFile", threads, child => child.number32(1)?),
    value!("IOPriority", priority, child => child.number(1, 3)? as u8),
    value!("Weight", weight, child => child.number32(0)?),
    Field {
        name: "ThreadTargets",
        read: |target, child| thread_targets(child).map(|threads| target.thread_targets = threads),
        write: write_thread_targets,
    },
];

/// Reads a path; one that begins with `*` is a template and must have a number.
fn path(element: Element<'_>) -> ProfileResult<String> {
    let path = element.text()?;
    match path.strip_prefix('*') {
        Some(number) if number.parse::<u32>().is_ok_and(|n| n > 0) && !number.starts_with('+') => Ok(path),
        Some(_) => Err(element.wrong(format!(
            "'{path}' is no template; write *1 for the first target of the command line, *2 for the second"
        ))),
        None => Ok(path),
    }
}

fn uncached(target: &mut Target, child: Element<'_>, cache: Cache) -> ProfileResult<()> {
    if child.flag()? {
        target.cache = cache;
    }
    Ok(())
}

/// Writes an element only if it is true.
fn marked(markup: &mut Markup, name: &str, holds: bool) {
    if holds {
        markup.leaf(name, true);
    }
}

fn throughput(element: Element<'_>) -> ProfileResult<Throughput> {
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

fn distribution(element: Element<'_>) -> ProfileResult<Distribution> {
    let kinds = element.children(&["Percent", "Absolute"], &[])?;
    let [kind] = kinds.as_slice() else {
        return Err(element.wrong("<Distribution> holds one element, <Percent> or <Absolute>"));
    };
    let percent = kind.name() == "Percent";
    let range = |one: Element<'_>| -> ProfileResult<Range> {
        one.attributes(&["IO"])?;
        let io = one.attribute("IO", 100)?;
        let length = if percent { one.number_beside(1, 100)? } else { one.number_beside(0, u64::MAX)? };
        Ok(Range { io, length })
    };
    let ranges = kind.children(&[], &["Range"])?.into_iter().map(range).collect::<ProfileResult<Vec<_>>>()?;
    if ranges.is_empty() {
        return Err(kind.wrong(format!("<{}> needs at least one <Range>", kind.name())));
    }
    let kind = if percent { DistributionKind::Percent } else { DistributionKind::Absolute };
    Ok(Distribution::new(kind, ranges))
}

fn write_distribution(target: &Target, markup: &mut Markup) {
    let Some(distribution) = target.distribution.as_ref().filter(|_| target.random > 0) else { return };
    let kind = match distribution.kind {
        DistributionKind::Percent => "Percent",
        DistributionKind::Absolute => "Absolute",
    };
    markup.within("Distribution", &[], |markup| {
        markup.within(kind, &[], |markup| {
            for range in &distribution.ranges {
                markup.leaf_with("Range", &[("IO", range.io.to_string())], range.length);
            }
        });
    });
}

fn buffers(target: &mut Target, element: Element<'_>) -> ProfileResult<()> {
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
        // The source applies only to the random pattern.
        (target.write_source_bytes, target.write_source) = (0, String::new());
    }
    Ok(())
}

fn write_buffers(target: &Target, markup: &mut Markup) {
    markup.within("WriteBufferContent", &[], |markup| {
        let pattern = match (target.zero, target.write_source_bytes) {
            (true, _) => "zero",
            (false, 0) => "sequential",
            (false, _) => "random",
        };
        markup.leaf("Pattern", pattern);
        if pattern == "random" {
            markup.within("RandomDataSource", &[], |markup| {
                markup.leaf("SizeInBytes", target.write_source_bytes);
                if !target.write_source.is_empty() {
                    markup.leaf("FilePath", &target.write_source);
                }
            });
        }
    });
}

fn thread_targets(element: Element<'_>) -> ProfileResult<Vec<ThreadTarget>> {
    let one = |element: Element<'_>| -> ProfileResult<ThreadTarget> {
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

fn write_thread_targets(target: &Target, markup: &mut Markup) {
    if target.thread_targets.is_empty() {
        return;
    }
    markup.within("ThreadTargets", &[], |markup| {
        for one in &target.thread_targets {
            markup.within("ThreadTarget", &[], |markup| {
                markup.leaf("Thread", one.thread);
                if one.weight > 0 {
                    markup.leaf("Weight", one.weight);
                }
            });
        }
    });
}
