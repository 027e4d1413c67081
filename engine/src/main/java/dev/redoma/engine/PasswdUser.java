// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.nio.file.Path;

/// Who commands run as in a root file system: `user` where its /etc/passwd has one, else root.
final class PasswdUser {
    private static final String NAME = "user";

    private PasswdUser() {}

    static TemplateConfig configOf(Path layer) {
        boolean there = TreeFile.ofEtc(layer, "passwd").orElse("").lines().anyMatch(line -> line.startsWith(NAME + ":"));
        return TemplateConfig.of(there ? NAME : "root", null, null);
    }
}
