// Sign-ins by password, next to a bare server that checks a password with Argon2id and does nothing else, and mints for host
// users who are known, next to one that does one indexed read and signs one Ed25519 JWT. Ours also looks accounts up, counts
// against limits, opens a session; a mint passes two processes and a broker between them.
import { newId } from '@crm/database';
import { inRoot } from '../../scripts/root.mjs';
import { ask, compare, inTurn, PLAN, requestText } from '../load.mjs';
import { setting } from '../measure.mjs';

const ACCOUNTS = 32;
const PASSWORD = 'tidal-lantern-orbits-quietly';
const warmUpRequests = setting('WARM_UP_REQUESTS', 500, 50);
const PLAN_OF_SIGN_INS = { ...PLAN, connections: 8, roundMs: 2 * PLAN.roundMs, warmUpRequests };
const HOST_USERS = 1000;
const CLIENT = { clientId: 'embed_bench', clientSecret: 'a secret of forty-three characters, as theirs' };

/** A workspace with an app and its host users, and a plain table for the bare server. @param {import('pg').Pool} admin */
async function fill(admin) {
  const tenantId = newId();
  await admin.query(`
    INSERT INTO tenant (tenant_id, name, plan, time_zone, verified_at) VALUES ('${tenantId}', 'Bench', 'business', 'UTC', now());
    INSERT INTO embed_client (client_id, app_key, tenant_id, secret_hash, allowed_origins, scopes, link_users_by)
    VALUES ('${CLIENT.clientId}', 'bench', '${tenantId}', sha256('${CLIENT.clientSecret}'), '{https://host.example}',
      '{leads,pipeline}', 'email');
    WITH person AS MATERIALIZED (
      SELECT '${tenantId}'::uuid AS tenant_id, uuidv7() AS id, 'host-user-' || i AS sub FROM generate_series(1, ${HOST_USERS}) i),
    added AS (
      INSERT INTO app_user (tenant_id, id, email, name, roles, status, origin)
      SELECT tenant_id, id, sub || '@bench.test', 'Host user', '{member}', 'active', 'embed' FROM person)
    INSERT INTO embed_user (tenant_id, user_id, app_key, sub) SELECT tenant_id, id, 'bench', sub FROM person;
    CREATE TABLE bare_user AS SELECT sub, user_id, tenant_id, '{member}'::text[] AS roles FROM embed_user;
    ALTER TABLE bare_user ADD PRIMARY KEY (sub)`);
  await admin.query('VACUUM ANALYZE');
}

/** @param {import('../lab.mjs').Lab} lab */
async function signIn(lab) {
  const { environment } = await lab.database('identity');
  const bare = await lab.server('bare', { BARE: 'signIn', PASSWORD });
  // On a busy machine a round must not end with a refusal.
  const patience = { PASSWORD_HASH_WAIT_MS: '10000' };
  const identity = await lab.service('identity', { ...environment, ...patience });
  const people = Array.from({ length: ACCOUNTS }, (_, n) => ({ email: `user-${n}@bench.test`, password: PASSWORD }));
  for (const person of people) {
    const registration = { ...person, name: 'Ada Lovelace', workspace: { name: 'Bench' } };
    await ask(identity.port, requestText('POST', '/api/auth/register', '', registration));
  }
  const next = inTurn(people.map((person) => requestText('POST', '/api/auth/login', '', person)));
  const sides = [
    { ...bare, name: 'bare Fastify + Argon2id', next },
    { ...identity, next, atLeast: 0.75 },
  ];
  return compare('sign-in', sides, PLAN_OF_SIGN_INS);
}

/** @param {import('../lab.mjs').Lab} lab */
async function mint(lab) {
  const { environment, admin, adminUrl } = await lab.database('identity');
  await fill(admin);
  const bare = await lab.server('bare', { BARE: 'mint', DATABASE_URL: adminUrl });
  const identity = await lab.service('identity', environment);
  const page = { EMBED_PAGE_DIR: inRoot('apps', 'embed-page', 'dist') };
  const edge = await lab.service('embed-gateway', page, [identity]);
  const headers = `x-embed-key: ${CLIENT.clientId}\r\nx-embed-secret: ${CLIENT.clientSecret}\r\n`;
  const requests = Array.from({ length: HOST_USERS }, (_, index) => {
    const sub = `host-user-${index + 1}`;
    const body = { sub, email: `${sub}@bench.test`, name: 'Host user', scopes: ['leads'] };
    return requestText('POST', '/api/auth/v1/embed/sessions', headers, body);
  });
  return compare('mint of a known sub, 32 connections', [
    { ...bare, name: 'bare Fastify + pg + jose', next: inTurn(requests) },
    { ...edge, name: 'embed-gateway and identity', next: inTurn(requests), atLeast: 0.4 },
  ]);
}

export const suites = [{ cases: { 'sign-in': signIn } }, { cases: { mint } }];
