-- SPDX-License-Identifier: Apache-2.0
-- What a template's tags point at; `latest` is what the bare name means. Takes the place of `current`.
CREATE TABLE template_tag (
    name TEXT NOT NULL, tag TEXT NOT NULL, digest TEXT NOT NULL, moved_at INTEGER NOT NULL,
    PRIMARY KEY (name, tag)
) STRICT;
INSERT INTO template_tag (name, tag, digest, moved_at) SELECT name, 'latest', digest, created_at FROM template WHERE current = 1;
ALTER TABLE template DROP COLUMN current;
-- Who stands on a version is asked by its digest.
CREATE INDEX template_by_digest ON template (digest);
CREATE INDEX sandbox_by_version ON sandbox (template_digest) WHERE state <> 'ended';
CREATE INDEX snapshot_by_version ON snapshot (template_digest);
