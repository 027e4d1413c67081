// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

/// What a key may do. `APPROVE` is never held together with `CREATE` or `EXEC`.
public enum Scope {
    READ, CREATE, EXEC, APPROVE, OPERATE
}
