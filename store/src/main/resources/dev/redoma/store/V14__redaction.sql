-- SPDX-License-Identifier: Apache-2.0
-- What is masked of a sandbox: values by name, sealed under the sandbox's own key.
CREATE TABLE redaction (
    sandbox TEXT NOT NULL PRIMARY KEY,
    tenant  TEXT NOT NULL,
    sealed  BLOB NOT NULL
) STRICT, WITHOUT ROWID;
