//! What is answered, and under which rules a browser may use it.

use std::sync::Arc;

use crate::feed::Feed;

/// What somebody serves. It is asked from one thread, one request after the other, and must not take long.
pub trait Site: Send + Sync {
    /// The answer to a request that was let in.
    fn answer(&self, asked: &Asked<'_>) -> Answer;

    /// What is new, for those who ask for [`Answer::news`]; `None` where nothing ever is.
    fn feed(&self) -> Option<&Feed> {
        None
    }
}

/// A request that was let in.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The path below the token, without a `/` in front.
    pub path: &'a str,
    /// The forms that are wanted, as the request says them.
    pub accept: &'a str,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub(crate) status: Status,
    pub(crate) kind: &'static str,
    pub(crate) rules: Rules,
    pub(crate) body: Body,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    Whole(Arc<[u8]>),
    /// What is new, as it comes.
    News,
}

/// What a page may do, for its `Content-Security-Policy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// Nothing: no page, or one that is shown alone and runs nothing.
    #[default]
    Nothing,
    /// Fetch from where it came from, and show pages from there inside it; nobody shows it inside theirs.
    Own,
    /// A report. It runs what it holds itself and loads nothing; which script that is, its own policy says by its hash, and
    /// both hold. Only pages from where it came from may show it inside them.
    Report,
}

impl Rules {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Rules::Nothing => {
                "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            }
            Rules::Own => {
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            }
            Rules::Report => {
                "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
            }
        }
    }
}

impl Answer {
    /// A page.
    pub fn page(body: Arc<[u8]>, rules: Rules) -> Answer {
        Answer { rules, ..Answer::of("text/html; charset=utf-8", body) }
    }

    /// Bytes of this kind, a MIME type.
    pub fn of(kind: &'static str, body: Arc<[u8]>) -> Answer {
        Answer { status: Status::Found, kind, rules: Rules::Nothing, body: Body::Whole(body) }
    }

    /// The site's feed, for as long as the other side listens.
    pub fn news() -> Answer {
        Answer { body: Body::News, ..Answer::of("text/event-stream", Arc::from([])) }
    }

    /// There is no such thing.
    pub fn nothing() -> Answer {
        Answer::refused(Status::NotFound)
    }

    pub(crate) fn refused(status: Status) -> Answer {
        let words = format!("{}\n", status.words());
        Answer { status, ..Answer::of("text/plain; charset=utf-8", words.into_bytes().into()) }
    }
}

/// How a request went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Found,
    BadRequest,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    HeadTooLarge,
    Busy,
}

impl Status {
    /// Number and name (RFC 9110, RFC 6585).
    pub(crate) fn words(self) -> &'static str {
        match self {
            Status::Found => "200 OK",
            Status::BadRequest => "400 Bad Request",
            Status::Forbidden => "403 Forbidden",
            Status::NotFound => "404 Not Found",
            Status::MethodNotAllowed => "405 Method Not Allowed",
            Status::HeadTooLarge => "431 Request Header Fields Too Large",
            Status::Busy => "503 Service Unavailable",
        }
    }
}
