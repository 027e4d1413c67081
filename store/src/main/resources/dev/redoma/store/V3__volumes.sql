-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE volume (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL,                   -- volume; cache: what a tenant's sandboxes of a template get copies of; copy: that of one sandbox
    state TEXT NOT NULL, target TEXT,     -- as in sandbox: create, resize, delete
    size_bytes INTEGER NOT NULL, shared INTEGER NOT NULL DEFAULT 0, uid INTEGER NOT NULL, gid INTEGER NOT NULL, labels TEXT NOT NULL,
    template TEXT, sandbox TEXT,          -- of a cache: the template's name; of a copy: whose it is
    created_at INTEGER NOT NULL, created_by TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX volume_name ON volume (tenant, name) WHERE kind = 'volume';
CREATE INDEX volume_of_sandbox ON volume (sandbox) WHERE sandbox IS NOT NULL;
-- JSON [{volume, name, path, readOnly, cache}] and {from, path, commit}
ALTER TABLE sandbox ADD COLUMN mounts TEXT NOT NULL DEFAULT '[]';
ALTER TABLE sandbox ADD COLUMN workspace TEXT;
CREATE INDEX sandbox_with_mounts ON sandbox (tenant) WHERE mounts <> '[]' AND state <> 'ended';
