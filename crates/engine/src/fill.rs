//! The data to write: by default data that neither compresses nor repeats, made for each block from its offset and a
//! generation number; on request, data that compresses or repeats.

mod shaped;

use statistics::random::mix;
use workload::{Buffers, Io};

use shaped::Shaper;
pub use shaped::repeat;

/// Lanes of the generator: eight 64-bit states side by side, so that the compiler can work on several at once.
const LANES: usize = 8;
/// Bytes produced by one step of all lanes.
const STEP: usize = LANES * 8;
/// Bytes per block of a stamped buffer: the smallest unit that devices and deduplication distinguish.
const SECTOR: usize = 512;

/// Whether preparing a buffer took time that must not count as latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Almost no time.
    Slight,
    /// The whole buffer was filled.
    Filled,
}

/// Fills `buffer` with data determined by `seed`, `offset` and `generation`, which no common compressor shortens.
///
/// Each lane is xorshift64 with shifts 13, 7, 17 (Marsaglia: "Xorshift RNGs", J. Stat. Softw. 8(14), 2003): not for
/// statistics, but it has no repeats that a compressor or a deduplicating volume could find.
pub fn unique(buffer: &mut [u8], seed: u64, offset: u64, generation: u64) {
    let base = mix(mix(seed ^ generation) ^ offset);
    let mut lanes: [u64; LANES] = std::array::from_fn(|lane| mix(base.wrapping_add(lane as u64 + 1)) | 1);
    let mut steps = buffer.chunks_exact_mut(STEP);
    for chunk in &mut steps {
        advance(&mut lanes);
        for (bytes, lane) in chunk.chunks_exact_mut(8).zip(lanes) {
            bytes.copy_from_slice(&lane.to_le_bytes());
        }
    }
    let rest = steps.into_remainder();
    advance(&mut lanes);
    for (bytes, lane) in rest.chunks_mut(8).zip(lanes) {
        bytes.copy_from_slice(&lane.to_le_bytes()[..bytes.len()]);
    }
}

#[inline]
fn advance(lanes: &mut [u64; LANES]) {
    for lane in lanes.iter_mut() {
        *lane ^= *lane << 13;
        *lane ^= *lane >> 7;
        *lane ^= *lane << 17;
    }
}

/// Writes offset and generation into every 512 bytes of `buffer`, so that no two blocks are equal.
fn stamp(buffer: &mut [u8], seed: u64, offset: u64, generation: u64) {
    let key = mix(seed ^ generation);
    for (number, sector) in buffer.chunks_mut(SECTOR).enumerate() {
        let place = offset + (number * SECTOR) as u64;
        let mut words = [0; 16];
        words[..8].copy_from_slice(&place.to_le_bytes());
        words[8..].copy_from_slice(&key.to_le_bytes());
        let bytes = sector.len().min(words.len());
        sector[..bytes].copy_from_slice(&words[..bytes]);
    }
}

/// Prepares the buffers of one worker's writes.
#[derive(Clone, Debug)]
pub struct Filler {
    buffers: Buffers,
    seed: u64,
    /// Number of writes so far: no two writes of a worker carry the same data.
    generation: u64,
    /// Makes data that compresses or repeats, if the plan asks for it.
    shaper: Option<Shaper>,
    /// Whether a slot's buffer still holds its fill, by slot; a read replaces it with the volume's data.
    filled: Box<[bool]>,
}

impl Filler {
    /// A filler for `depth` slots; different seeds give different data.
    pub fn new(buffers: Buffers, seed: u64, depth: u32) -> Filler {
        let shaper = match &buffers {
            Buffers::Shaped(shape) => Some(Shaper::new(shape.clone(), seed)),
            _ => None,
        };
        Filler {
            buffers,
            seed,
            generation: 0,
            shaper,
            filled: vec![false; depth as usize].into_boxed_slice(),
        }
    }

    /// Notes that a read goes into the buffer of `slot`.
    #[inline]
    pub fn note_read(&mut self, slot: u32) {
        if let Some(filled) = self.filled.get_mut(slot as usize) {
            *filled = false;
        }
    }

    /// Puts into `buffer` the data for the write `io`; `buffer` is at least as long as the I/O.
    pub fn prepare(&mut self, io: &Io, buffer: &mut [u8]) -> Effort {
        let bytes = (io.bytes as usize).min(buffer.len());
        debug_assert!(io.bytes as usize <= buffer.len(), "a write is longer than its buffer");
        self.generation += 1;
        let fresh = match self.filled.get_mut(io.slot as usize) {
            Some(filled) => !std::mem::replace(filled, true),
            None => true,
        };
        match &self.buffers {
            Buffers::Unique => unique(&mut buffer[..bytes], self.seed, io.offset, self.generation),
            // A buffer that is filled once is filled completely, because the next I/O of this slot may be longer.
            Buffers::Stamped | Buffers::Repeated if fresh => {
                unique(buffer, self.seed, io.offset, self.generation);
            }
            Buffers::Stamped => {
                stamp(&mut buffer[..bytes], self.seed, io.offset, self.generation);
                return Effort::Slight;
            }
            Buffers::Zero if fresh => buffer.fill(0),
            Buffers::Pattern(pattern) if fresh || !pattern.offsets.is_empty() => {
                repeat(buffer, pattern, io.offset);
            }
            Buffers::Shaped(_) => {
                if let Some(shaper) = &mut self.shaper {
                    shaper.fill(&mut buffer[..bytes], io.offset, self.generation);
                }
            }
            Buffers::Repeated | Buffers::Zero | Buffers::Pattern(_) => return Effort::Slight,
        }
        Effort::Filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use workload::{Direction, Nanos};

    fn write(slot: u32, offset: u64, bytes: u32) -> Io {
        Io { slot, kind: Direction::Write, file: 0, offset, bytes, due: Nanos::ZERO }
    }

    fn filled(filler: &mut Filler, io: &Io, buffer: &mut [u8]) -> Vec<u8> {
        filler.prepare(io, buffer);
        buffer[..io.bytes as usize].to_vec()
    }

    #[test]
    fn unique_data_never_repeats_a_sector() {
        let mut filler = Filler::new(Buffers::Unique, 7, 2);
        let mut buffer = vec![0; 4096];
        let mut seen = HashSet::new();
        for round in 0..200u64 {
            // Every offset is written twice: the second generation must differ from the first.
            let data = filled(&mut filler, &write((round % 2) as u32, (round / 2) * 4096, 4096), &mut buffer);
            for sector in data.chunks(SECTOR) {
                assert!(seen.insert(sector.to_vec()), "round {round}");
            }
        }
    }

    #[test]
    fn unique_data_has_as_many_ones_as_zeros_and_evenly_spread_bytes() {
        let mut data = vec![0; 1 << 20];
        unique(&mut data, 1, 0, 1);
        let mut counts = [0f64; 256];
        data.iter().for_each(|&byte| counts[usize::from(byte)] += 1.0);
        let expected = data.len() as f64 / 256.0;
        let chi_square: f64 = counts.iter().map(|c| (c - expected).powi(2) / expected).sum();
        // 255 degrees of freedom: 180 to 340 contains all but one in a million.
        assert!((180.0..340.0).contains(&chi_square), "{chi_square}");
        let words: HashSet<&[u8]> = data.chunks(8).collect();
        assert_eq!(words.len(), data.len() / 8, "no word of eight bytes comes twice");
    }

    #[test]
    fn odd_lengths_are_filled_to_the_last_byte() {
        for bytes in [1, 7, 63, 64, 65, 511, 513, 4095] {
            let differs = (0..8).any(|generation| {
                let mut data = vec![0; bytes];
                unique(&mut data, 3, 9, generation);
                data[bytes - 1] != 0
            });
            assert!(differs, "{bytes}");
        }
    }

    #[test]
    fn stamped_blocks_all_differ_though_the_buffer_is_filled_once() {
        let mut filler = Filler::new(Buffers::Stamped, 7, 1);
        let mut buffer = vec![0; 4096];
        let first = filled(&mut filler, &write(0, 0, 4096), &mut buffer);
        let again = filled(&mut filler, &write(0, 0, 4096), &mut buffer);
        let elsewhere = filled(&mut filler, &write(0, 8192, 4096), &mut buffer);
        assert!(first != again && again != elsewhere);
        assert_eq!(first[16..SECTOR], elsewhere[16..SECTOR], "between the stamps the data stays");
    }

    #[test]
    fn a_buffer_that_was_read_into_is_made_good_before_it_is_written() {
        for buffers in [Buffers::Repeated, Buffers::Zero] {
            let mut filler = Filler::new(buffers.clone(), 7, 1);
            let mut buffer = vec![9; 512];
            assert_eq!(filler.prepare(&write(0, 0, 512), &mut buffer), Effort::Filled);
            let filled_once = buffer.clone();
            assert_eq!(filler.prepare(&write(0, 512, 512), &mut buffer), Effort::Slight);
            assert_eq!(buffer, filled_once, "written again and again");
            buffer.fill(1);
            filler.note_read(0);
            filler.prepare(&write(0, 0, 512), &mut buffer);
            assert!(buffer.iter().any(|&byte| byte != 1), "{buffers:?}");
        }
    }
}
