-- SPDX-License-Identifier: Apache-2.0
-- A snapshot's name may have several, told apart by tags; how long it stays; what was ordered of its contents and what was taken out (JSON).
ALTER TABLE snapshot ADD COLUMN expires_at INTEGER;
ALTER TABLE snapshot ADD COLUMN keep_count INTEGER;
ALTER TABLE snapshot ADD COLUMN contents TEXT NOT NULL DEFAULT '{}';
CREATE INDEX snapshot_by_digest ON snapshot (digest);
CREATE TABLE snapshot_tag (
    tenant TEXT NOT NULL, name TEXT NOT NULL, tag TEXT NOT NULL, snapshot TEXT NOT NULL, moved_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, name, tag)
) STRICT;
CREATE INDEX snapshot_tag_by_snapshot ON snapshot_tag (snapshot);
INSERT INTO snapshot_tag (tenant, name, tag, snapshot, moved_at)
    SELECT tenant, name, 'latest', id, created_at FROM snapshot WHERE name IS NOT NULL AND hidden = 0 AND state = 'ready';
