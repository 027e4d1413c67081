-- SPDX-License-Identifier: Apache-2.0
-- How much output there was when the process ended: what readers get who do not ask for what came after.
ALTER TABLE exec ADD COLUMN exit_offset INTEGER;
