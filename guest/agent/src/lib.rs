// SPDX-License-Identifier: Apache-2.0
//! PID 1 of a sandbox: dials the engine and does what it asks (`guest/proto/guest.proto`).

mod answer;
mod archive_in;
mod archive_out;
mod beneath;
mod channel;
mod configure;
mod conn;
mod content;
mod exec;
mod files;
pub mod frame;
pub mod guest;
mod input;
mod keystore;
mod operations;
mod output;
mod pem;
mod ports;
pub mod proto;
mod relocate;
mod session;
mod sha1;
mod spawn;
pub mod start;
pub mod sys;
pub mod tar;
mod tree;
mod trust;
mod users;
mod walk;
mod watch;
pub mod wire;
mod worker;
