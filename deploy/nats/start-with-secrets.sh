#!/bin/sh
# Starts the server with the passwords of its users. It reads them from its environment; here they come from files, because
# everyone who may inspect a container can read its environment. Each file has the name of its variable, in small letters.
set -eu
for file in "${NATS_SECRETS:-/run/secrets}"/nats_password_*; do
  variable=$(basename "$file" | tr '[:lower:]' '[:upper:]')
  # In quotes, because the server reads the value as a part of its configuration.
  export "$variable=\"$(cat "$file")\""
done
exec "$@"
