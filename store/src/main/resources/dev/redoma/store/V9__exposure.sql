-- SPDX-License-Identifier: Apache-2.0
-- Ports of sandboxes that are let be reached from outside. A row goes when it is revoked or its sandbox ends; one whose time is over stays, to be told of.
CREATE TABLE exposure (
    id TEXT PRIMARY KEY,
    sandbox TEXT NOT NULL,
    tenant TEXT NOT NULL,
    port INTEGER NOT NULL,
    audience TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX exposure_of ON exposure (sandbox);
