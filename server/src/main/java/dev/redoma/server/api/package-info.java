// SPDX-License-Identifier: Apache-2.0
/// The native API `/v1`: one class a resource, each operation described once for the router and for OpenAPI.
@org.jspecify.annotations.NullMarked
package dev.redoma.server.api;
