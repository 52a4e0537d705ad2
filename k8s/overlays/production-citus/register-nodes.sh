#!/bin/bash
# Makes the workers known to the coordinator, in each database: Citus keeps its nodes per database. Can be repeated.
# PGPASSWORD: of the superuser, the same on all nodes. COORDINATOR, WORKERS, DATABASES: names, separated by spaces.
set -euo pipefail
export PGUSER=postgres PGSSLMODE=require

query() {
  psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 "$@"
}

for database in $DATABASES; do
  for node in $COORDINATOR $WORKERS; do
    # The migration job has made those of the coordinator.
    query --host="$node" --dbname=postgres --set=database="$database" <<'SQL'
SELECT format('CREATE DATABASE %I', :'database')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec
SQL
    # The password by the environment: arguments can be read by whoever sees the processes of the node.
    query --host="$node" --dbname="$database" <<'SQL'
\getenv password PGPASSWORD
CREATE EXTENSION IF NOT EXISTS citus;
-- How this node logs in at the others (0: every node) as superuser.
INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo)
VALUES (0, 'postgres', 'password=' || quote_literal(:'password'))
ON CONFLICT (nodeid, rolename) DO UPDATE SET authinfo = excluded.authinfo;
SQL
  done
  query --host="$COORDINATOR" --dbname="$database" --set=host="$COORDINATOR" \
    <<< "SELECT citus_set_coordinator_host(:'host', 5432);"
  for node in $WORKERS; do
    # A node that is there already is left as it is.
    query --host="$COORDINATOR" --dbname="$database" --set=host="$node" \
      <<< "SELECT citus_add_node(:'host', 5432);"
  done
  echo "$database: $(query --host="$COORDINATOR" --dbname="$database" --command='SELECT count(*) FROM pg_dist_node') nodes"
done
