-- SPDX-License-Identifier: Apache-2.0
-- `layers`: what a build under way stands on, top first, so that nobody takes it away; JSON as in `template`.
CREATE TABLE build (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, template TEXT NOT NULL, tag TEXT, source TEXT NOT NULL, state TEXT NOT NULL,
    step INTEGER NOT NULL DEFAULT 0, steps INTEGER NOT NULL, cached INTEGER NOT NULL DEFAULT 0, layers TEXT NOT NULL DEFAULT '[]',
    digest TEXT, error TEXT,              -- JSON Problem
    created_by TEXT NOT NULL, created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER
) STRICT;
CREATE INDEX build_by_time ON build (created_at, id);

-- What a step made of the same inputs before; the layer stays while it is listed here.
CREATE TABLE build_cache (key TEXT PRIMARY KEY, layer TEXT NOT NULL, made_at INTEGER NOT NULL, used_at INTEGER NOT NULL) STRICT;
CREATE INDEX build_cache_layer ON build_cache (layer);
