//! The program beside its peers: the same command lines for fio, ioping, iostat, readers of their output, and a browser.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod compare_fio;
mod crystal_peer;
mod effects;
mod fio_against;
mod fio_around;
mod fio_cases;
mod fio_conformance;
mod fio_data;
mod fio_dumps;
mod fio_examples;
mod fio_files;
mod fio_formats;
mod fio_headers;
mod fio_io;
mod fio_json;
mod fio_logs;
mod fio_metadata;
mod fio_pace;
mod fio_peer;
mod fio_plot;
mod fio_readers;
mod fio_states;
mod fio_traces;
mod fio_trims;
mod gallery;
mod guide_pandas;
mod ioping_peer;
mod iostat_peer;
mod live_page;
#[path = "../machine/mod.rs"]
mod machine;
mod page_frame;
mod page_zoom;
mod prometheus_peer;
mod recording;
