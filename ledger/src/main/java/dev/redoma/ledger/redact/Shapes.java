// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// Tokens that say themselves what they are, as their issuers document them. Identifiers without such a prefix cannot be told from other text.
final class Shapes {
    private static final BitSet ALNUM = Shape.set("A-Za-z0-9");
    private static final BitSet WORD = Shape.set("A-Za-z0-9_");
    private static final BitSet URL = Shape.set("A-Za-z0-9_-");
    private static final BitSet DOTTED = Shape.set("A-Za-z0-9_.-");
    private static final BitSet HEX = Shape.set("0-9a-f");
    private static final BitSet UPPER = Shape.set("A-Z0-9");
    static final BitSet PEM = Shape.set("A-Za-z0-9+/=");

    static final List<Shape> ALL = all();

    private Shapes() {}

    private static List<Shape> all() {
        var all = new ArrayList<Shape>();
        add(all, "github", ALNUM, 36, "ghp_", "gho_", "ghu_", "ghs_", "ghr_");
        add(all, "github", WORD, 22, "github_pat_");
        add(all, "gitlab", DOTTED, 20, "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-");
        add(all, "aws", UPPER, 16, "AKIA", "ASIA");
        add(all, "google", URL, 35, "AIza");
        add(all, "google", URL, 24, "GOCSPX-");
        add(all, "google", DOTTED, 40, "ya29.");
        add(all, "slack", URL, 20, "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-");
        add(all, "openai", URL, 32, "sk-proj-", "sk-svcacct-", "sk-admin-");
        add(all, "anthropic", URL, 32, "sk-ant-");
        add(all, "openrouter", HEX, 40, "sk-or-v1-");
        add(all, "llm", ALNUM, 40, "sk-");
        add(all, "groq", ALNUM, 40, "gsk_");
        add(all, "huggingface", ALNUM, 30, "hf_");
        add(all, "xai", ALNUM, 60, "xai-");
        add(all, "replicate", ALNUM, 36, "r8_");
        add(all, "perplexity", ALNUM, 40, "pplx-");
        add(all, "stripe", ALNUM, 24, "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_");
        add(all, "npm", ALNUM, 36, "npm_");
        add(all, "pypi", URL, 50, "pypi-AgEI");
        add(all, "rubygems", HEX, 48, "rubygems_");
        add(all, "docker", URL, 20, "dckr_pat_", "dckr_oat_");
        add(all, "digitalocean", HEX, 60, "dop_v1_", "doo_v1_", "dor_v1_");
        add(all, "sendgrid", DOTTED, 60, "SG.");
        add(all, "shopify", Shape.set("0-9a-fA-F"), 32, "shpat_", "shpca_", "shppa_", "shpss_");
        add(all, "linear", ALNUM, 32, "lin_api_", "lin_oauth_");
        add(all, "notion", ALNUM, 40, "ntn_");
        add(all, "vault", DOTTED, 24, "hvs.", "hvb.", "hvr.");
        add(all, "grafana", WORD, 32, "glsa_");
        add(all, "databricks", Shape.set("0-9a-f-"), 32, "dapi");
        add(all, "redoma", HEX, 40, "e2b_");
        add(all, "redoma", DOTTED, 24, "rpt1.");
        add(all, "age", UPPER, 58, "AGE-SECRET-KEY-1");
        for (var start : List.of("eyJhbGci", "eyJ0eXAi", "eyJraWQi", "eyJlbmMi", "eyJjdHki", "eyJ4NX", "eyJqa3Ui", "eyJqd2si", "eyJjcml0Ijpb", "eyAi", "ewogIC")) {
            all.add(new Shape("jwt", start, true, URL, 10, Shape.Grammar.JWT));
        }
        all.add(new Shape("private-key", "-----BEGIN ", false, PEM, 40, Shape.Grammar.PEM));
        return List.copyOf(all);
    }

    private static void add(List<Shape> all, String name, BitSet run, int least, String... prefixes) {
        for (var prefix : prefixes) {
            all.add(new Shape(name, prefix, true, run, least, Shape.Grammar.RUN));
        }
    }
}
