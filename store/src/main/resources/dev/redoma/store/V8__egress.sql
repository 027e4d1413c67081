-- Which synthetic address of a sandbox stands for which name; never changed while the sandbox lives.
CREATE TABLE egress_name (
    sandbox TEXT NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (sandbox, number),
    UNIQUE (sandbox, name)
) STRICT, WITHOUT ROWID;

-- Bytes that a sandbox has spent of the budget of a rule.
CREATE TABLE egress_spent (
    sandbox TEXT NOT NULL,
    rule TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (sandbox, rule)
) STRICT, WITHOUT ROWID;
