"""What of the user's own environment a stack on this machine must not meet.

libpq, botocore and every HTTP client read variables that name somebody's servers,
accounts and proxies. Left in place, a developer's `PGPORT` or `AWS_PROFILE` decides
where the demo's data goes, and a company's proxy is asked for 127.0.0.1.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping

FOREIGN = ("AWS_", "BOTO_", "PG")
"""How the names of other servers' variables begin."""
# httpx speaks to these alone, and refuses to be made at all where a variable names
# another kind, whatever may go past it.
SPOKEN = ("http://", "https://")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
# Files and an address that botocore asks without being told to: a profile of the
# user's, and, on a machine of Amazon's, that machine's own rights.
NOBODY = {
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
}


def shield(environ: MutableMapping[str, str] = os.environ) -> None:
    """Drop what names other people's servers, and call the loopback directly."""
    for name in [name for name in environ if name.startswith(FOREIGN)]:
        del environ[name]
    for name in [name for name in environ if name.upper().endswith("_PROXY")]:
        if "://" in environ[name] and not environ[name].startswith(SPOKEN):
            del environ[name]
    environ.update(NOBODY)
    environ.update(direct(environ))


def direct(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables by which no client takes a proxy to the loopback."""
    # Clients differ in which spelling wins, so both say what either said.
    said = [environ.get(name, "") for name in ("NO_PROXY", "no_proxy")]
    hosts = dict.fromkeys(filter(None, ",".join([*said, *LOOPBACK]).split(",")))
    return dict.fromkeys(("NO_PROXY", "no_proxy"), ",".join(hosts))
