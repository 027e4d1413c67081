// SPDX-License-Identifier: Apache-2.0
/// The JSON shapes of the native API `/v1`, used by server and client alike. Names are camelCase; units stand in the name
/// (`Bytes`, `Ms`); instants are RFC 3339 in UTC; a null component is left out. Enums are lower case with `-` for `_`.
@org.jspecify.annotations.NullMarked
package dev.redoma.model.wire;
