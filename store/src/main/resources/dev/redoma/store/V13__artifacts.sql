-- SPDX-License-Identifier: Apache-2.0
-- Files of sandboxes that are kept for people, as blobs in the data directory. `patterns` of a review: what is collected at the end.
ALTER TABLE review ADD COLUMN patterns TEXT NOT NULL DEFAULT '[]';

CREATE TABLE artifact (
    id TEXT PRIMARY KEY,
    sandbox TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    mode TEXT NOT NULL,
    digest TEXT NOT NULL,
    modified_at INTEGER NOT NULL,
    collected_at INTEGER NOT NULL,
    why TEXT NOT NULL,
    UNIQUE (sandbox, path)
) STRICT, WITHOUT ROWID;
