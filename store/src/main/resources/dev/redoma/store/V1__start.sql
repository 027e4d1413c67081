-- SPDX-License-Identifier: Apache-2.0
-- Instants are microseconds since the epoch; JSON is text. A state change and its ledger record are one transaction.

CREATE TABLE installation (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE api_key (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, tenant TEXT NOT NULL, scopes TEXT NOT NULL,   -- comma separated, lower case
    hash BLOB NOT NULL UNIQUE, created_at INTEGER NOT NULL, revoked_at INTEGER
) STRICT;

CREATE TABLE template (
    digest TEXT NOT NULL, name TEXT NOT NULL, source TEXT NOT NULL, state TEXT NOT NULL, layers TEXT NOT NULL,  -- JSON [{layer|snapshot, uidBase}], top first
    config TEXT NOT NULL DEFAULT '{}',   -- JSON {user, cwd, env}
    size_bytes INTEGER NOT NULL, message TEXT, created_at INTEGER NOT NULL, current INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (name, digest)
) STRICT;

CREATE TABLE sandbox (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, name TEXT, state TEXT NOT NULL,
    target TEXT,                          -- the effect that was begun and not yet confirmed (create, start, stop, pause, resume, reset, kill), else null
    template_name TEXT NOT NULL, template_digest TEXT NOT NULL, layers TEXT NOT NULL,
    labels TEXT NOT NULL, env TEXT NOT NULL, limits TEXT NOT NULL, isolation TEXT NOT NULL,
    privileges TEXT NOT NULL, policy TEXT NOT NULL, reopen TEXT NOT NULL, on_timeout TEXT NOT NULL, untrusted INTEGER NOT NULL DEFAULT 0,
    uid_base INTEGER, instance_name TEXT, instance_pid INTEGER, instance_start INTEGER,
    created_at INTEGER NOT NULL, created_by TEXT NOT NULL, started_at INTEGER, ends_at INTEGER, remaining_us INTEGER, ended_at INTEGER,
    active_at INTEGER NOT NULL, starts INTEGER NOT NULL DEFAULT 0, warm INTEGER NOT NULL DEFAULT 0,
    reason TEXT, reason_limit TEXT, reason_message TEXT, reason_at INTEGER, forked_from TEXT
) STRICT;
CREATE INDEX sandbox_by_tenant ON sandbox (tenant, created_at, id);
-- Holds all that quotas and admission ask, so that ended rows and wide columns cost a create nothing.
CREATE INDEX sandbox_live ON sandbox (tenant, state, target, json_extract(limits, '$.memoryBytes'), json_extract(limits, '$.pids'),
    json_extract(limits, '$.diskBytes')) WHERE state <> 'ended';
CREATE UNIQUE INDEX sandbox_name ON sandbox (tenant, name) WHERE name IS NOT NULL AND state <> 'ended';

CREATE TABLE uid_range (base INTEGER PRIMARY KEY, owner TEXT NOT NULL) STRICT;    -- owner: sandbox, snapshot or warm member

CREATE TABLE exec (
    id TEXT PRIMARY KEY, sandbox TEXT NOT NULL REFERENCES sandbox (id), tenant TEXT NOT NULL, spec TEXT NOT NULL,  -- JSON ExecSpec
    cwd TEXT NOT NULL, user TEXT NOT NULL, label TEXT, state TEXT NOT NULL, pid INTEGER, boot INTEGER, started_by TEXT NOT NULL,
    started_at INTEGER NOT NULL, deadline INTEGER, ended_at INTEGER, exit_code INTEGER, signal INTEGER,
    timed_out INTEGER NOT NULL DEFAULT 0, killed INTEGER NOT NULL DEFAULT 0, oom_killed INTEGER NOT NULL DEFAULT 0, reason TEXT,
    wall_us INTEGER, cpu_us INTEGER, peak_bytes INTEGER,
    output_bytes INTEGER NOT NULL DEFAULT 0, dropped_bytes INTEGER NOT NULL DEFAULT 0, output_closed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX exec_by_sandbox ON exec (sandbox, started_at, id);

CREATE TABLE snapshot (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, name TEXT, sandbox TEXT NOT NULL, state TEXT NOT NULL, target TEXT,
    template_name TEXT NOT NULL, template_digest TEXT NOT NULL, layers TEXT NOT NULL, digest TEXT NOT NULL, labels TEXT NOT NULL,
    config TEXT NOT NULL DEFAULT '{}', hidden INTEGER NOT NULL DEFAULT 0,       -- hidden: made by a fork
    uid_base INTEGER NOT NULL, created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE idempotency (
    key TEXT NOT NULL, caller TEXT NOT NULL, request_hash TEXT NOT NULL, sandbox TEXT, created_at INTEGER NOT NULL,
    PRIMARY KEY (caller, key)
) STRICT;

CREATE TABLE system_log (sandbox TEXT NOT NULL, at INTEGER NOT NULL, line TEXT NOT NULL) STRICT;
CREATE INDEX system_log_by_sandbox ON system_log (sandbox, at);

-- The ledger. `body` is the canonical form that `hash` covers; `sealed` the encrypted fields (their SHA-256 is inside `body`).
CREATE TABLE record (
    tenant TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, sandbox TEXT, exec TEXT, category TEXT NOT NULL, action TEXT NOT NULL,
    body TEXT NOT NULL, sealed BLOB, prev BLOB NOT NULL, hash BLOB NOT NULL,
    PRIMARY KEY (tenant, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_by_sandbox ON record (sandbox, seq);
CREATE TABLE head (
    tenant TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, at INTEGER NOT NULL, key TEXT NOT NULL, signature TEXT NOT NULL,   -- as they stand in heads.log
    PRIMARY KEY (tenant, seq)
) STRICT;
CREATE TABLE body_key (sandbox TEXT PRIMARY KEY, tenant TEXT NOT NULL, wrapped BLOB, erased_at INTEGER) STRICT;
