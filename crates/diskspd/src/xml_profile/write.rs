//! A profile as XML, elements in DiskSpd's order. What 2.2 leaves out when it writes (new data for each write, statistics
//! of waiting, experiments) stands where it was asked for, so that nothing is lost on the way back.

use crate::markup::Markup;
use crate::profile::{
    Cache, DistributionKind, Etw, Format, MappedFlush, Precreate, Profile, Target, Throughput, TimeSpan,
};

/// The profile alone.
pub fn profile_xml(profile: &Profile) -> String {
    let mut markup = Markup::default();
    write_profile(&mut markup, profile);
    markup.into_text()
}

/// Adds the profile to `markup`.
pub fn write_profile(markup: &mut Markup, profile: &Profile) {
    markup.open("Profile", &[]);
    markup.leaf("Progress", profile.progress);
    let format = match profile.format {
        Format::Text => "text",
        Format::Xml => "xml",
    };
    markup.leaf("ResultFormat", format);
    markup.leaf("Verbose", profile.verbose);
    if profile.verbose_stats {
        markup.leaf("VerboseStats", true);
    }
    if profile.experiments != 0 {
        markup.leaf("ExperimentFlags", profile.experiments);
    }
    if let Some(precreate) = profile.precreate {
        let word = match precreate {
            Precreate::UseMaxSize => "UseMaxSize",
            Precreate::ConstantSizes => "CreateOnlyFilesWithConstantSizes",
            Precreate::ConstantOrZeroSizes => "CreateOnlyFilesWithConstantOrZeroSizes",
        };
        markup.leaf("PrecreateFiles", word);
    }
    if let Some(etw) = profile.etw {
        markup.open("ETW", &[]);
        Etw::NAMES.iter().zip(etw.flags).for_each(|((name, _), flag)| markup.leaf(name, flag));
        markup.close("ETW");
    }
    markup.open("TimeSpans", &[]);
    profile.time_spans.iter().for_each(|span| write_span(markup, span));
    markup.close("TimeSpans");
    markup.close("Profile");
}

fn write_span(markup: &mut Markup, span: &TimeSpan) {
    markup.open("TimeSpan", &[]);
    markup.leaf("CompletionRoutines", span.completion_routines);
    markup.leaf("MeasureLatency", span.latency);
    markup.leaf("CalculateIopsStdDev", span.iops);
    markup.leaf("DisableAffinity", span.no_affinity);
    markup.leaf("Duration", span.duration);
    markup.leaf("Warmup", span.warm_up);
    markup.leaf("Cooldown", span.cool_down);
    markup.leaf("ThreadCount", span.threads);
    markup.leaf("RequestCount", span.requests);
    markup.leaf("IoBucketDuration", span.bucket_ms);
    markup.leaf("RandSeed", span.seed);
    if span.random_write_data {
        markup.leaf("RandomWriteData", true);
    }
    if !span.affinity.is_empty() {
        markup.open("Affinity", &[]);
        for cpu in &span.affinity {
            let attributes = [("Group", cpu.group.to_string()), ("Processor", cpu.number.to_string())];
            markup.empty("AffinityGroupAssignment", &attributes);
        }
        markup.close("Affinity");
    }
    markup.open("Targets", &[]);
    span.targets.iter().for_each(|target| write_target(markup, target));
    markup.close("Targets");
    markup.close("TimeSpan");
}

fn write_target(markup: &mut Markup, target: &Target) {
    markup.open("Target", &[]);
    markup.leaf("Path", &target.path);
    markup.leaf("BlockSize", target.block);
    markup.leaf("BaseFileOffset", target.base);
    markup.leaf("SequentialScan", target.sequential_hint);
    markup.leaf("RandomAccess", target.random_hint);
    markup.leaf("TemporaryFile", target.temporary_hint);
    markup.leaf("UseLargePages", target.large_pages);
    write_caches(markup, target);
    write_buffers(markup, target);
    markup.leaf("ParallelAsyncIO", target.parallel);
    if target.burst > 0 {
        markup.leaf("BurstSize", target.burst);
    }
    if target.think_ms > 0 {
        markup.leaf("ThinkTime", target.think_ms);
    }
    if let Some(bytes) = target.create {
        markup.leaf("FileSize", bytes);
    }
    write_pattern(markup, target);
    markup.leaf("ThreadStride", target.thread_stride);
    markup.leaf("MaxFileSize", target.max);
    markup.leaf("RequestCount", target.requests);
    markup.leaf("WriteRatio", target.write_percent);
    match target.throughput {
        Throughput::Free => markup.leaf("Throughput", 0),
        Throughput::BytesPerMs(bytes) => markup.leaf("Throughput", bytes),
        Throughput::Iops(iops) => markup.leaf_with("Throughput", &[("unit", "IOPS".to_owned())], iops),
    }
    markup.leaf("ThreadsPerFile", target.threads);
    markup.leaf("IOPriority", target.priority);
    markup.leaf("Weight", target.weight);
    write_thread_targets(markup, target);
    markup.close("Target");
}

fn write_caches(markup: &mut Markup, target: &Target) {
    match target.cache {
        Cache::Used => {}
        Cache::RemoteOnly => markup.leaf("DisableLocalCache", true),
        Cache::Off => markup.leaf("DisableOSCache", true),
    }
    if target.write_through {
        markup.leaf("WriteThrough", true);
    }
    if target.mapped {
        markup.leaf("MemoryMappedIo", true);
    }
    if let Some(flush) = target.mapped_flush {
        let word = match flush {
            MappedFlush::View => "ViewOfFile",
            MappedFlush::Memory => "NonVolatileMemory",
            MappedFlush::MemoryNoDrain => "NonVolatileMemoryNoDrain",
        };
        markup.leaf("FlushType", word);
    }
}

fn write_buffers(markup: &mut Markup, target: &Target) {
    markup.open("WriteBufferContent", &[]);
    if target.zero {
        markup.leaf("Pattern", "zero");
    } else if target.write_source_bytes == 0 {
        markup.leaf("Pattern", "sequential");
    } else {
        markup.leaf("Pattern", "random");
        markup.open("RandomDataSource", &[]);
        markup.leaf("SizeInBytes", target.write_source_bytes);
        if !target.write_source.is_empty() {
            markup.leaf("FilePath", &target.write_source);
        }
        markup.close("RandomDataSource");
    }
    markup.close("WriteBufferContent");
}

fn write_pattern(markup: &mut Markup, target: &Target) {
    if target.random == 0 {
        markup.leaf("StrideSize", target.step());
        markup.leaf("InterlockedSequential", target.interlocked);
        return;
    }
    markup.leaf("Random", target.step());
    if target.random < 100 {
        markup.leaf("RandomRatio", target.random);
    }
    let Some(distribution) = &target.distribution else { return };
    let kind = match distribution.kind {
        DistributionKind::Percent => "Percent",
        DistributionKind::Absolute => "Absolute",
    };
    markup.open("Distribution", &[]);
    markup.open(kind, &[]);
    for range in &distribution.ranges {
        markup.leaf_with("Range", &[("IO", range.io.to_string())], range.length);
    }
    markup.close(kind);
    markup.close("Distribution");
}

fn write_thread_targets(markup: &mut Markup, target: &Target) {
    if target.thread_targets.is_empty() {
        return;
    }
    markup.open("ThreadTargets", &[]);
    for one in &target.thread_targets {
        markup.open("ThreadTarget", &[]);
        markup.leaf("Thread", one.thread);
        if one.weight > 0 {
            markup.leaf("Weight", one.weight);
        }
        markup.close("ThreadTarget");
    }
    markup.close("ThreadTargets");
}
