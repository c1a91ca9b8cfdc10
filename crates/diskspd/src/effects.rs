//! Effects of the options; the rows of the table refer to these functions.

use super::draft::{Draft, Show};
use super::error::Fault;
use super::profile::{Cache, Etw, Format, MappedFlush, Throughput};
use super::size::{count, is_plain, leading_size, size};

type EffectResult = Result<(), Fault>;

/// Reads a count of at least `least` leniently, as DiskSpd does; if part of the value is ignored, a note says so.
pub fn lenient(draft: &mut Draft, (option, value): (&str, &str), least: i64) -> Result<u32, Fault> {
    let number = count(value);
    if number < least {
        let why = match value {
            "" => "a number is missing".to_owned(),
            _ => format!("the number must be at least {least}"),
        };
        return Err(Fault::whole(why));
    }
    if !is_plain(value) {
        draft.note(format!(
            "-{option}{value} is read as -{option}{number}, as DiskSpd does: only digits count"
        ));
    }
    // At least `least`, which is never negative, and below 2^31.
    Ok(number as u32)
}

/// Reads a size of at least `least`.
pub fn at_least(draft: &Draft, value: &str, least: u64) -> Result<u64, Fault> {
    let bytes = size(value, draft.target.block)?;
    if bytes < least {
        return Err(Fault::whole(format!("the size must be at least {least}")));
    }
    Ok(bytes)
}

/// Checks that the option has no value.
pub fn bare(value: &str) -> EffectResult {
    if value.is_empty() {
        return Ok(());
    }
    Err(Fault::whole(format!("nothing can follow this option, but '{value}' does")).meant(""))
}

pub fn latencies(draft: &mut Draft, value: &str) -> EffectResult {
    draft.span.latency = true;
    if !value.is_empty() {
        draft.note(format!("-L{value} is read as -L, as DiskSpd does"));
    }
    Ok(())
}

pub fn usage(draft: &mut Draft, value: &str) -> EffectResult {
    draft.show = Show::Usage;
    bare(value)
}

pub fn block(draft: &mut Draft, value: &str) -> EffectResult {
    let bytes = size(value, draft.target.block)?;
    match u32::try_from(bytes) {
        Ok(block) if block > 0 && block < u32::MAX => draft.target.block = block,
        _ => return Err(Fault::whole("a block is at least 1 byte and below 4 GiB")),
    }
    Ok(())
}

pub fn buffer_separation(_draft: &mut Draft, value: &str) -> EffectResult {
    match value {
        "n" | "p" => Ok(()),
        _ => Err(Fault::whole("n or p must follow")),
    }
}

pub fn base(draft: &mut Draft, value: &str) -> EffectResult {
    if draft.base_given {
        return Err(Fault::whole("the base offset was given before; give it once"));
    }
    let (base, rest) = leading_size(value, draft.target.block)?;
    draft.base_given = true;
    draft.target.base = base;
    let at = value.len() - rest.len();
    let Some(length) = rest.strip_prefix(':') else {
        return size(value, draft.target.block).map(drop).map_err(Fault::from);
    };
    if draft.max_given {
        return Err(Fault::at(at, "a length after the base contradicts -f; give one of the two"));
    }
    let fault =
        |error: super::size::SizeError| Fault { instead: None, ..Fault::from(error) }.behind(&value[..=at]);
    let length = size(length, draft.target.block).map_err(fault)?;
    let end = base
        .checked_add(length)
        .ok_or_else(|| Fault::at(at, "base and length are more than 64 bits hold"))?;
    draft.length_given = true;
    draft.target.max = end;
    Ok(())
}

pub fn iops(draft: &mut Draft, value: &str) -> EffectResult {
    draft.span.iops = true;
    let milliseconds = count(value);
    if milliseconds > 0 {
        draft.span.bucket_ms = milliseconds as u32;
    } else if !value.is_empty() {
        draft.note(format!("-D{value} is read as -D{}, as DiskSpd does", draft.span.bucket_ms));
    }
    Ok(())
}

pub fn etw(draft: &mut Draft, value: &str) -> EffectResult {
    let at = Etw::NAMES.iter().position(|(_, word)| {
        // The four letters match whatever follows them; the names match only as a whole.
        *word == value || (word.len() == 1 && value.starts_with(word))
    });
    let Some(at) = at else {
        let words = Etw::NAMES.map(|(_, word)| word).join(", ");
        return Err(Fault::whole(format!("one of these must follow: {words}")));
    };
    draft.profile.etw.get_or_insert_default().flags[at] = true;
    Ok(())
}

pub fn max(draft: &mut Draft, value: &str) -> EffectResult {
    if draft.max_given {
        return Err(Fault::whole("the end was given before; give it once"));
    }
    if draft.length_given {
        return Err(Fault::whole("-f contradicts the length given with -B; give one of the two"));
    }
    draft.max_given = true;
    draft.target.max = at_least(draft, value, 0)?;
    Ok(())
}

pub fn hints(draft: &mut Draft, value: &str) -> EffectResult {
    if value.is_empty() {
        return Err(Fault::whole("a size or some of the letters r, s and t must follow"));
    }
    for (at, letter) in value.char_indices() {
        match letter {
            'r' => draft.target.random_hint = true,
            's' => draft.target.sequential_hint = true,
            't' => draft.target.temporary_hint = true,
            other => return Err(Fault::at(at, format!("'{other}' is no hint; those are r, s and t"))),
        }
    }
    Ok(())
}

pub fn throughput(draft: &mut Draft, value: &str) -> EffectResult {
    let (digits, iops) = match value.strip_suffix('i') {
        Some(digits) => (digits, true),
        None => (value, false),
    };
    if !digits.ends_with(|c: char| c.is_ascii_digit()) {
        let why = "digits must follow, bytes a millisecond, or IOPS with an i after them";
        return Err(Fault::at(digits.len().saturating_sub(1), why));
    }
    let limit = lenient(draft, ("g", digits), 1)?;
    draft.target.throughput = if iops { Throughput::Iops(limit) } else { Throughput::BytesPerMs(limit) };
    Ok(())
}

pub fn uncached(draft: &mut Draft, value: &str) -> EffectResult {
    bare(value)?;
    if draft.cache.is_some() || draft.write_through || draft.mapped {
        return Err(Fault::whole("caches or write-through were set before; -h is -Suw"));
    }
    draft.cache = Some(Cache::Off);
    draft.write_through = true;
    Ok(())
}

pub fn priority(draft: &mut Draft, value: &str) -> EffectResult {
    match lenient(draft, ("I", value), 1)? {
        priority @ 1..=3 => draft.target.priority = priority as u8,
        _ => return Err(Fault::whole("1 (very low), 2 (low) or 3 (normal) must follow")),
    }
    Ok(())
}

pub fn mapped_flush(draft: &mut Draft, value: &str) -> EffectResult {
    draft.mapped_flush = Some(match value {
        "v" => MappedFlush::View,
        "n" => MappedFlush::Memory,
        "i" => MappedFlush::MemoryNoDrain,
        _ => return Err(Fault::whole("v, n or i must follow")),
    });
    Ok(())
}

pub fn progress(draft: &mut Draft, value: &str) -> EffectResult {
    let number = count(value);
    draft.profile.progress = if number < 1 { 65_536 } else { number as u32 };
    if !value.is_empty() && !is_plain(value) {
        draft.note(format!("-P{value} is read as -P{}, as DiskSpd does", draft.profile.progress));
    }
    Ok(())
}

pub fn random(draft: &mut Draft, value: &str) -> EffectResult {
    let step = match value {
        "" => u64::from(draft.target.block),
        value => at_least(draft, value, 1)?,
    };
    if draft.target.alignment.is_some() {
        let sequential = draft.target.random == 0;
        let before =
            if sequential { "-s was given before; sequential and random" } else { "-r was given before; it" };
        let why = if sequential { " contradict each other" } else { " can be given once" };
        return Err(Fault::whole(format!("{before}{why}")));
    }
    if draft.target.random == 0 {
        draft.target.random = 100;
    }
    draft.target.alignment = Some(step);
    Ok(())
}

pub fn random_share(draft: &mut Draft, value: &str) -> EffectResult {
    let percent = lenient(draft, ("rs", value), 1)?;
    if percent > 100 {
        return Err(Fault::whole("the share of random I/O is 1 to 100 percent"));
    }
    match (draft.target.random, draft.target.alignment) {
        (0, Some(_)) => {
            return Err(Fault::whole("-s was given before; give the alignment of a mixed pattern with -r"));
        }
        (1..=99, _) => return Err(Fault::whole("-rs was given before; it can be given once")),
        _ => draft.target.random = percent,
    }
    draft.share_given = true;
    Ok(())
}

pub fn result(draft: &mut Draft, value: &str) -> EffectResult {
    match value {
        "text" => draft.format = Some(Format::Text),
        "xml" => draft.format = Some(Format::Xml),
        "" if draft.show != Show::Run => {}
        "" => return Err(Fault::whole("the form of the result is missing").meant("text")),
        other => {
            let why = format!("'{other}' is no form of a result; those are text and xml");
            return Err(Fault::whole(why).meant("text"));
        }
    }
    Ok(())
}

pub fn show_profile(draft: &mut Draft, value: &str) -> EffectResult {
    draft.show = Show::Profile;
    result(draft, value)
}

pub fn show_system(draft: &mut Draft, value: &str) -> EffectResult {
    draft.show = Show::System;
    result(draft, value)
}

pub fn sequential(draft: &mut Draft, value: &str) -> EffectResult {
    let (interlocked, stride) = match value.strip_prefix('i') {
        Some(stride) => (true, stride),
        None => (false, value),
    };
    match (draft.target.random, draft.target.alignment) {
        (100, _) if !draft.share_given || draft.target.alignment.is_some() => {
            return Err(Fault::whole("-r was given before; sequential and random contradict each other"));
        }
        (1.., _) => {
            return Err(Fault::whole("-rs was given before; give the alignment of a mixed pattern with -r"));
        }
        (0, Some(_)) => return Err(Fault::whole("-s was given before; it can be given once")),
        (0, None) => {}
    }
    let shift = usize::from(interlocked);
    let bytes = match stride {
        "" => u64::from(draft.target.block),
        stride => {
            let whole = |fault: Fault| if shift > 0 { fault.behind("i") } else { fault };
            at_least(draft, stride, 0).map_err(whole)?
        }
    };
    draft.target.interlocked |= interlocked;
    // A stride of 0 means the block, and counts as not given.
    draft.target.alignment = Some(bytes).filter(|&bytes| bytes > 0);
    Ok(())
}

pub fn caching(draft: &mut Draft, value: &str) -> EffectResult {
    if value.is_empty() {
        return cache(draft, Cache::Off, 0);
    }
    for (at, flag) in value.char_indices() {
        match flag {
            'b' => cache(draft, Cache::Used, at)?,
            'u' => cache(draft, Cache::Off, at)?,
            'r' => cache(draft, Cache::RemoteOnly, at)?,
            'm' => mapped(draft, at)?,
            'w' => write_through(draft, at)?,
            'h' => {
                cache(draft, Cache::Off, at)?;
                write_through(draft, at)?;
            }
            other => {
                return Err(Fault::at(
                    at,
                    format!("'{other}' is no flag of -S; those are b, h, m, r, u and w"),
                ));
            }
        }
    }
    Ok(())
}

fn cache(draft: &mut Draft, cache: Cache, at: usize) -> EffectResult {
    if draft.cache.is_some() {
        return Err(Fault::at(at, "what the page cache does was set before; set it once"));
    }
    if draft.mapped && cache == Cache::Off {
        return Err(Fault::at(at, "a mapping (-Sm) lies in the page cache, so it cannot go past it"));
    }
    draft.cache = Some(cache);
    Ok(())
}

fn mapped(draft: &mut Draft, at: usize) -> EffectResult {
    if draft.mapped {
        return Err(Fault::at(at, "-Sm was set before; set it once"));
    }
    if draft.cache == Some(Cache::Off) {
        return Err(Fault::at(at, "a mapping (-Sm) lies in the page cache, so it cannot go past it"));
    }
    draft.mapped = true;
    Ok(())
}

fn write_through(draft: &mut Draft, at: usize) -> EffectResult {
    if draft.write_through {
        return Err(Fault::at(at, "write-through was set before; set it once"));
    }
    draft.write_through = true;
    Ok(())
}

pub fn ring(draft: &mut Draft, value: &str) -> EffectResult {
    let value = value.strip_prefix('n').unwrap_or(value);
    let (digits, percent) = match value.strip_suffix('p') {
        Some(digits) => (digits, true),
        None => (value, false),
    };
    let batch = lenient(draft, ("u", digits), if digits.is_empty() { 0 } else { 1 })?;
    if percent && !(1..=100).contains(&batch) {
        return Err(Fault::whole("a batch in percent is 1 to 100"));
    }
    draft.ring = true;
    Ok(())
}

pub fn writes(draft: &mut Draft, value: &str) -> EffectResult {
    if value.is_empty() {
        return Err(Fault::whole("the share of writes is missing, 0 to 100").meant("0"));
    }
    let percent = lenient(draft, ("w", value), 0)?;
    if percent > 100 {
        return Err(Fault::whole("the share of writes is 0 to 100 percent"));
    }
    draft.target.write_percent = percent;
    Ok(())
}

pub fn profile_file(draft: &mut Draft, value: &str) -> EffectResult {
    if value.is_empty() {
        return Err(Fault::whole("the path of a profile must follow, without a blank"));
    }
    if draft.profile_path.is_some() {
        return Err(Fault::whole("a profile was given before; give one"));
    }
    draft.profile_path = Some(value.to_owned());
    Ok(())
}

pub fn seed(draft: &mut Draft, value: &str) -> EffectResult {
    draft.seed = Some(match value {
        "" => draft.tick,
        value if is_plain(value) => {
            value.parse().map_err(|_| Fault::whole("a seed has 32 bits, so the greatest is 4294967295"))?
        }
        value => {
            let at = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
            return Err(Fault::at(at, "a seed is a decimal number"));
        }
    });
    Ok(())
}

pub fn write_source(draft: &mut Draft, value: &str) -> EffectResult {
    if value.is_empty() {
        draft.target.zero = true;
        return Ok(());
    }
    let (bytes, path) = value.split_once(',').unwrap_or((value, ""));
    draft.target.write_source_bytes = at_least(draft, bytes, 1)?;
    draft.target.write_source = path.to_owned();
    Ok(())
}
