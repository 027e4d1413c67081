// SPDX-License-Identifier: Apache-2.0
//! PID 1 of a sandbox: dials the engine and does what it asks (`guest/proto/guest.proto`).

mod answer;
mod channel;
mod conn;
mod content;
mod exec;
mod files;
pub mod frame;
pub mod guest;
mod input;
mod output;
pub mod proto;
mod session;
mod spawn;
pub mod start;
pub mod sys;
mod tree;
mod users;
mod walk;
pub mod wire;
mod worker;
