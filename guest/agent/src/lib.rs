// SPDX-License-Identifier: Apache-2.0
//! PID 1 of a sandbox: dials the engine and does what it asks (`guest/proto/guest.proto`).

pub mod proto;
pub mod wire;
