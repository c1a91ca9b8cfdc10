//! Answers to requests, and the rules under which a browser may use them.

use std::sync::Arc;

use crate::feed::Feed;

/// The served content. One thread asks for it, one request after another, and an answer must not take long.
pub trait Site: Send + Sync {
    /// Returns the answer to an admitted request.
    fn answer(&self, asked: &SiteRequest<'_>) -> Answer;

    /// Returns the feed behind [`Answer::news`]; `None` if the site never has any news.
    fn feed(&self) -> Option<&Feed> {
        None
    }
}

/// An admitted request.
#[derive(Clone, Copy, Debug)]
pub struct SiteRequest<'a> {
    /// The path below the token, without a leading `/`.
    pub path: &'a str,
    /// The accepted formats, as the request's `Accept` header gives them.
    pub accept: &'a str,
}

/// An answer to a request.
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
    /// The site's feed, as it arrives.
    News,
}

/// Permissions of a page, sent as its `Content-Security-Policy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// None: for content that is not a page, or a standalone page without a script.
    #[default]
    Nothing,
    /// Fetching from its own origin and framing pages from there; no other page may frame it.
    Own,
    /// Permissions of a report. It runs only its embedded script, which its own policy names by hash (both policies
    /// apply), and loads nothing. Only pages of its own origin may frame it.
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
    /// Returns an answer with an HTML page.
    pub fn page(body: Arc<[u8]>, rules: Rules) -> Answer {
        Answer { rules, ..Answer::of("text/html; charset=utf-8", body) }
    }

    /// Returns an answer with `body` of the MIME type `kind`.
    pub fn of(kind: &'static str, body: Arc<[u8]>) -> Answer {
        Answer { status: Status::Found, kind, rules: Rules::Nothing, body: Body::Whole(body) }
    }

    /// Returns an answer that sends the site's feed for as long as the client listens.
    pub fn news() -> Answer {
        Answer { body: Body::News, ..Answer::of("text/event-stream", Arc::from([])) }
    }

    /// Returns the answer that there is no such page (404).
    pub fn nothing() -> Answer {
        Answer::refused(Status::NotFound)
    }

    pub(crate) fn refused(status: Status) -> Answer {
        let words = format!("{}\n", status.words());
        Answer { status, ..Answer::of("text/plain; charset=utf-8", words.into_bytes().into()) }
    }
}

/// Status of an answer.
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
    /// Returns number and name (RFC 9110, RFC 6585).
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
