//! Range of the requests: the working set on a target, and the length of a request.

use workload::Bytes;

use super::asked::{IopingRequest, Mix};
use super::error::IopingError;

/// Kind of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A directory, in which a file is created.
    Directory,
    /// A regular file.
    File,
    /// A block device.
    BlockDevice,
    /// A character device.
    CharacterDevice,
}

/// The part of a target that requests use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Start of the region in bytes.
    pub offset: u64,
    /// Length of the region in bytes.
    pub bytes: u64,
    /// Length of a request in bytes.
    pub request: u64,
}

/// Most bytes that one system call moves, however many are requested (the kernel's `MAX_RW_COUNT`).
const MOST: u64 = (1 << 31) - 4096;
const DIRECTORY: Bytes = Bytes::mib(1);
const RAPID: Bytes = Bytes::mib(64);

impl Region {
    /// The region of `asked` on a target of `kind` that is `there` bytes long.
    ///
    /// # Errors
    /// [`IopingError`] if the region does not fit, or if `-W` has not been given three times.
    pub fn of(asked: &IopingRequest, kind: Kind, there: Bytes) -> Result<Region, IopingError> {
        let request = asked.request_bytes().0;
        if request > MOST {
            return Err(IopingError::Longest(MOST));
        }
        if kind != Kind::Directory && asked.mix() != Mix::Read && asked.writes < 3 {
            return Err(IopingError::ThinkTwice);
        }
        let offset = asked.work_offset.0;
        let wanted = asked.work_size.filter(|size| size.0 > 0).map(|size| size.0);
        let bytes = match kind {
            Kind::Directory => wanted.unwrap_or_else(|| in_a_directory(asked).0.max(request)),
            // A character device has no length.
            Kind::CharacterDevice => wanted.unwrap_or(request),
            Kind::File | Kind::BlockDevice => {
                let left = there.0.checked_sub(offset).ok_or(IopingError::TooSmall { there })?;
                let bytes = wanted.unwrap_or(left);
                if bytes > left {
                    return Err(IopingError::TooSmall { there });
                }
                bytes
            }
        };
        if request > bytes {
            return Err(IopingError::RequestTooBig { request: Bytes(request), room: Bytes(bytes) });
        }
        if offset.checked_add(bytes).is_none_or(|end| i64::try_from(end).is_err()) {
            return Err(IopingError::TooSmall { there });
        }
        Ok(Region { offset, bytes, request })
    }

    /// Number of possible offsets of a request.
    pub fn places(&self) -> u64 {
        (self.bytes / self.request).max(1)
    }

    /// End of the region in bytes.
    pub fn end(&self) -> u64 {
        self.offset + self.bytes
    }
}

fn in_a_directory(asked: &IopingRequest) -> Bytes {
    if asked.rapid { RAPID } else { DIRECTORY }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Kind, there: u64, change: impl Fn(&mut IopingRequest)) -> Result<(u64, u64, u64), String> {
        let mut asked = IopingRequest::untyped();
        change(&mut asked);
        let region = Region::of(&asked, kind, Bytes(there)).map_err(|error| error.to_string())?;
        Ok((region.offset, region.bytes, region.request))
    }

    #[test]
    fn a_directory_gets_a_mebibyte_or_what_a_request_takes() {
        assert_eq!(of(Kind::Directory, 0, |_| ()), Ok((0, 1 << 20, 4096)));
        assert_eq!(of(Kind::Directory, 0, |a| a.rapid = true), Ok((0, 64 << 20, 4096)));
        assert_eq!(of(Kind::Directory, 0, |a| a.size = Some(Bytes::mib(2))), Ok((0, 2 << 20, 2 << 20)));
        assert_eq!(of(Kind::Directory, 0, |a| a.size = Some(Bytes(0))), Ok((0, 1 << 20, 4096)));
    }

    #[test]
    fn a_file_is_used_whole_and_never_beyond_its_end() {
        assert_eq!(of(Kind::File, 4 << 20, |_| ()), Ok((0, 4 << 20, 4096)));
        assert_eq!(of(Kind::File, 4 << 20, |a| a.work_offset = Bytes::mib(1)), Ok((1 << 20, 3 << 20, 4096)));
        let small = Err("target is too small for this".to_owned());
        assert_eq!(of(Kind::File, 4 << 20, |a| a.work_offset = Bytes::mib(8)), small);
        assert_eq!(of(Kind::File, 4 << 20, |a| a.work_size = Some(Bytes::mib(5))), small);
        let big = Err("request size is too big for this target".to_owned());
        assert_eq!(of(Kind::File, 0, |_| ()), big);
        assert_eq!(of(Kind::Directory, 0, |a| a.work_size = Some(Bytes(1024))), big);
    }

    #[test]
    fn writing_over_a_target_is_asked_for_three_times() {
        let twice = Err("think twice, then use -WWW to shred this target".to_owned());
        for kind in [Kind::File, Kind::BlockDevice, Kind::CharacterDevice] {
            assert_eq!(of(kind, 1 << 20, |a| a.writes = 2), twice);
            assert_eq!(of(kind, 1 << 20, |a| a.alternate = true), twice);
            assert!(of(kind, 1 << 20, |a| a.writes = 3).is_ok());
        }
        assert!(of(Kind::Directory, 0, |a| a.writes = 1).is_ok());
    }

    #[test]
    fn a_request_longer_than_a_call_can_move_is_refused() {
        assert!(of(Kind::Directory, 0, |a| a.size = Some(Bytes::gib(3))).is_err());
    }
}
