// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// Something that can be reached under a policy. `hosts`: a name, `*.suffix`, `*`, or a range of addresses; more specific lines count before it. `to`: what addresses
/// it may lead to. `passage`: what the gateway sees of it (`http`: requests; `tls`: names only; `tcp`: bytes). Empty `methods` and `paths`: any. `rules`: who allows it, with its place, the outermost first.
public record PolicyReach(String egressClass, String hosts, String ports, String to, String passage, List<String> methods, List<String> paths, List<String> rules) {}
