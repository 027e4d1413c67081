// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.PolicyDifference;
import dev.redoma.model.wire.PolicyExplanation;
import dev.redoma.model.wire.PolicyProposal;

/// Policies, those of sandboxes and those that are only asked about. A policy in a request is a name or the text of a policy file; it stands under the floors of the caller's tenant.
public interface Policies {

    /// What the policy would be in force as. Refused as a create with it would be.
    PolicyExplanation explain(Caller caller, String policy);

    PolicyDifference difference(Caller caller, String before, String after);

    /// What is in force for a sandbox.
    PolicyExplanation of(Caller caller, String sandbox);

    /// In force when this returns, running or not.
    PolicyExplanation change(Caller caller, String sandbox, String policy);

    /// The policy that the wishes mean for this caller, to create a sandbox with or to change one to. Where nothing is wished it is what a request that says nothing gets.
    String written(Caller caller, NetworkWishes wishes);

    /// What is in force for a sandbox, as wishes: those that its policy was written for; else only whether anything leaves.
    NetworkWishes network(Caller caller, String sandbox);

    /// The least that would have allowed what a sandbox was refused. Nothing is changed by it.
    PolicyProposal learn(Caller caller, String sandbox);
}
