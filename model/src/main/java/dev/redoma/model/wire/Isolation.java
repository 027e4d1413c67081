// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// What holds a sandbox, as this host observed it: tier, whether the kernel is shared, and known holes of it.
public record Isolation(String tier, String kernel, String runtime, String runtimeVersion, List<String> findings) {}
