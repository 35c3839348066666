#!/usr/bin/env bash
# The newcomer's two commands on a fresh clone, as root and as an ordinary user,
# twice in a row, the second time without a network. Root runs all of it; an ordinary
# user runs their own half.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrine-install-XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# A name space without a network where the machine allows one, else an index-free pip.
offline() {
    local apart='ip link set lo up 2>/dev/null || ifconfig lo up; "$@"'
    if unshare -n true 2>/dev/null; then
        unshare -n bash -c "$(declare -f as_user); work='$work'; $apart" offline "$@"
    else
        PIP_NO_INDEX=1 "$@"
    fi
}

as_user() { # USER COMMAND…: root steps down to USER, with nothing of root's around it
    local user=$1
    shift
    if [ "$user" = "$(id -u)" ]; then "$@"; else
        setpriv --reuid "$user" --regid "$user" --clear-groups \
            env HOME="$work/home-$user" PATH="$PATH" "$@"
    fi
}

left() { # processes of a clone that outlived their command
    pgrep -af "$1" | grep -v pgrep || true
}

newcomer() { # USER
    local user=$1 clone="$work/clone-$1"
    mkdir -p "$work/home-$user"
    git clone --quiet --no-hardlinks "file://$here" "$clone"
    chown -R "$user" "$clone" "$work/home-$user"
    echo "== user $user: a fresh clone, then again without a network"
    as_user "$user" make -C "$clone" --no-print-directory demo | tail -n 1
    offline as_user "$user" make -C "$clone" --no-print-directory demo | tail -n 1
    offline as_user "$user" make -C "$clone" --no-print-directory test
    test -z "$(git -C "$clone" -c safe.directory='*' status --porcelain)" ||
        { echo "the clone is not clean"; exit 1; }
    test -z "$(left "$clone")" || { echo "left running:"; left "$clone"; exit 1; }
    rm -rf "$clone"
}

newcomer "$(id -u)"
if [ "$(id -u)" = 0 ]; then newcomer 54321; fi
echo "install: both commands pass, twice, the second time offline"
