import { randomUUID } from 'node:crypto';
import { TokenVerifier } from '@crm/access';
import { AUDIENCES } from '@crm/contracts';
import { Database, inWorkspace, newId } from '@crm/database';
import { expect } from '@jest/globals';
import pg from 'pg';
import { EmbedClientService } from '../src/embedding/embed-client.service.js';
import { UserService } from '../src/people/user.service.js';
import { entryOf } from './audit.js';
import { mintAt } from './embed-host.js';
import { type Account, newEmail, PASSWORD, TestIdentity } from './identity.js';
import { TestKeys } from './keys.js';
import { withNewSecret } from './new-secret.js';
import * as oauth from './oauth.js';
import { newAuthenticator, register } from './passkeys.js';
import { prove } from './persons.js';

/** The service, with what tests of erasure and export do with the data of a person. */
export class PersonalData {
  private constructor(
    readonly identity: TestIdentity,
    readonly keys: TestKeys,
  ) {}

  static async start(): Promise<PersonalData> {
    const identity = await TestIdentity.start();
    return new PersonalData(identity, await TestKeys.connect(identity));
  }

  async close(): Promise<void> {
    await this.keys.close();
    await this.identity.close();
  }

  send(method: string, path: string, { accessToken }: Account, body?: unknown) {
    return this.identity.request(method, path, { token: accessToken, ...(body !== undefined && { body }) });
  }

  erase(by: Account, userId: string) {
    return this.send('POST', `/api/admin/users/${userId}/erase`, by);
  }

  eraseSelf(account: Account) {
    return this.send('DELETE', '/api/auth/me', account);
  }

  async isRefused({ accessToken }: Account): Promise<boolean> {
    return (await this.identity.request('GET', '/api/auth/me', { token: accessToken })).status === 401;
  }

  /** Works as the superuser, whom no policy binds. */
  async asAdmin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client(this.identity.database.adminUrl);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** Tables of the service that have a text somewhere, whatever column. */
  tablesWith(text: string): Promise<string[]> {
    return this.asAdmin(async (client) => {
      const tables = await client.query<{ name: string }>(
        `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
      );
      const found: string[] = [];
      for (const { name } of tables.rows) {
        const sql = `SELECT 1 FROM "${name}" t WHERE strpos(to_jsonb(t)::text, $1) > 0 LIMIT 1`;
        if ((await client.query(sql, [text])).rows.length > 0) found.push(name);
      }
      return found;
    });
  }

  /** Tables whose columns say that their rows belong to a user. */
  tablesOfUsers(): Promise<string[]> {
    return this.asAdmin(async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `SELECT DISTINCT table_name AS name FROM information_schema.columns
          WHERE table_schema = 'public' AND column_name IN ('user_id', 'owner_id') ORDER BY 1`,
      );
      return rows.map(({ name }) => name);
    });
  }

  /**
   * Gives a user rows in every table that can have some. Those that need a second factor, an identity provider or an address that
   * nobody has verified are written as the service would.
   */
  async inhabit(owner: Account, member: Account): Promise<void> {
    await prove(this.identity, member);
    const mint = await this.host(owner);
    await mint('host-sub-of-the-erased', member.email);
    await prove(this.identity, member);
    await this.send('POST', '/api/auth/email-change', member, { email: newEmail(), password: PASSWORD });
    await entryOf(this.identity, owner, 'email.change_requested');
    await this.identity.post('/api/auth/password-resets', { email: member.email });
    await entryOf(this.identity, owner, 'password.reset_requested');
    await this.send('POST', '/api/auth/mfa/authenticator', member);
    await this.keys.make(member);
    const registered = await register(this.identity, member, newAuthenticator());
    expect(registered.status).toBe(201);
    const app = await oauth.installed(this.identity, { admin: owner });
    await oauth.granted(this.identity, app, member);
    const hash = Buffer.alloc(32, 7);
    const soon = new Date(Date.now() + 60_000);
    const id = member.userId;
    const rows: readonly (readonly [string, string, unknown[]])[] = [
      ['provider_link', 'issuer, sub, user_id', ['https://idp.example', 'sub-of-the-erased', id]],
      [
        'provider_sign_in',
        'id, provider_id, state_hash, browser_hash, nonce, sealed_verifier, user_id, expires_at',
        [newId(), newId(), hash, hash, 'nonce', hash, id, soon],
      ],
      [
        'provider_link_request',
        'id, provider_id, issuer, sub, email, user_id, expires_at',
        [newId(), newId(), 'https://idp.example', 'another-sub', member.email, id, soon],
      ],
      ['mfa_challenge', 'id, user_id, attempts, expires_at', [newId(), id, 0, soon]],
      ['recovery_code', 'user_id, code_hash', [id, hash]],
      ['code_guess', 'user_id, place, tries, last_at, next_at', [id, 'session', 1, soon, soon]],
      ['invitation', 'id, user_id, secret_hash, expires_at', [newId(), id, hash, soon]],
      ['email_claim', 'email, user_id', [member.email, id]],
      ['local_account', 'email, user_id', [member.email, id]],
    ];
    await this.asAdmin(async (client) => {
      for (const [table, columns, values] of rows) {
        const places = [owner.tenantId, ...values].map((_, index) => `$${index + 1}`).join(', ');
        const sql = `INSERT INTO ${table} (tenant_id, ${columns}) VALUES (${places})`;
        await client.query(sql, [owner.tenantId, ...values]);
      }
    });
  }

  /** Adds an address to a workspace, which offers it to the person who has proven the address. @returns the id of the user */
  async waits({ tenantId }: Account, email: string): Promise<string> {
    const user = { id: newId(), email, name: 'Waiting', roles: ['member'], status: 'active' as const };
    await inWorkspace(this.identity.get(Database), tenantId, (tx) =>
      this.identity.get(UserService).addLocal(tx, tenantId, { ...user, origin: 'administrator', passwordHash: null }),
    );
    return user.id;
  }

  /** An app of the workspace whose host mints. */
  async host(owner: Account) {
    const principal = await this.identity.get(TokenVerifier).verify(owner.accessToken, [AUDIENCES.api]);
    const { clientId, clientSecret } = await withNewSecret((fingerprint) =>
      this.identity.get(EmbedClientService).issue(principal, {
        appKey: `app-${randomUUID().slice(0, 8)}`,
        fingerprint,
        allowedOrigins: ['https://host.example'],
        scopes: ['leads'],
        linkUsersBy: 'email',
      }),
    );
    return (sub: string, email: string) =>
      mintAt(this.identity, { clientId, clientSecret, sub, email, name: 'Host User' });
  }
}
