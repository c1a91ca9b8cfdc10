//! What other tools printed comes out as printed, figure by figure, even if the text has suffered.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod apart;
mod belonging;
mod benchmarks;
mod bounds;
mod commands;
mod continued;
mod diskspd;
mod forms;
mod fragments;
mod generations;
mod iostat;
mod iostat_text;
mod layers;
mod marks;
mod mistakable;
mod monitoring;
mod pastes;
mod peers;
mod perfmon;
mod small_benchmarks;
mod sources;
mod stated;
mod suffered;
mod sysstat;
mod vocabulary;
