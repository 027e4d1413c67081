// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// One thing that a program inside tries, what the internet must see of it and what must be on record, nothing else. `{h}` is a label of its own for each run. `under`: the policy
/// (a key of `EgressSuiteTest`). `looks`: names that are looked up; `arrives` and `records` are regular expressions, of which each is met and nothing else is there.
record EgressCase(String name, String under, String python, @Nullable BiConsumer<LabNames, String> zone, List<String> looks, List<String> arrives, List<String> records) {

    static EgressCase of(String name, String under, String python) {
        return new EgressCase(name, under, python, null, List.of(), List.of(), List.of());
    }

    static EgressCase web(String name, String python) {
        return of(name, "web", python);
    }

    static EgressCase every(String name, String python) {
        return of(name, "every", python);
    }

    EgressCase zone(BiConsumer<LabNames, String> what) {
        return new EgressCase(name, under, python, what, looks, arrives, records);
    }

    /// `{h}.allowed.test` leads there.
    EgressCase leads(String... addresses) {
        return zone((names, h) -> names.put(h + ".allowed.test", List.of(addresses))).looks("{h}.allowed.test");
    }

    EgressCase looks(String... what) {
        return new EgressCase(name, under, python, zone, List.of(what), arrives, records);
    }

    EgressCase arrives(String... what) {
        return new EgressCase(name, under, python, zone, looks, List.of(what), records);
    }

    EgressCase records(String... what) {
        return new EgressCase(name, under, python, zone, looks, arrives, List.of(what));
    }

    EgressCase with(String h) {
        return new EgressCase(name, under, python.replace("{h}", h), zone, replaced(looks, h), replaced(arrives, h), replaced(records, h));
    }

    private static List<String> replaced(List<String> all, String h) {
        return all.stream().map(one -> one.replace("{h}", h)).toList();
    }

    @Override
    public String toString() {
        return name;
    }
}
