"""What Schemathesis is told of Berth: which refusals of what the schema allows have a reason that no schema can say."""

import json
import os
import re

import schemathesis
from schemathesis.specs.openapi.checks import positive_data_acceptance

STATE = "it is of what the cluster holds at the moment"
TOGETHER = "it is of several fields together"
CODES = {  # of problems with status 400, 412 or 422
    "unknown-image": STATE, "unknown-group": STATE, "unknown-slot": STATE, "unknown-dependency": STATE, "unknown-owner": STATE,
    "no-agents": STATE, "image-required": STATE, "slot-not-served": STATE, "limit-exceeded": STATE, "below-image-minimum": STATE,
    "image-source-missing": STATE, "position-not-reached": STATE, "dependency-failed": STATE, "dependency-cycle": STATE,
    "exclusive-slots": STATE, "invalid-generation": STATE, "wrong-password": STATE, "no-password": STATE,
    "not-a-browser-session": "a key pair signs here, and is no browser",
    "invalid-page-token": "it is what the page before gave",
    "invalid-amount": "decimals, multiple and size are those of its slot",
    "invalid-spec": TOGETHER, "invalid-definition": TOGETHER, "not-for-this-type": TOGETHER, "missing-policy": TOGETHER,
    "invalid-fair-share": "a weight is above 0, as a text too",
    "volume-required": STATE, "invalid-mount": TOGETHER,
    "path-invalid": "no part is empty, '.' or '..': what a pattern says less plainly", "body-hash-mismatch": "it is of the body",
    "password-too-common": "a list of passwords", "password-too-long": "1024 bytes, not characters",
}
PLACES = {  # of the first error of a problem, where its code says less
    r"\?since|start_time": "a format has no range: 1970 to 2200, or 2116",
    r"expires_at": "within the next hour",
    r"expires_in": "of a link 30 days at most, in whatever unit",
    r"\?Last-Event-ID": "Schemathesis makes up headers without their pattern",
    r"\?wait": "30 s at most, in whatever unit",
    r"min_position|\?from": "beyond the end of the journal",
    r"session_ids": "as many as sessions, and none nil",
    r"open_to\[\d+\]\.id": "of a project DOMAIN/NAME, else a name: it goes by the scope beside it",
    r"shm|disk": "a range of bytes, in whatever unit",
    r"fair_share\.(slot_)?weights.*": "a weight is above 0, as a text too",
    r"custom": "a policy that this server has",
    r"env\..*|command\[\d+\]": "bytes, not characters, and no NUL: a pattern for texts that long takes half a minute to compile",
}


FLOAT = "JSON Schema takes 5.0 for an integer; here no float is read"


def has_float(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return isinstance(value, float) or any(map(has_float, inner))


def reason_of(response, case):
    """Why the schema could not say it, or None."""
    if has_float(case.body):
        return FLOAT
    try:
        problem = json.loads(response.content)
    except ValueError:
        return None
    first = (problem.get("errors") or [{}])[0].get("place", "")
    found = CODES.get(problem.get("code"))
    if problem.get("code") == "invalid-parameter" and problem["detail"].startswith("min_position "):
        first = "min_position"
    return found or next((reason for place, reason in PLACES.items() if re.fullmatch(place, first)), None)


@schemathesis.check
def refuses_nothing_that_is_allowed(ctx, response, case):
    """positive_data_acceptance, but for refusals that have a reason above; each is written to $BERTH_EXCUSED as it is met."""
    reason = reason_of(response, case) if response.status_code in (400, 412, 422) else None
    if reason is None:
        return positive_data_acceptance(ctx, response, case)
    if case.meta is not None and case.meta.generation.mode.is_positive:
        with open(os.environ["BERTH_EXCUSED"], "a", encoding="utf-8") as file:
            print(f"{json.loads(response.content)['code']}: {reason}", file=file)
    return None
