import { randomUUID } from 'node:crypto';
import { AUDIENCES, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FAILURES_PER_CLIENT } from '../src/oauth/token-request.js';
import { SigningKeyService } from '../src/sessions/signing-key.service.js';
import { TokenSigner } from '../src/sessions/token-signer.js';
import { callerOfFile } from './caller.js';
import { codeOf, principalOf } from './checks.js';
import { EmbedHost } from './embed-host.js';
import { type Account, newEmail, TestIdentity } from './identity.js';
import { TestKeys } from './keys.js';
import { approved, exchange, expectInvalid, granted, installed, issue, ownToken } from './oauth.js';
import { TestSuspensions } from './suspended.js';

let replica: TestIdentity;
// Before the database is dropped.
afterAll(() => replica?.close());
const identity = TestIdentity.ofFile();
beforeAll(async () => {
  replica = await identity.replica();
});
const suspensions = TestSuspensions.ofFile(identity);
const keys = TestKeys.ofFile(identity);
const runs = callerOfFile('automation-hooks');

const statusAt = async (at: TestIdentity, token: string) => (await at.request('GET', '/api/auth/me', { token })).status;
const internalToken = async ({ tenantId, userId }: Account) =>
  (await runs.call(rpc.identity.mintInternalToken, { tenantId, userId })).token;
const isRefused = (token: string) =>
  waitUntil(
    async () =>
      (await codeOf(principalOf(identity, token))) === 'TOKEN_REVOKED' && (await statusAt(replica, token)) === 401,
    { timeoutMs: 1_000, describe: 'the token is refused by both processes' },
  );

/** A workspace with everything that issues tokens of it. */
async function workspace() {
  const host = await EmbedHost.start(identity);
  const { owner } = host;
  const app = await installed(identity, { admin: owner });
  const client = await issue(identity, app);
  const hostUser = { sub: `sub-${randomUUID()}`, email: newEmail() };
  await host.mint(hostUser);
  const { key } = await keys.make(owner);
  const forUser = await granted(identity, app, owner);
  const member = await identity.member(owner);
  return {
    owner,
    member,
    app,
    key,
    forUser,
    mints: [hostUser, { ...hostUser, email: newEmail() }, {}].map((user) => () => host.mint(user)),
    ownToken: () => ownToken(identity, client),
    /** Tokens of programs, anew from the credentials that they have. */
    ofPrograms: async () => [
      (await ownToken(identity, client)).body.access_token,
      (await host.mint(hostUser)).embedToken,
      await keys.exchange(key),
    ],
  };
}

describe('a suspended workspace', () => {
  it('has no token that is accepted, within a second, in any process; other workspaces go on', async () => {
    const { owner, member, forUser, ofPrograms } = await workspace();
    const bystander = await identity.account();
    const tokens = [owner.accessToken, member.accessToken, forUser.access_token, ...(await ofPrograms())];
    for (const token of tokens) {
      for (const at of [identity, replica]) expect(await codeOf(principalOf(at, token))).toBe('no error');
    }
    await suspensions.decide('suspend', owner.tenantId);
    await Promise.all(tokens.map(isRefused));
    for (const at of [identity, replica]) expect(await statusAt(at, bystander.accessToken)).toBe(200);
    expect((await identity.login(bystander.email)).status).toBe(200);
  });

  it('gets no new token, by whatever would give one, and says so to who has proven who they are', async () => {
    const { owner, member, mints, app, key, ownToken, forUser } = await workspace();
    const code = await approved(identity, app, member);
    await suspensions.suspend(owner.tenantId);
    for (const at of [identity, replica]) {
      await waitUntil(async () => (await at.login(owner.email)).body.code === 'WORKSPACE_SUSPENDED');
      expect((await at.login(owner.email)).status).toBe(403);
      // A guess learns nothing of it.
      expect((await at.login(owner.email, 'not-the-password-at-all')).body.code).toBe('INVALID_CREDENTIALS');
    }
    const { refreshToken } = member;
    expect((await identity.post('/api/auth/refresh', { refreshToken })).body.code).toBe('WORKSPACE_SUSPENDED');
    // Known, and read together with others; known with another address; not known.
    for (const mint of mints) expect(await codeOf(mint())).toBe('WORKSPACE_SUSPENDED');
    expect((await ownToken()).body).toMatchObject({ error: 'unauthorized_client' });
    await expectInvalid(identity, app, forUser.refresh_token);
    expect((await exchange(identity, app, code)).body.error).toBe('invalid_grant');
    expect(await keys.refusal(key)).toBe('INVALID_API_KEY');
    expect(await codeOf(internalToken(owner))).toBe('WORKSPACE_SUSPENDED');
  });

  it('keeps no app from the tokens of other workspaces, however many users of the suspended one it asks for', async () => {
    const owner = await identity.account();
    const app = await installed(identity, { admin: owner });
    const { refresh_token: token } = await granted(identity, app, owner);
    await suspensions.suspend(owner.tenantId);
    for (let user = 0; user <= FAILURES_PER_CLIENT; user += 1) {
      await expectInvalid(identity, app, token);
    }
  });

  it('asks nobody for a second factor', async () => {
    const owner = await identity.account();
    expect((await identity.setSecondFactor(owner.accessToken, true)).status).toBe(204);
    expect((await identity.login(owner.email)).body).toMatchObject({ mfaRequired: true });
    await suspensions.suspend(owner.tenantId);
    expect((await identity.login(owner.email)).body.code).toBe('WORKSPACE_SUSPENDED');
  });

  it('accepts no token that a process issues which has not learned of it', async () => {
    const { tenantId, userId } = await identity.account();
    await suspensions.suspend(tenantId);
    const late = new TokenSigner(identity.get(SigningKeyService), identity.config);
    const content = { aud: AUDIENCES.api, sub: userId, tid: tenantId, roles: ['owner'], scopes: [] };
    const token = await late.sign(content, 900, newId());
    expect(await codeOf(principalOf(identity, token))).toBe('TOKEN_REVOKED');
    await suspensions.reinstate(tenantId);
    expect(await codeOf(principalOf(identity, token))).toBe('TOKEN_REVOKED');
  });
});

describe('a reinstated workspace', () => {
  it('lets people sign in again, and accepts nothing from before', async () => {
    const { owner, member, app, forUser, ofPrograms } = await workspace();
    const before = [owner.accessToken, forUser.access_token, ...(await ofPrograms())];
    await suspensions.suspend(owner.tenantId);
    await suspensions.reinstate(owner.tenantId);
    for (const at of [identity, replica]) {
      await waitUntil(async () => (await at.login(owner.email)).status === 200, { timeoutMs: 1_000 });
    }
    for (const token of before) expect(await codeOf(principalOf(identity, token))).toBe('TOKEN_REVOKED');
    for (const { refreshToken } of [owner, member]) {
      expect((await identity.post('/api/auth/refresh', { refreshToken })).body.code).toBe('INVALID_REFRESH_TOKEN');
    }
    await expectInvalid(identity, app, forUser.refresh_token);
    // Programs go on with the credentials that they have.
    for (const token of await ofPrograms()) expect(await codeOf(principalOf(identity, token))).toBe('no error');
    expect(await internalToken(owner)).toEqual(expect.any(String));
    const again = await identity.signedIn(owner.email);
    const { body } = await identity.send('GET', '/api/auth/sessions', again);
    // Those of this test alone: two sign-ins of the loop and this one.
    expect(body.data).toHaveLength(3);
  });

  it('has no session that was opened while it was suspended', async () => {
    const owner = await identity.account();
    await suspensions.suspend(owner.tenantId);
    const { refreshToken } = await sessionOfALateProcess(owner);
    await suspensions.reinstate(owner.tenantId);
    expect((await identity.post('/api/auth/refresh', { refreshToken })).body.code).toBe('INVALID_REFRESH_TOKEN');
  });
});

/** What a process opens that has not learned of the suspension. */
async function sessionOfALateProcess(owner: Account) {
  const signer = replica.get(TokenSigner);
  const { issuesFor } = signer;
  signer.issuesFor = () => true;
  try {
    const { status, body } = await replica.login(owner.email);
    expect(status).toBe(200);
    return body;
  } finally {
    signer.issuesFor = issuesFor;
  }
}
