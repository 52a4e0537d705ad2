import { randomUUID } from 'node:crypto';
import { Database, runMigrations } from '@crm/database';
import { type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Persons1795800001800 } from '../src/migrations/1795800001800-persons.js';
import { migrations } from '../src/migrations/index.js';
import { seed } from '../src/seed.js';
import { PasswordService } from '../src/sign-in/password.service.js';
import { PASSWORD, TestIdentity } from './identity.js';
import { standing } from './persons.js';

const current = TestIdentity.ofFile();
const earlier = migrations.slice(0, migrations.indexOf(Persons1795800001800));

/** A database of the migrations before, which is filled and then migrated, with the service on it. */
class Migrated {
  private database: TestDatabase;
  private admin: pg.Client;
  identity: TestIdentity;

  async open(fill: (insert: Insert) => Promise<void>): Promise<void> {
    this.database = await testDatabase('identity', earlier);
    this.admin = new pg.Client({ connectionString: this.database.adminUrl });
    await this.admin.connect();
    await fill(async (table, row) => {
      const insert = `INSERT INTO ${table} SELECT (jsonb_populate_record(NULL::${table}, $1)).*`;
      await this.admin.query(insert, [JSON.stringify(row)]);
    });
    await runMigrations({ ownerUrl: this.database.ownerUrl, migrations });
    this.identity = await current.replica({ database: this.database.config });
  }

  async close(): Promise<void> {
    await this.identity?.close();
    await this.admin?.end();
    await this.database?.drop();
  }
}

/** Members that are left out are NULL: a row has all that the table demands. */
type Insert = (table: string, row: Record<string, unknown>) => Promise<void>;

const NOW = new Date().toISOString();
const LATER = new Date(Date.now() + 24 * 3_600_000).toISOString();
const LOST_DOMAIN = 'lost.example.com';
const DOMAIN = 'proven.example.com';

interface Kind {
  what: string;
  user?: object;
  tenant?: object;
  email?: string;
  /** True when the address is the user's for signing in; of claims and of some host users it is not. */
  hasAddress?: false;
  more?: (insert: Insert, user: { tenant_id: string; user_id: string; email: string }) => Promise<void>;
  becomes: 'member' | 'local' | 'nobody';
  /** By the password; nobody else could before. */
  signsIn: boolean;
}

const audited =
  (action: string) =>
  (insert: Insert, { tenant_id, user_id }: { tenant_id: string; user_id: string }) =>
    insert('audit_entry', {
      tenant_id,
      id: randomUUID(),
      at: NOW,
      action,
      outcome: 'success',
      actor_kind: 'user',
      subject_id: user_id,
      detail: {},
    });
const invitation =
  (accepted_at: string | null): Kind['more'] =>
  (insert, { tenant_id, user_id }) =>
    insert('invitation', {
      tenant_id,
      id: randomUUID(),
      user_id,
      secret_hash: `\\x${'00'.repeat(32)}`,
      expires_at: LATER,
      accepted_at,
      created_at: NOW,
    });
const linkedAt = (domain: string): Partial<Kind> => ({
  email: `linked@${domain}`,
  user: { origin: 'identity_provider', password_hash: null },
  more: (insert, { tenant_id, user_id }) =>
    insert('provider_link', { tenant_id, issuer: 'https://a.example', sub: domain, user_id, created_at: NOW }),
});
const byHost = { origin: 'embed', password_hash: null };

const KINDS: readonly Kind[] = [
  { what: 'registered and verified', becomes: 'member', signsIn: true },
  {
    what: 'registered and not verified',
    tenant: { verified_at: null },
    hasAddress: false,
    more: async (insert, { tenant_id, user_id, email }) => {
      const key = await current.get(PasswordService).claimKey(email, PASSWORD);
      const password_key = `\\x${key.toString('hex')}`;
      await insert('email_claim', { tenant_id, user_id, email, password_key, created_at: NOW });
    },
    becomes: 'local',
    signsIn: true,
  },
  {
    what: 'invited',
    user: { origin: 'administrator', status: 'invited', password_hash: null },
    more: invitation(null),
    becomes: 'local',
    signsIn: false,
  },
  {
    what: 'invited, who has accepted',
    user: { origin: 'administrator' },
    more: invitation(NOW),
    becomes: 'member',
    signsIn: true,
  },
  ...['user.invitation_accepted', 'password.reset', 'email.changed'].map(
    (action): Kind => ({
      what: `added by an administrator, with ${action} in the trail`,
      user: { origin: 'administrator' },
      more: audited(action),
      becomes: 'member',
      signsIn: true,
    }),
  ),
  {
    what: 'added with a password, with what others do in the trail',
    user: { origin: 'administrator' },
    more: audited('user.renamed'),
    becomes: 'local',
    signsIn: true,
  },
  { what: 'brought by a provider', ...linkedAt(DOMAIN), becomes: 'member', signsIn: false },
  { what: 'brought by a provider whose domain is lost', ...linkedAt(LOST_DOMAIN), becomes: 'local', signsIn: false },
  { what: 'brought by a host', user: byHost, becomes: 'nobody', signsIn: false },
  {
    what: 'brought by a host that links explicitly',
    user: byHost,
    hasAddress: false,
    becomes: 'nobody',
    signsIn: false,
  },
  { what: 'registered and disabled', user: { status: 'disabled' }, becomes: 'member', signsIn: false },
  {
    what: 'added with a password and disabled',
    user: { origin: 'administrator', status: 'disabled' },
    becomes: 'local',
    signsIn: false,
  },
  {
    what: 'of a workspace that was closed',
    email: 'closed-1@invalid',
    user: { status: 'disabled', password_hash: null },
    tenant: { verified_at: null, closed_at: NOW },
    hasAddress: false,
    becomes: 'nobody',
    signsIn: false,
  },
];

describe('users of before', () => {
  const migrated = new Migrated();
  const users = KINDS.map(({ email }, index) => ({
    email: email ?? `user-${index}@identity.test`,
    tenant_id: randomUUID(),
    user_id: randomUUID(),
  }));
  const given = (kind: string) => users[KINDS.findIndex(({ what }) => what === kind)];

  beforeAll(async () => {
    const password_hash = await current.get(PasswordService).hash(PASSWORD);
    await migrated.open(async (insert) => {
      for (const [index, kind] of KINDS.entries()) {
        const user = users[index];
        if (!user) throw new Error('There is no such user');
        const { tenant_id, user_id, email } = user;
        const times = { created_at: NOW, updated_at: NOW, verified_at: NOW };
        const tenant = { name: 'A', plan: 'developer', time_zone: 'UTC', currency: 'USD', language: 'en', ...times };
        await insert('tenant', { tenant_id, ...tenant, ...kind.tenant });
        const rights = { roles: ['member'], status: 'active', origin: 'registration', password_hash };
        const state = { mfa_enabled: false, sign_in_epoch: 0, created_at: NOW };
        await insert('app_user', { tenant_id, id: user_id, email, name: 'A', ...rights, ...state, ...kind.user });
        if (kind.hasAddress !== false) await insert('sign_in_email', { email, tenant_id, user_id });
        await kind.more?.(insert, user);
      }
      const domain = given('brought by a provider')?.tenant_id;
      await insert('verified_domain', { domain: DOMAIN, tenant_id: domain, next_check_at: LATER, created_at: NOW });
      for (const [kind, email] of [
        ['registered and verified', 'former-person@identity.test'],
        ['added with a password, with what others do in the trail', 'former-local@identity.test'],
      ] as const) {
        const { tenant_id, user_id } = given(kind) ?? {};
        await insert('sign_in_email', { email, tenant_id, user_id, reserved_until: LATER });
      }
    });
  });
  afterAll(() => migrated.close());

  it.each(KINDS.map((kind, index) => [kind.what, kind, index] as const))(
    '%s: are persons if they have proven their address, and sign in as before',
    async (_what, { becomes, signsIn }, index) => {
      const { email, user_id, tenant_id } = users[index] ?? { email: '', user_id: '', tenant_id: '' };
      expect(await standing(migrated.identity, user_id)).toBe(becomes);
      const { status, body } = await migrated.identity.login(email);
      expect([status, body.code]).toEqual(signsIn ? [200, undefined] : [401, 'INVALID_CREDENTIALS']);
      if (signsIn)
        expect((await migrated.identity.me(body.accessToken)).body).toMatchObject({
          id: user_id,
          tenant: { id: tenant_id },
        });
    },
  );

  it('have each a person of their own, whose are also the addresses that they have given up', async () => {
    const rows = await migrated.identity.queryAll<{ email: string; person_id: string; of_member: boolean }>(`
      SELECT s.email, s.person_id, m.user_id = s.user_id AND m.tenant_id = s.tenant_id AS of_member
        FROM sign_in_email s LEFT JOIN membership m ON m.person_id = s.person_id
       WHERE s.proven_at IS NOT NULL ORDER BY s.email`);
    const members = users.filter((_, index) => KINDS[index]?.becomes === 'member').map(({ email }) => email);
    expect(rows.map(({ email }) => email)).toEqual([...members, 'former-person@identity.test'].sort());
    expect(rows.every(({ of_member }) => of_member)).toBe(true);
    expect(new Set(rows.map(({ person_id }) => person_id)).size).toBe(members.length);
    const persons = await migrated.identity.queryAll('SELECT id FROM person');
    expect(persons).toHaveLength(members.length);
  });

  it('who are local accounts have the key of a password where it was known', async () => {
    const claimed = given('registered and not verified')?.user_id;
    const keyed = await migrated.identity.queryAll('SELECT user_id FROM local_account WHERE password_key IS NOT NULL');
    expect(keyed).toContainEqual({ user_id: claimed });
  });
});

describe('the demo of before', () => {
  const migrated = new Migrated();
  const OWNERS = ['admin@globex.test', 'admin@initech.test', 'dev@acme.test'];
  beforeAll(async () => {
    await seed(current.config, current.get(Database));
    const client = new pg.Client({ connectionString: current.database.adminUrl });
    await client.connect();
    await migrated.open(async (insert) => {
      for (const table of ['tenant', 'app_user', 'sign_in_email']) {
        // What later migrations have added is left out.
        const { rows } = await client.query(`SELECT to_jsonb(t) AS row FROM ${table} t`);
        for (const { row } of rows) await insert(table, row);
      }
    });
    await client.end();
  });
  afterAll(() => migrated.close());

  it('has its owners as persons, and everybody signs in as before and after it is seeded again', async () => {
    const { identity } = migrated;
    const persons = () =>
      identity.queryAll<{ email: string }>('SELECT email FROM sign_in_email WHERE proven_at IS NOT NULL');
    expect((await persons()).map(({ email }) => email).sort()).toEqual(OWNERS);
    const signIns = async () => {
      const statuses = [];
      for (const email of [...OWNERS, 'member@globex.test']) statuses.push((await identity.login(email)).status);
      return statuses;
    };
    expect(await signIns()).toEqual([200, 200, 200, 200]);
    await seed(identity.config, identity.get(Database));
    expect(await signIns()).toEqual([200, 200, 200, 200]);
  });
});
