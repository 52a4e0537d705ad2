#!/bin/bash
# Makes the nodes of Citus known to each other in the maintenance database, from which the migration job learns where it has
# to make databases. Can be repeated, also with another worker.
# PGPASSWORD: of the superuser, the same on all nodes. COORDINATOR, WORKERS: names, separated by spaces.
set -euo pipefail
export PGUSER=postgres PGDATABASE=postgres PGSSLMODE=verify-full PGSSLROOTCERT=/etc/crm/database/ca.crt

query() {
  psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 "$@"
}

for node in $COORDINATOR $WORKERS; do
  # The password by the environment: arguments can be read by whoever sees the processes of the node.
  query --host="$node" <<'SQL'
\getenv password PGPASSWORD
CREATE EXTENSION IF NOT EXISTS citus;
-- How this node logs in at the others (0: every node) as superuser.
INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo)
VALUES (0, 'postgres', 'password=''' || regexp_replace(:'password', '([''\\])', '\\\1', 'g') || '''')
ON CONFLICT (nodeid, rolename) DO UPDATE SET authinfo = excluded.authinfo;
SQL
done
query --host="$COORDINATOR" --set=host="$COORDINATOR" <<< "SELECT citus_set_coordinator_host(:'host', 5432);"
for node in $WORKERS; do
  # A node that is there already is left as it is.
  query --host="$COORDINATOR" --set=host="$node" <<< "SELECT citus_add_node(:'host', 5432);"
done
echo "$(query --host="$COORDINATOR" --command='SELECT count(*) FROM pg_dist_node') nodes"
