// SPDX-License-Identifier: Apache-2.0
/// E2B's control plane: sandboxes, templates, volumes as its SDKs and its command line ask for them, on the port of the native API.
@org.jspecify.annotations.NullMarked
package dev.redoma.protocols.e2b.control;
