//! System calls turned into safe owners; the only crate with unsafe.
#![allow(unsafe_code)]
