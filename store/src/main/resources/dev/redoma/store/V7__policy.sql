-- SPDX-License-Identifier: Apache-2.0
-- The policy of a sandbox, where it is not none: the documents as they were in force when it was given (JSON), and how often it was changed.
CREATE TABLE sandbox_policy (
    sandbox TEXT PRIMARY KEY, epoch INTEGER NOT NULL, digest TEXT NOT NULL, sources TEXT NOT NULL
) STRICT;
