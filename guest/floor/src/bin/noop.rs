// SPDX-License-Identifier: Apache-2.0
//! A static program that does nothing.
fn main() {}
