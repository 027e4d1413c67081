-- SPDX-License-Identifier: Apache-2.0
-- What can be reviewed of a sandbox: where its workspace began, and, once it has ended, what is kept of it until when. `state`: live, ending (its change set is still to be read), kept.
CREATE TABLE review (
    sandbox TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    root TEXT,
    state TEXT NOT NULL,
    authority TEXT,
    bytes INTEGER NOT NULL DEFAULT 0,
    disk INTEGER NOT NULL DEFAULT 0,
    ended_at INTEGER,
    expires_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX review_by_state ON review (state, expires_at);
