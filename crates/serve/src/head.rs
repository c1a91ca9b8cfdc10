//! The head of a request: what of it is read, and what is refused before anybody is asked.

use httparse::{EMPTY_HEADER, Error, Header, Request, Status as Parsed};

use crate::site::Status;

/// Bytes of a head; a browser's is about one thousand.
pub(crate) const HEAD_MOST: usize = 8 << 10;
/// Lines of a head; a browser's are about twenty.
const LINES_MOST: usize = 64;

/// What is asked for, as far as anything here looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Whether the body is wanted, or its length alone.
    pub(crate) wants: Wanted,
    /// The path, decoded, from its first `/` on and without what follows a `?`.
    pub(crate) path: String,
    /// Whom the browser believes to talk to.
    pub(crate) host: String,
    /// On whose page the request was made, where a page made it.
    pub(crate) origin: Option<String>,
    /// The forms that are wanted.
    pub(crate) accept: String,
}

/// The two methods there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// GET.
    Body,
    /// HEAD.
    HeadAlone,
}

/// What has come of a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// A part.
    More,
    /// All of it.
    Whole(Head),
    /// Enough to know that it is not answered.
    Refused(Status),
}

/// Reads what has come so far, `bytes`, which are at most [`HEAD_MOST`].
pub(crate) fn read(bytes: &[u8]) -> Read {
    let mut lines = [EMPTY_HEADER; LINES_MOST];
    let mut request = Request::new(&mut lines);
    match request.parse(bytes) {
        Ok(Parsed::Partial) if bytes.len() < HEAD_MOST => Read::More,
        Ok(Parsed::Partial) | Err(Error::TooManyHeaders) => Read::Refused(Status::HeadTooLarge),
        Err(_) => Read::Refused(Status::BadRequest),
        Ok(Parsed::Complete(_)) => whole(&request).map_or_else(Read::Refused, Read::Whole),
    }
}

fn whole(request: &Request<'_, '_>) -> Result<Head, Status> {
    let wants = match request.method {
        Some("GET") => Wanted::Body,
        Some("HEAD") => Wanted::HeadAlone,
        _ => return Err(Status::MethodNotAllowed),
    };
    // What has a body is no GET of a browser; it would be left unread.
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

/// The line of this name, which may be there once: of two, one reader takes the first and another the last.
fn one(request: &Request<'_, '_>, name: &str) -> Result<Option<String>, Status> {
    let mut values = request.headers.iter().filter(|line| line.name.eq_ignore_ascii_case(name));
    let first = values.next().map(|line| String::from_utf8(line.value.to_vec()));
    if values.next().is_some() {
        return Err(Status::BadRequest);
    }
    first.transpose().map_err(|_| Status::BadRequest)
}

/// `%2F` and the like as what they stand for; `None` for what is no text or holds control characters.
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
