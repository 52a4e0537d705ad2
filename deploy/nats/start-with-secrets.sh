#!/bin/sh
# Starts the server with the passwords of its users, which it reads from its environment, taken from files: a container's
# environment shows to everybody who may inspect it. Each file is named as its variable, in small letters.
set -eu
for file in "${NATS_SECRETS:-/run/secrets}"/nats_password_*; do
  variable=$(basename "$file" | tr '[:lower:]' '[:upper:]')
  # In quotes, because the server reads the value as a part of its configuration.
  export "$variable=\"$(cat "$file")\""
done
exec "$@"
