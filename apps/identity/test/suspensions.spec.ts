import { randomUUID } from 'node:crypto';
import { AUDIENCES, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { MessagingModule, Rpc } from '@crm/messaging';
import { testNats, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FAILURES_PER_CLIENT } from '../src/oauth/token-request.js';
import { SigningKeyService, TokenSigner } from '../src/sessions/signing-key.service.js';
import { principalOf } from './checks.js';
import { EmbedHost } from './embed-host.js';
import { type Account, newEmail, PASSWORD, TestIdentity } from './identity.js';
import { TestKeys } from './keys.js';
import { approved, basic, exchange, granted, installed, issue, post, refresh } from './oauth.js';
import { TestSuspensions } from './suspended.js';

let identity: TestIdentity;
let replica: TestIdentity;
let suspensions: TestSuspensions;
let keys: TestKeys;
let runs: INestApplicationContext;
beforeAll(async () => {
  identity = await TestIdentity.start();
  replica = await identity.replica();
  suspensions = await TestSuspensions.start(identity);
  keys = await TestKeys.connect(identity);
  const { url, passwords } = testNats();
  const service = 'automation-hooks' as const;
  const config = { url, user: service, password: passwords[service], service };
  runs = await NestFactory.createApplicationContext(MessagingModule.forService({ config }), { logger: false });
});
afterAll(async () => {
  await runs?.close();
  await keys?.close();
  await suspensions?.close();
  await replica?.close();
  await identity?.close();
});

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: { code?: string }) => error.code ?? String(error),
  );
const statusAt = async (at: TestIdentity, token: string) => (await at.request('GET', '/api/auth/me', { token })).status;
const internalToken = async ({ tenantId, userId }: Account) =>
  (await runs.get(Rpc).call(rpc.identity.mintInternalToken, { tenantId, userId })).token;
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
  const { clientId, clientSecret } = await issue(identity, app);
  const hostUser = { sub: `sub-${randomUUID()}`, email: newEmail() };
  await host.mint(hostUser);
  const { key } = await keys.make(owner);
  const ownToken = () => post(identity, 'token', { grant_type: 'client_credentials' }, basic(clientId, clientSecret));
  const forUser = await granted(identity, app, owner);
  return { owner, member: await identity.member(owner), host, hostUser, app, key, ownToken, forUser };
}

describe('a suspended workspace', () => {
  it('has no token that is accepted, within a second, in any process; other workspaces go on', async () => {
    const { owner, member, host, hostUser, key, ownToken, forUser } = await workspace();
    const bystander = await identity.account();
    const tokens = [
      owner.accessToken,
      member.accessToken,
      forUser.access_token,
      (await ownToken()).body.access_token,
      (await host.mint(hostUser)).embedToken,
      await keys.exchange(key),
    ];
    for (const token of tokens) {
      expect([await codeOf(principalOf(identity, token)), await codeOf(principalOf(replica, token))]).toEqual([
        'no error',
        'no error',
      ]);
    }
    await suspensions.decide('suspend', owner.tenantId);
    await Promise.all(tokens.map(isRefused));
    expect([await statusAt(identity, bystander.accessToken), await statusAt(replica, bystander.accessToken)]).toEqual([
      200, 200,
    ]);
    expect((await identity.login(bystander.email)).status).toBe(200);
  });

  it('gets no new token, by whatever would give one, and says so to who has proven who they are', async () => {
    const { owner, member, host, hostUser, app, key, ownToken, forUser } = await workspace();
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
    expect(await codeOf(host.mint(hostUser))).toBe('WORKSPACE_SUSPENDED');
    expect(await codeOf(host.mint({ ...hostUser, email: newEmail() }))).toBe('WORKSPACE_SUSPENDED');
    expect(await codeOf(host.mint())).toBe('WORKSPACE_SUSPENDED');
    expect((await ownToken()).body).toMatchObject({ error: 'unauthorized_client' });
    expect((await refresh(identity, app, forUser.refresh_token)).body.error).toBe('invalid_grant');
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
      expect((await refresh(identity, app, token)).body.error).toBe('invalid_grant');
    }
  });

  it('asks nobody for a second factor', async () => {
    const owner = await identity.account();
    const on = { token: owner.accessToken, body: { enabled: true, password: PASSWORD } };
    expect((await identity.request('PUT', '/api/auth/mfa', on)).status).toBe(204);
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
    const { owner, member, host, hostUser, app, key, ownToken, forUser } = await workspace();
    const before = [
      owner.accessToken,
      forUser.access_token,
      (await ownToken()).body.access_token,
      (await host.mint(hostUser)).embedToken,
      await keys.exchange(key),
    ];
    await suspensions.suspend(owner.tenantId);
    await suspensions.reinstate(owner.tenantId);
    for (const at of [identity, replica]) {
      await waitUntil(async () => (await at.login(owner.email)).status === 200, { timeoutMs: 1_000 });
    }
    for (const token of before) expect(await codeOf(principalOf(identity, token))).toBe('TOKEN_REVOKED');
    for (const { refreshToken } of [owner, member]) {
      expect((await identity.post('/api/auth/refresh', { refreshToken })).body.code).toBe('INVALID_REFRESH_TOKEN');
    }
    expect((await refresh(identity, app, forUser.refresh_token)).body.error).toBe('invalid_grant');
    // Programs go on with the credentials that they have.
    for (const token of [
      (await ownToken()).body.access_token,
      (await host.mint(hostUser)).embedToken,
      await keys.exchange(key),
    ]) {
      expect(await codeOf(principalOf(identity, token))).toBe('no error');
    }
    expect(await internalToken(owner)).toEqual(expect.any(String));
    const again = await identity.signedIn(owner.email);
    const { body } = await identity.request('GET', '/api/auth/sessions', { token: again.accessToken });
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
