// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// What a policy would have to say for the refusals of a sandbox not to happen. Nothing is changed by it. `text`: a policy file; `left`: what it leaves out, and why.
public record PolicyProposal(String text, List<String> left) {}
