// Sign-ins by password, next to a bare server that checks a password with Argon2id and does nothing else, and mints for host
// users who are known, next to one that does one indexed read and signs one Ed25519 JWT. Ours also looks accounts up, counts
// against limits, opens a session; a mint passes two processes and a broker between them.
import { createHash } from 'node:crypto';
import { newId } from '@crm/database';
import { inRoot } from '../../scripts/root.mjs';
import { setting } from '../lab.mjs';
import { compare, inTurn, PLAN, requestText, sendOne } from '../load.mjs';

const ACCOUNTS = 32;
const PASSWORD = 'tidal-lantern-orbits-quietly';
const warmUpRequests = setting('WARM_UP_REQUESTS', 500, 50);
const PLAN_OF_SIGN_INS = { ...PLAN, connections: 8, roundMs: 2 * PLAN.roundMs, warmUpRequests };
const HOST_USERS = 1000;
const CLIENT = { clientId: 'embed_bench', clientSecret: 'a secret of forty-three characters, as theirs' };

/** A workspace with an app and its host users, and a plain table for the bare server. @param {import('pg').Pool} admin */
async function fill(admin) {
  const tenantId = newId();
  await admin.query(
    `INSERT INTO tenant (tenant_id, name, plan, time_zone, verified_at) VALUES ($1, 'Bench', 'business', 'UTC', now())`,
    [tenantId],
  );
  await admin.query(
    `INSERT INTO embed_client (client_id, app_key, tenant_id, secret_hash, allowed_origins, scopes, link_users_by)
     VALUES ($1, 'bench', $2, $3, '{https://host.example}', '{leads,pipeline}', 'email')`,
    [CLIENT.clientId, tenantId, createHash('sha256').update(CLIENT.clientSecret).digest()],
  );
  for (let index = 0; index < HOST_USERS; index += 1) {
    const values = [tenantId, newId(), `host-user-${index}@bench.test`];
    await admin.query(
      `INSERT INTO app_user (tenant_id, id, email, name, roles, status, origin)
       VALUES ($1, $2, $3, 'Host user', '{member}', 'active', 'embed')`,
      values,
    );
    await admin.query(
      `WITH claimed AS (INSERT INTO sign_in_email (tenant_id, user_id, email) VALUES ($1, $2, $3))
       INSERT INTO embed_user (tenant_id, user_id, app_key, sub) VALUES ($1, $2, 'bench', $4)`,
      [...values, `host-user-${index}`],
    );
  }
  await admin.query(
    `CREATE TABLE bare_user (sub text PRIMARY KEY, user_id uuid NOT NULL, tenant_id uuid NOT NULL, roles text[] NOT NULL)`,
  );
  await admin.query(`INSERT INTO bare_user SELECT sub, user_id, tenant_id, '{member}' FROM embed_user`);
  await admin.query('VACUUM ANALYZE');
}

/** @param {import('../lab.mjs').Lab} lab */
async function signIn(lab) {
  const { environment } = await lab.database('identity');
  const { process: postgres } = await lab.postgres();
  const bare = await lab.bare('signIn', 'bare Fastify + Argon2id', { PASSWORD });
  // On a busy machine a round must not end with a refusal.
  const { port, process } = await lab.service('identity', { ...environment, PASSWORD_HASH_WAIT_MS: '10000' });
  const bodies = Array.from({ length: ACCOUNTS }, (_, index) => ({
    email: `user-${index}@bench.test`,
    password: PASSWORD,
  }));
  for (const body of bodies) {
    const registration = { ...body, name: 'Ada Lovelace', workspace: { name: 'Bench' } };
    const answer = await sendOne(port, requestText('POST', '/api/auth/register', '', registration));
    if (answer.status !== 201) throw new Error(`A registration was refused: ${answer.body}`);
  }
  const next = inTurn(bodies.map((body) => requestText('POST', '/api/auth/login', '', body)));
  const identity = { name: 'identity', port, processes: [process, postgres] };
  return compare(
    'sign-in',
    [
      { subject: bare, next },
      { subject: identity, next, atLeast: 0.75 },
    ],
    PLAN_OF_SIGN_INS,
  );
}

/** @param {number} index of the host user */
function mintRequest(index) {
  const headers = `x-embed-key: ${CLIENT.clientId}\r\nx-embed-secret: ${CLIENT.clientSecret}\r\n`;
  const user = { sub: `host-user-${index}`, email: `host-user-${index}@bench.test`, name: 'Host user' };
  return requestText('POST', '/api/auth/v1/embed/sessions', headers, { ...user, scopes: ['leads'] });
}

/** @param {import('../lab.mjs').Lab} lab */
async function mint(lab) {
  const { environment, admin, adminUrl } = await lab.database('identity');
  await fill(admin);
  const { process: postgres } = await lab.postgres();
  const bare = await lab.bare('mint', 'bare Fastify + pg + jose', { DATABASE_URL: adminUrl }, [postgres]);
  const identity = await lab.service('identity', environment);
  const edge = await lab.service('embed-gateway', { EMBED_PAGE_DIR: inRoot('apps', 'embed-page', 'dist') });
  const processes = [edge.process, identity.process, (await lab.broker()).process, postgres];
  const next = inTurn(Array.from({ length: HOST_USERS }, (_, index) => mintRequest(index)));
  return compare('mint of a known sub, 32 connections', [
    { subject: bare, next },
    { subject: { name: 'embed-gateway and identity', port: edge.port, processes }, next, atLeast: 0.4 },
  ]);
}

export const suites = [{ cases: { 'sign-in': signIn } }, { cases: { mint } }];
