import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { codeOf } from './checks.js';
import { EmbedHost } from './embed-host.js';
import { type Account, newEmail, outcome, PASSWORD } from './identity.js';
import { addLocal, prove, standing } from './persons.js';
import { refused, Stage } from './single-sign-on/stage.js';
import { verifyDomain } from './single-sign-on/workspace.js';

const stage = Stage.ofFile();
const { identity } = stage;

const host = (owner?: Account, changes: object = {}) => EmbedHost.start(identity, changes, owner);
const conflict = 'EMBED_IDENTITY_CONFLICT';

/** Someone who has registered a workspace and proven their address. */
async function person(email = newEmail()): Promise<Account> {
  const registration = { email, password: PASSWORD, name: 'Person', workspace: { name: 'Theirs' } };
  expect((await identity.post('/api/auth/register', registration)).status).toBe(201);
  const account = await identity.signedIn(email);
  await prove(identity, account);
  return account;
}

/** Adds a user to a workspace. @returns their id */
async function added(owner: Account, email: string, more: object = {}): Promise<string> {
  const user = { email, name: 'Squatted', roles: ['member'], ...more };
  const { status, body } = await identity.send('POST', '/api/tenant/users', owner, user);
  expect(status).toBe(201);
  return body.id;
}

/** Signs in at the provider of the workspace that has proven the domain. @returns the token, or why there is none */
async function atProvider(email: string): Promise<Partial<Account> & { error?: string; reason?: string }> {
  const { browser, state } = await stage.begunBy(email);
  const { code, ...refusal } = await browser.comeBack(stage.callback(state));
  if (code === undefined) return refusal;
  const { accessToken } = (await browser.exchange(code)).body;
  const { sub, tid } = decodeJwt(accessToken) as { sub: string; tid: string };
  return { userId: sub, tenantId: tid, accessToken };
}

const members = (tenantId: string, email: string) =>
  identity.query<{ id: string; origin: string; status: string }>(
    tenantId,
    'SELECT id, origin, status FROM app_user WHERE email = $1 ORDER BY id',
    [email],
  );

describe('an address that a stranger uses without having proven it', () => {
  const squats: [string, (stranger: Account, email: string) => Promise<string>][] = [
    ['added with a password', (stranger, email) => added(stranger, email, { password: PASSWORD })],
    [
      'added and disabled',
      async (stranger, email) => {
        const userId = await added(stranger, email, { password: PASSWORD });
        const changed = await identity.changeUser(stranger, userId, { status: 'disabled' });
        expect(changed.status).toBe(200);
        return userId;
      },
    ],
    ['invited', (stranger, email) => added(stranger, email)],
    ['minted for', async (stranger, email) => (await (await host(stranger)).userOf({ email })).userId],
  ];

  it.each(squats)('(%s) is minted for in the workspace of its owner, who learns nothing of it', async (_how, squat) => {
    const [stranger, email] = [await identity.account(), newEmail()];
    const squatted = await squat(stranger, email);
    const own = await host();
    const { userId, tenantId } = await own.userOf({ sub: 'known', email });
    expect([tenantId, userId === squatted]).toEqual([own.owner.tenantId, false]);
    expect((await own.userOf({ sub: 'known', email })).userId).toBe(userId);
    const counted = "SELECT used FROM quota_use WHERE name LIKE 'embed-conflict:%'";
    expect(await identity.query(tenantId, counted)).toEqual([]);
    expect(await members(stranger.tenantId, email)).toMatchObject([{ id: squatted }]);
  });

  it.each(squats)('(%s) signs its owner in at the provider of their domain', async (_how, squat) => {
    const [stranger, email] = [await identity.account(), `ceo-${randomUUID()}@${stage.workspace.domain}`];
    const squatted = await squat(stranger, email);
    const signedIn = await atProvider(email);
    expect(signedIn).toMatchObject({ tenantId: stage.workspace.owner.tenantId });
    expect([signedIn.userId === squatted, await standing(identity, signedIn.userId ?? '')]).toEqual([false, 'member']);
    expect(await members(stranger.tenantId, email)).toMatchObject([{ id: squatted }]);
    expect(await standing(identity, squatted)).not.toBe('member');
  });

  it('is registered by its owner after a host has minted for it, which stays who it is', async () => {
    const [squatter, email] = [await host(), newEmail()];
    const squatted = await squatter.userOf({ sub: 'known', email });
    expect((await person(email)).tenantId).not.toBe(squatted.tenantId);
    // Nothing new is learnt: it is the same user of the same workspace.
    expect((await squatter.userOf({ sub: 'known', email })).userId).toBe(squatted.userId);
    expect(await codeOf(squatter.mint({ sub: 'another', email }))).toBe(conflict);
  });
});

describe('an address that a person has proven', () => {
  it.each(['email', 'explicit'] as const)(
    'is minted for nowhere else (linked by %s), no matter who asks',
    async (linkUsersBy) => {
      const { email, tenantId, userId } = await person();
      const other = await host(undefined, { linkUsersBy });
      await other.mint({ sub: 'known' });
      for (const sub of ['new', 'known'])
        expect([sub, await codeOf(other.mint({ sub, email }))]).toEqual([sub, conflict]);
      const counted = "SELECT used FROM quota_use WHERE name LIKE 'embed-conflict:%'";
      expect(await identity.query(other.owner.tenantId, counted)).toEqual([{ used: 2 }]);
      expect(await members(other.owner.tenantId, email)).toEqual([]);
      expect(await members(tenantId, email)).toMatchObject([{ id: userId }]);
    },
  );

  it('is not minted for by a workspace that has a user of the address who has not proven it', async () => {
    const [{ email }, other] = [await person(), await host()];
    await addLocal(identity, other.owner.tenantId, email);
    expect(await codeOf(other.mint({ email }))).toBe(conflict);
  });

  it('is kept for them after they have given it up, from every workspace', async () => {
    const account = await person();
    const reserve = "UPDATE sign_in_email SET reserved_until = now() + interval '1 day' WHERE email = $1";
    await identity.queryAll(reserve, [account.email]);
    for (const at of [await host(), await host(account)]) {
      expect(await codeOf(at.mint({ email: account.email }))).toBe(conflict);
    }
  });

  it('is theirs in each of their workspaces', async () => {
    const account = await person();
    const other = await host();
    const userId = await addLocal(identity, other.owner.tenantId, account.email);
    await prove(identity, { email: account.email, tenantId: other.owner.tenantId, userId });
    for (const [at, expected] of [
      [other, userId],
      [await host(account), account.userId],
    ] as const) {
      expect((await at.userOf({ email: account.email })).userId).toBe(expected);
    }
  });
});

describe('a sign-in at the provider of a proven domain', () => {
  const address = (name: string) => `${name}-${randomUUID()}@${stage.workspace.domain}`;
  /** Someone who signs in with a password that an administrator has set. */
  async function local(): Promise<Account> {
    const email = address('local');
    await added(stage.workspace.owner, email, { password: PASSWORD });
    return identity.signedIn(email);
  }

  it('makes a person a member besides, who goes on with their own password where they have one', async () => {
    const email = address('consultant');
    const account = await person(email);
    const signedIn = await atProvider(email);
    expect(signedIn).toMatchObject({ tenantId: stage.workspace.owner.tenantId });
    const memberships = `SELECT user_id FROM membership
      WHERE person_id = (SELECT person_id FROM membership WHERE user_id = $1) ORDER BY created_at`;
    const rows = await identity.queryAll(memberships, [account.userId]);
    expect(rows).toEqual([{ user_id: account.userId }, { user_id: signedIn.userId }]);
    expect((await identity.signedIn(email)).tenantId).toBe(account.tenantId);
    expect((await identity.me(account.accessToken)).status).toBe(200);
    expect((await atProvider(email)).userId).toBe(signedIn.userId);
  });

  it('keeps nobody from a workspace of their own, where they sign in with the password that they set there', async () => {
    const email = address('founder');
    const { userId } = await atProvider(email);
    const own = await person(email);
    expect(own.tenantId).not.toBe(stage.workspace.owner.tenantId);
    expect((await identity.signedIn(email)).userId).toBe(own.userId);
    expect((await atProvider(email)).userId).toBe(userId);
  });

  it('takes an account over that someone else may have used: nothing of before works', async () => {
    const account = await local();
    const key = { name: 'kept', scopes: ['leads:read'], expiresInDays: 30 };
    expect((await identity.send('POST', '/api/auth/api-keys', account, key)).status).toBe(201);
    expect(await atProvider(account.email)).toMatchObject({ userId: account.userId });
    expect((await stage.mailServer.mailTo(account.email)).text).toContain('no longer work');
    await identity.refuses(account.accessToken);
    expect((await identity.refresh(account.refreshToken)).status).toBe(401);
    expect(await outcome(identity.login(account.email))).toEqual([401, 'INVALID_CREDENTIALS']);
    const kept = 'SELECT 1 FROM api_key WHERE owner_id = $1';
    expect(await identity.query(account.tenantId, kept, [account.userId])).toEqual([]);
    expect(await standing(identity, account.userId)).toBe('member');
    const { accessToken } = await atProvider(account.email);
    expect((await identity.me(accessToken)).status).toBe(200);
  });

  it('of a member ends nothing: only accounts whose address nobody has proven are shut out', async () => {
    const account = await stage.colleague();
    expect(await atProvider(account.email)).toMatchObject({ userId: account.userId });
    expect((await identity.me(account.accessToken)).status).toBe(200);
    expect((await identity.login(account.email)).status).toBe(200);
  });

  it('accepts an invitation, and lets nobody in whom the workspace has disabled', async () => {
    const { owner } = stage.workspace;
    const invited = address('invited');
    const userId = await added(owner, invited);
    expect(await atProvider(invited)).toMatchObject({ userId });
    expect(await members(owner.tenantId, invited)).toMatchObject([{ id: userId, status: 'active' }]);
    const disabled = await local();
    await identity.changeUser(owner, disabled.userId, { status: 'disabled' });
    expect(await atProvider(disabled.email)).toEqual(refused('user_disabled'));
    expect(await members(owner.tenantId, disabled.email)).toMatchObject([{ status: 'disabled' }]);
    expect(await standing(identity, disabled.userId)).not.toBe('member');
    await identity.changeUser(owner, disabled.userId, { status: 'active' });
    expect((await identity.login(disabled.email)).status).toBe(200);
    expect(await atProvider(disabled.email)).toMatchObject({ userId: disabled.userId });
    expect(await standing(identity, disabled.userId)).toBe('member');
  });

  it('signs a host user of the workspace in as the same user, whose host goes on', async () => {
    const [at, email] = [await host(stage.workspace.owner), address('host')];
    const { userId } = await at.userOf({ sub: email, email });
    expect(await atProvider(email)).toMatchObject({ userId });
    expect((await at.userOf({ sub: email, email })).userId).toBe(userId);
  });

  it('makes one user of two people at the provider who come at once with one address: the second waits for an owner', async () => {
    const email = address('twice');
    const begun = [await stage.begun(), await stage.begun()];
    const codes = [];
    for (const { browser, state, nonce } of begun) {
      stage.provider.person = { sub: `sub-${state.slice(-8)}`, email, nonce };
      codes.push(await browser.comeBack(stage.callback(state)));
    }
    expect(codes).toEqual([{ code: expect.any(String) }, { error: 'IDENTITY_LINK_PENDING' }]);
    expect(await members(stage.workspace.owner.tenantId, email)).toHaveLength(1);
  });
});

describe('a domain that a workspace proves', () => {
  it('ends the pending verifications of its addresses in other workspaces, and no others', async () => {
    const [{ owner, domain }, elsewhere, own] = [await stage.proven(), await identity.account(), newEmail()];
    const claim = async (email: string, { tenantId }: Account) => {
      const userId = randomUUID();
      const insert = 'INSERT INTO email_claim (user_id, tenant_id, email, secret_hash) VALUES ($1, $2, $3, $4)';
      await identity.queryAll(insert, [userId, tenantId, email, Buffer.alloc(32)]);
      return userId;
    };
    const claims = {
      ended: await claim(`boss@${domain}`, elsewhere),
      own: await claim(`boss@${domain}`, owner),
      below: await claim(`boss@sub.${domain}`, elsewhere),
      other: await claim(own, elsewhere),
    };
    // Looked up again: it belongs to the workspace already.
    expect((await verifyDomain(identity, owner, domain)).status).toBe(200);
    const left = async () => {
      const pending = 'SELECT user_id FROM email_claim WHERE lost_at IS NULL AND user_id = ANY($1)';
      const rows = await identity.queryAll<{ user_id: string }>(pending, [Object.values(claims)]);
      const ids = rows.map(({ user_id }) => user_id);
      return Object.entries(claims).flatMap(([name, id]) => (ids.includes(id) ? [name] : []));
    };
    expect((await left()).sort()).toEqual(['below', 'other', 'own']);
    expect((await identity.send('DELETE', `/api/tenant/domains/${domain}`, owner)).status).toBe(204);
    expect((await left()).sort()).toEqual(['below', 'other', 'own']);
  });
});
