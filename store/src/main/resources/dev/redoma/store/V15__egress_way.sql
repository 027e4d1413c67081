-- SPDX-License-Identifier: Apache-2.0
-- What each way out of a sandbox counted itself, to be compared at its end with what is on record. `since`: the first record of it. Not `settled`: whoever counted was killed, or could not write.
CREATE TABLE egress_way (
    sandbox     TEXT NOT NULL,
    way         TEXT NOT NULL,
    since       INTEGER NOT NULL,
    settled     INTEGER NOT NULL DEFAULT 0,
    connections INTEGER NOT NULL DEFAULT 0,
    up          INTEGER NOT NULL DEFAULT 0,
    down        INTEGER NOT NULL DEFAULT 0,
    refused     INTEGER NOT NULL DEFAULT 0,
    unended     INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (sandbox, way)
) STRICT, WITHOUT ROWID;
