# SPDX-License-Identifier: Apache-2.0
"""The table of calls: what each did is printed as one JSON line, for the test that runs this."""
import json
import sys
import traceback

failures = 0


def _tell(call, outcome, note):
    print(json.dumps({"call": call, "outcome": outcome, "note": note}), flush=True)


def _attempt(call, outcome, note, action):
    global failures
    try:
        action()
    except Exception as error:
        failures += 1
        _tell(call, "fails", f"{type(error).__name__}: {error}\n{traceback.format_exc()}")
    else:
        _tell(call, outcome, note)


def works(call):
    """The call does what it does at the vendor's."""
    return lambda action: _attempt(call, "works", "", action)


def differs(call, how):
    """It does something else, and the action shows that it does exactly what is said."""
    return lambda action: _attempt(call, "differs", how, action)


def refused(call, why, says):
    """It is refused, by an error that says so."""

    def run(action):
        def expected():
            try:
                action()
            except Exception as error:
                if says not in str(error):
                    raise
            else:
                raise AssertionError("was not refused")

        _attempt(call, "not offered", why, expected)

    return run


def thrown(kind, action):
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__} was raised")


def finish():
    sys.exit(1 if failures else 0)
