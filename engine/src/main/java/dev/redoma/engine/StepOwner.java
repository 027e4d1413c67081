// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.List;
import java.util.Optional;

/// Whom copied files belong to, in numbers: `name`, `uid`, `name:group` or `uid:gid`, looked up in the files of the sandbox (hostile: a line
/// that makes no sense is skipped). As Docker has it, a number without a group is its own group.
record StepOwner(long uid, long gid) {
    static final StepOwner ROOT = new StepOwner(0, 0);
    private static final long MOST = 65_535;

    static StepOwner of(String owner, String passwd, String group) {
        int colon = owner.indexOf(':');
        String user = colon < 0 ? owner : owner.substring(0, colon);
        Optional<List<String>> line = entry(passwd, user, 7);
        long uid = number(user).or(() -> line.flatMap(f -> number(f.get(2))))
                .orElseThrow(() -> BuildState.refused("there is no user '" + RequestRules.shown(user) + "' in /etc/passwd"));
        if (colon < 0) {
            return new StepOwner(uid, number(user).isPresent() ? uid : line.flatMap(f -> number(f.get(3))).orElse(uid));
        }
        String name = owner.substring(colon + 1);
        long gid = number(name).or(() -> entry(group, name, 4).flatMap(f -> number(f.get(2))))
                .orElseThrow(() -> BuildState.refused("there is no group '" + RequestRules.shown(name) + "' in /etc/group"));
        return new StepOwner(uid, gid);
    }

    private static Optional<List<String>> entry(String file, String name, int fields) {
        return file.lines().map(l -> List.of(l.split(":", -1))).filter(f -> f.size() == fields && f.getFirst().equals(name)).findFirst();
    }

    private static Optional<Long> number(String text) {
        if (!text.matches("[0-9]{1,5}")) {
            return Optional.empty();
        }
        long id = Long.parseLong(text);
        return id <= MOST ? Optional.of(id) : Optional.empty();
    }
}
