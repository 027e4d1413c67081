// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Masks;
import dev.redoma.ledger.redact.Patterns;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.store.Store;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What of commands is masked before it is kept or shown: their output, and their words.
final class ExecMasks {
    private static final Logger LOG = LoggerFactory.getLogger(ExecMasks.class);

    private final Masking masking;
    private final Store store;
    private final ExecLog log;

    ExecMasks(Masking masking, Store store, ExecLog log) {
        this.masking = masking;
        this.store = store;
        this.log = log;
    }

    MaskedOutput output(ExecFacts facts, Spool spool) {
        return new MaskedOutput(spool, new MaskedOutput.Current() {
            @Override
            public Patterns patterns() {
                return masking.output(facts.sandbox());
            }

            @Override
            public long changes() {
                return masking.changes(facts.sandbox());
            }
        }, () -> begun(facts));
    }

    /// On record before anything of it is shown. Where that fails the output is masked all the same, and the record of its end tells of it.
    private void begun(ExecFacts facts) {
        try {
            store.write(tx -> {
                log.masking(tx, facts);
                return true;
            });
        } catch (RedomaException e) {
            LOG.error("that output of {} is masked is not recorded before its end: {}", facts.id(), e.getMessage());
        }
    }

    /// What a refusal says to whoever started it; the guest's words may repeat what they were given.
    @SuppressWarnings("unchecked")
    RedomaException masked(SandboxId sandbox, RedomaException refused) {
        var p = refused.problem();
        var patterns = masking.words(sandbox);
        var hits = new Hits();
        var details = (Map<String, Object>) Masks.masked(p.details(), patterns, hits);
        var message = patterns.mask(p.message(), hits);
        return hits.counts().isEmpty() ? refused : new Problem(p.code(), p.layer(), message, p.remedy(), details).raise(refused);
    }

    String word(SandboxId sandbox, String word) {
        return masking.words(sandbox).mask(word, new Hits());
    }

    /// The guest is given what was asked for; this is what is kept and shown of it.
    ExecSpec kept(SandboxId sandbox, ExecSpec s) {
        var patterns = masking.words(sandbox);
        var hits = new Hits();
        var argv = s.argv().stream().map(word -> patterns.mask(word, hits)).toList();
        var label = s.label() == null ? null : patterns.mask(s.label(), hits);
        var cwd = s.cwd() == null ? null : patterns.mask(s.cwd(), hits);
        return new ExecSpec(argv, cwd, s.env(), s.user(), s.tty(), s.stdin(), s.timeoutMs(), s.outputLimitBytes(), label);
    }
}
