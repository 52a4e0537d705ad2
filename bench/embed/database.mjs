// The database of identity with a workspace, an app and its host users, and in it a plain table for the bare server.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { builtFile, inRoot } from '../../scripts/root.mjs';
import { PASSWORD } from '../processes.mjs';

export const HOST_USERS = 1000;
export const CLIENT = { clientId: 'embed_bench', clientSecret: 'a secret of forty-three characters, as theirs' };

export const emailOf = (/** @type {number} */ index) => `host-user-${index}@bench.test`;
export const subOf = (/** @type {number} */ index) => `host-user-${index}`;

/** @param {string} adminUrl of the server */
export async function prepareDatabase(adminUrl) {
  /** @type {typeof import('../../libs/database/src/index.js')} */
  const { newId, provisionDatabase, runMigrations } = await import(builtFile('libs/database'));
  /** @type {typeof import('../../libs/contracts/src/index.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts'));
  /** @type {typeof import('../../apps/identity/src/migrations/index.js')} */
  const { migrations } = await import(inRoot('apps/identity/dist/migrations/index.js'));
  const passwords = { owner: PASSWORD, runtime: PASSWORD, narrow: PASSWORD };
  const urls = await provisionDatabase({ adminUrl, definition: DATABASES.identity, passwords });
  await runMigrations({ ownerUrl: urls.ownerUrl, migrations });
  const inDatabase = new URL(adminUrl);
  inDatabase.pathname = new URL(urls.runtimeUrl).pathname;
  const admin = new pg.Client({ connectionString: inDatabase.href });
  await admin.connect();
  try {
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
      const values = [tenantId, newId(), emailOf(index)];
      await admin.query(
        `INSERT INTO app_user (tenant_id, id, email, name, roles, status, origin)
         VALUES ($1, $2, $3, 'Host user', '{member}', 'active', 'embed')`,
        values,
      );
      await admin.query(
        `WITH claimed AS (INSERT INTO sign_in_email (tenant_id, user_id, email) VALUES ($1, $2, $3))
         INSERT INTO embed_user (tenant_id, user_id, app_key, sub) VALUES ($1, $2, 'bench', $4)`,
        [...values, subOf(index)],
      );
    }
    await admin.query(
      `CREATE TABLE bare_user (sub text PRIMARY KEY, user_id uuid NOT NULL, tenant_id uuid NOT NULL, roles text[] NOT NULL)`,
    );
    await admin.query(`INSERT INTO bare_user SELECT sub, user_id, tenant_id, '{member}' FROM embed_user`);
    await admin.query('VACUUM ANALYZE');
    return { runtimeUrl: urls.runtimeUrl, narrowUrl: urls.narrowUrl, bareUrl: inDatabase.href };
  } finally {
    await admin.end();
  }
}
