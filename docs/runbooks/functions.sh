# Functions of the runbooks, for sh and bash, from the top folder of a clone of the release that runs: . docs/runbooks/functions.sh

crm() { kubectl -n crm "$@"; }

# What a process of a service measures now: metrics identity
metrics() {
  ops="$(crm get deployment "$1" -o jsonpath='{.spec.template.spec.containers[0].ports[?(@.name=="operations")].containerPort}')"
  crm exec "deployment/$1" -- node -e "fetch('http://127.0.0.1:$ops/metrics').then((r) => r.text()).then(console.log)"
}

# Errors and warnings of a service: problems identity 15m
problems() { crm logs "deployment/$1" --since="${2:-15m}" | grep -E '"level":"(warn|error|fatal)"' | tail -20; }

# At least so many processes of a service. Its autoscaler would undo "scale": processes webhook-dispatcher 6
processes() { crm patch hpa "$1" --type merge --patch "{\"spec\":{\"minReplicas\":$2}}"; }

# A psql in a database, as the superuser, who sees every workspace: database webhooks
database() { crm exec -it "$(crm get pod -l cnpg.io/cluster=crm-db,cnpg.io/instanceRole=primary -o name)" -c postgres -- psql -X "$1"; }

# Runs the migration again, which makes what is missing: databases, streams, consumers
migration() {
  crm delete job migrate --ignore-not-found
  kubectl apply -k k8s/overlays/production -l crm/stage=migration
}

# Connects this shell to the broker of the cluster, for npm run rewind; its certificate names localhost for this
broker() {
  crm get secret nats-tls -o jsonpath='{.data.ca\.crt}' | base64 -d > nats-ca.crt
  NATS_PASSWORD="$(crm get secret nats-users -o jsonpath='{.data.provisioner}' | base64 -d)"
  export NATS_PASSWORD NATS_URL=tls://localhost:4222 NODE_EXTRA_CA_CERTS="$PWD/nats-ca.crt"
  crm port-forward service/nats 4222 &
}

# Undoes what broker has done
broker_end() {
  kill %1
  rm nats-ca.crt
  unset NATS_PASSWORD NATS_URL NODE_EXTRA_CA_CERTS
}
