// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import java.util.List;

/// A whole list.
public record Items<T>(List<T> items) {}
