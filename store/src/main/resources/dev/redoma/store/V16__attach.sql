-- SPDX-License-Identifier: Apache-2.0
-- Who may join what runs in a sandbox, and who has joined: an attachment's row goes with the record of its end, so that what a server that died left open is seen by the next.
CREATE TABLE attach_grant (
    id TEXT PRIMARY KEY, sandbox TEXT NOT NULL, tenant TEXT NOT NULL, person TEXT, key TEXT, exec TEXT, mode TEXT NOT NULL,
    created_at INTEGER NOT NULL, created_by TEXT NOT NULL, expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX attach_grant_by_sandbox ON attach_grant (sandbox);
CREATE TABLE attachment (
    id TEXT PRIMARY KEY, sandbox TEXT NOT NULL, tenant TEXT NOT NULL, exec TEXT NOT NULL, mode TEXT NOT NULL, key TEXT NOT NULL, person TEXT, by_grant TEXT, since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
