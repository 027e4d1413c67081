-- SPDX-License-Identifier: Apache-2.0
-- People, and which keys are theirs. Rows stay when somebody is disabled: records name them.
CREATE TABLE person (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, tenant TEXT NOT NULL, role TEXT NOT NULL, created_at INTEGER NOT NULL, disabled_at INTEGER
) STRICT;
CREATE UNIQUE INDEX person_name ON person (tenant, name) WHERE disabled_at IS NULL;
ALTER TABLE api_key ADD COLUMN person TEXT;      -- null: a program's
ALTER TABLE api_key ADD COLUMN issued_by TEXT;   -- the key by which it was made
ALTER TABLE api_key ADD COLUMN rotated_at INTEGER;
