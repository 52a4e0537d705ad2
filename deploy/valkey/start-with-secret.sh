#!/bin/sh
# Starts Valkey with the password of a Docker secret. It is told by standard input: other users of the machine can read the
# arguments of a process.
set -eu
exec valkey-server - "$@" <<CONFIGURATION
requirepass $(cat "${VALKEY_SECRET:-/run/secrets/redis_password}")
# What it holds is the limits of the last minutes. Nothing is written to disk.
save ""
appendonly no
# Far more than a million keys need. The buckets that would be empty first are forgotten first.
maxmemory ${VALKEY_MAXMEMORY:-192mb}
maxmemory-policy volatile-ttl
CONFIGURATION
