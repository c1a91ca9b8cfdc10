//! The head of a request: the parts of it that are read, and the requests refused without asking the site.

use httparse::{EMPTY_HEADER, Error, Header, Request, Status as ParseStatus};

use crate::site::Status;

/// Most bytes of a head; a browser's has about one thousand.
pub(crate) const HEAD_MOST: usize = 8 << 10;
/// Most lines of a head; a browser's has about twenty.
const LINES_MOST: usize = 64;

/// The parts of a request that this crate uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Whether the body is wanted, or only its length.
    pub(crate) wants: RequestMethod,
    /// The path, decoded, starting with its first `/` and without the query after a `?`.
    pub(crate) path: String,
    /// The host that the client believes it is talking to.
    pub(crate) host: String,
    /// The origin of the page that made the request, if a page made it.
    pub(crate) origin: Option<String>,
    /// Accepted formats.
    pub(crate) accept: String,
}

/// The two supported methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestMethod {
    /// GET.
    Body,
    /// HEAD.
    HeadAlone,
}

/// The state of a head after the bytes so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeadState {
    /// Incomplete.
    More,
    /// Complete.
    Whole(Head),
    /// The bytes so far show that the request will be refused.
    Refused(Status),
}

/// Reads the bytes that have arrived so far, at most [`HEAD_MOST`].
pub(crate) fn read(bytes: &[u8]) -> HeadState {
    let mut lines = [EMPTY_HEADER; LINES_MOST];
    let mut request = Request::new(&mut lines);
    match request.parse(bytes) {
        Ok(ParseStatus::Partial) if bytes.len() < HEAD_MOST => HeadState::More,
        Ok(ParseStatus::Partial) | Err(Error::TooManyHeaders) => HeadState::Refused(Status::HeadTooLarge),
        Err(_) => HeadState::Refused(Status::BadRequest),
        Ok(ParseStatus::Complete(_)) => whole(&request).map_or_else(HeadState::Refused, HeadState::Whole),
    }
}

fn whole(request: &Request<'_, '_>) -> Result<Head, Status> {
    let wants = match request.method {
        Some("GET") => RequestMethod::Body,
        Some("HEAD") => RequestMethod::HeadAlone,
        _ => return Err(Status::MethodNotAllowed),
    };
    // A browser's GET has no body; if there is one, it would be left unread.
    let has_body = |line: &Header<'_>| {
        line.name.eq_ignore_ascii_case("transfer-encoding")
            || line.name.eq_ignore_ascii_case("content-length") && line.value != b"0"
    };
    if request.headers.iter().any(has_body) {
        return Err(Status::BadRequest);
    }
    let target = request.path.unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default();
    Ok(Head {
        wants,
        path: decoded(path).filter(|path| path.starts_with('/')).ok_or(Status::BadRequest)?,
        host: one(request, "host")?.ok_or(Status::BadRequest)?,
        origin: one(request, "origin")?,
        accept: one(request, "accept").unwrap_or_default().unwrap_or_default(),
    })
}

/// Returns the header of this name, which may occur only once: of two, one parser takes the first and another the
/// last.
fn one(request: &Request<'_, '_>, name: &str) -> Result<Option<String>, Status> {
    let mut values = request.headers.iter().filter(|line| line.name.eq_ignore_ascii_case(name));
    let first = values.next().map(|line| String::from_utf8(line.value.to_vec()));
    if values.next().is_some() {
        return Err(Status::BadRequest);
    }
    first.transpose().map_err(|_| Status::BadRequest)
}

/// Decodes `%2F` and the like; `None` if the result is not UTF-8 or holds control characters.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, behind @ ..] = rest {
        let (byte, behind) = match (first, behind) {
            (b'%', [high, low, behind @ ..]) => (hex(*high)? << 4 | hex(*low)?, behind),
            (b'%', _) => return None,
            _ => (*first, behind),
        };
        bytes.push(byte);
        rest = behind;
    }
    String::from_utf8(bytes).ok().filter(|path| !path.chars().any(char::is_control))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
