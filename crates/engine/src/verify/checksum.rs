//! The checksums that fio 3.33 puts after its header, as they are in the bytes that fio writes: each was determined by
//! computing it over data that fio had written. fio's documentation says less, and in places contradicts the data.

use crc::{Algorithm, CRC_7_MMC, CRC_16_ARC, CRC_64_REDIS, Crc, Table};
use sha1::digest::{Digest, generic_array::GenericArray};
use twox_hash::XxHash32;
use workload::Checksum;

/// Bytes of the longest checksum.
pub(super) const LONGEST: usize = 128;

/// CRC-32C without the inversion at its end.
const CRC_32C: Algorithm<u32> = Algorithm {
    width: 32,
    poly: 0x1edc_6f41,
    init: u32::MAX,
    refin: true,
    refout: true,
    xorout: 0,
    check: 0x1cf9_6d7c,
    residue: 0xb798_b438,
};

/// CRC-32 that begins with zero, takes the most significant bit first and is not inverted.
const CRC_32: Algorithm<u32> = Algorithm {
    width: 32,
    poly: 0x04c1_1db7,
    init: 0,
    refin: false,
    refout: false,
    xorout: 0,
    check: 0x89a1_897f,
    residue: 0,
};

static CRC7: Crc<u8, Table<16>> = Crc::<u8, Table<16>>::new(&CRC_7_MMC);
static CRC16: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&CRC_16_ARC);
static CRC32: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32);
static CRC32C: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32C);
static CRC64: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_REDIS);

/// fio's seed for xxHash.
const XXHASH_SEED: u32 = 1;

/// Initial state of SHA-256 (FIPS 180-4, 5.3.3).
const SHA256: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// Bytes that a checksum of `kind` takes after the header.
pub(super) const fn length(kind: Checksum) -> usize {
    match kind {
        Checksum::Meta | Checksum::Pattern => 0,
        Checksum::Crc7 => 1,
        Checksum::Crc16 => 2,
        Checksum::Crc32 | Checksum::Crc32c | Checksum::Xxhash => 4,
        Checksum::Crc64 => 8,
        Checksum::Md5 => 16,
        Checksum::Sha1 => 20,
        Checksum::Sha3_224 => 28,
        Checksum::Sha3_256 => 32,
        Checksum::Sha3_384 => 48,
        Checksum::Sha256 | Checksum::Sha3_512 => 64,
        Checksum::Sha512 => 128,
    }
}

/// Returns the number of the kind in fio's header.
pub(super) const fn number(kind: Checksum) -> u16 {
    match kind {
        Checksum::Meta => 0x01,
        Checksum::Md5 => 0x02,
        Checksum::Crc64 => 0x03,
        Checksum::Crc32 => 0x04,
        Checksum::Crc32c => 0x05,
        Checksum::Crc16 => 0x07,
        Checksum::Crc7 => 0x08,
        Checksum::Sha256 => 0x09,
        Checksum::Sha512 => 0x0a,
        Checksum::Sha3_224 => 0x0b,
        Checksum::Sha3_256 => 0x0c,
        Checksum::Sha3_384 => 0x0d,
        Checksum::Sha3_512 => 0x0e,
        Checksum::Xxhash => 0x0f,
        Checksum::Sha1 => 0x10,
        Checksum::Pattern => 0x11,
    }
}

/// The checksum of a header: the same CRC-32C as for data.
pub(super) fn of_header(bytes: &[u8]) -> u32 {
    CRC32C.checksum(bytes)
}

/// The checksum of `data`; only the first [`length`] bytes count.
pub(super) fn of(kind: Checksum, data: &[u8]) -> [u8; LONGEST] {
    let mut sum = [0; LONGEST];
    let mut put = |bytes: &[u8]| sum[..bytes.len()].copy_from_slice(bytes);
    match kind {
        Checksum::Meta | Checksum::Pattern => {}
        Checksum::Crc7 => put(&[CRC7.checksum(data)]),
        Checksum::Crc16 => put(&CRC16.checksum(data).to_le_bytes()),
        Checksum::Crc32 => put(&CRC32.checksum(data).to_le_bytes()),
        Checksum::Crc32c => put(&CRC32C.checksum(data).to_le_bytes()),
        Checksum::Crc64 => put(&CRC64.checksum(data).to_le_bytes()),
        Checksum::Xxhash => put(&XxHash32::oneshot(XXHASH_SEED, data).to_le_bytes()),
        Checksum::Md5 => put(&md5::Md5::digest(data)),
        Checksum::Sha1 => put(&words_turned(&sha1::Sha1::digest(data))),
        Checksum::Sha256 => put(&last_block_256(data)),
        Checksum::Sha512 => put(&last_block_512(data)),
        Checksum::Sha3_224 => put(&sha3::Sha3_224::digest(data)),
        Checksum::Sha3_256 => put(&sha3::Sha3_256::digest(data)),
        Checksum::Sha3_384 => put(&sha3::Sha3_384::digest(data)),
        Checksum::Sha3_512 => put(&sha3::Sha3_512::digest(data)),
    }
    sum
}

/// The words of a SHA-1 digest in little-endian order.
fn words_turned(digest: &[u8]) -> [u8; 20] {
    let mut turned = [0; 20];
    for (turned, word) in turned.chunks_mut(4).zip(digest.chunks(4)) {
        turned.copy_from_slice(word);
        turned.reverse();
    }
    turned
}

/// Returns fio 3.33's value for SHA-256: the last block, padded with the length in little-endian order, whose first
/// eight bytes are replaced by the least significant byte of each word of the state.
fn last_block_256(data: &[u8]) -> [u8; 64] {
    let mut state = SHA256;
    let (blocks, rest) = data.as_chunks::<64>();
    for block in blocks {
        sha2::compress256(&mut state, &[*GenericArray::from_slice(block)]);
    }
    let mut last = [0; 64];
    last[..rest.len()].copy_from_slice(rest);
    last[rest.len()] = 0x80;
    if rest.len() >= 56 {
        sha2::compress256(&mut state, &[*GenericArray::from_slice(&last)]);
        last = [0; 64];
    }
    last[56..].copy_from_slice(&(data.len() as u64 * 8).to_le_bytes());
    sha2::compress256(&mut state, &[*GenericArray::from_slice(&last)]);
    for (byte, word) in last.iter_mut().zip(state) {
        *byte = word as u8;
    }
    last
}

/// Returns fio 3.33's value for SHA-512, which contains nothing of the state: the first block, its beginning
/// overwritten with the data after the last whole block. The data in between is not covered: damage to it is not found.
fn last_block_512(data: &[u8]) -> [u8; 128] {
    let (blocks, rest) = data.as_chunks::<128>();
    let mut kept = blocks.first().copied().unwrap_or([0; 128]);
    kept[..rest.len()].copy_from_slice(rest);
    kept
}
