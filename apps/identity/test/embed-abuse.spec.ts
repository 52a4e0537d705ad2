import { randomUUID } from 'node:crypto';
import { TokenVerifier } from '@crm/access';
import { AUDIENCES, type PlatformError } from '@crm/contracts';
import { waitUntil } from '@crm/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { PLATFORM_TENANT } from '../src/platform-tenant.js';
import { entryOf } from './audit.js';
import { codeOf, principalOf, untilRevoked } from './checks.js';
import { EmbedHost, type IssueRequest } from './embed-host.js';
import { type Account, newEmail, outcome, quota, TestIdentity, withMail } from './identity.js';
import { TestOperators } from './operators.js';
import { prove } from './persons.js';

const { identity, mailServer } = withMail();

/** Checks that a limit is reached. @returns for how many seconds */
async function retryAfter(call: Promise<unknown>, message: string): Promise<number> {
  const refusal = await call.catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'RATE_LIMITED', message });
  return (refusal as PlatformError).extra.retryAfterSeconds ?? 0;
}

const host = (changes: Partial<IssueRequest> = {}, at = identity) => EmbedHost.start(at, changes);

describe('addresses of other workspaces', () => {
  let elsewhere: Account[];
  let app: Awaited<ReturnType<typeof host>>;
  const known = { sub: 'known', email: newEmail() };
  beforeAll(async () => {
    elsewhere = [await identity.account(), await identity.account()];
    for (const account of elsewhere) await prove(identity, account);
    app = await host();
    await app.mint(known);
  });

  it('answer 409 twenty times an hour, to a known sub and a new one, and 429 afterwards', async () => {
    for (let count = 0; count < 20; count += 1) {
      const sub = count % 2 === 0 ? known.sub : randomUUID();
      expect(await codeOf(app.mint({ sub, email: elsewhere[count % 2]?.email }))).toBe('EMBED_IDENTITY_CONFLICT');
    }
    for (const sub of [known.sub, randomUUID()]) {
      const message = 'Limit reached: 20 addresses of other workspaces per hour';
      expect(await retryAfter(app.mint({ sub, email: elsewhere[0]?.email }), message)).toBeGreaterThan(3000);
    }
  });

  it('cannot be told from free ones then: whatever could tell is refused alike', async () => {
    for (const sub of [known.sub, randomUUID()]) expect(await codeOf(app.mint({ sub }))).toBe('RATE_LIMITED');
  });

  it('keep nobody from a token who presents the address they have always had, nor another app', async () => {
    expect(await codeOf(app.mint(known))).toBe('no error');
    expect(await codeOf((await host()).mint())).toBe('no error');
  });

  it('are shown to operators by app', async () => {
    const operators = new TestOperators(identity);
    const { accessToken: ada } = await operators.newlySignedIn();
    const { userId } = await identity.get(TokenVerifier).verify(ada, [AUDIENCES.admin]);
    const shown = { appKey: app.appKey, conflicts: 20 };
    expect((await operators.call('listEmbedConflicts', {}, ada)).data).toContainEqual({
      ...shown,
      tenantId: app.owner.tenantId,
      throttled: true,
      resetsAt: expect.stringMatching(/Z$/),
    });
    const seen = "SELECT act, findings FROM operator_audit WHERE operator_id = $1 AND act = 'embed-conflict.view'";
    expect(await identity.query(PLATFORM_TENANT, seen, [userId])).toEqual([
      { act: 'embed-conflict.view', findings: { apps: expect.arrayContaining([shown]) } },
    ]);
  });

  it('are counted in the database, and anew in the next hour', async () => {
    await identity.query(app.owner.tenantId, 'UPDATE quota_use SET resets_at = now()');
    expect(await codeOf(app.mint({ email: elsewhere[0]?.email }))).toBe('EMBED_IDENTITY_CONFLICT');
    expect(await codeOf(app.mint({ sub: known.sub }))).toBe('no error');
  });

  it('of many mints at the same time are answered with 409 twenty times at most', async () => {
    const other = await host();
    const mints = Array.from({ length: 30 }, () => codeOf(other.mint({ email: elsewhere[0]?.email })));
    const codes = (await Promise.all(mints)).sort();
    expect(codes).toEqual([...Array(20).fill('EMBED_IDENTITY_CONFLICT'), ...Array(10).fill('RATE_LIMITED')]);
  });
});

describe('quotas of a workspace', () => {
  const limited = TestIdentity.ofFile({ quotas: { hostUsers: quota(2), users: { ...quota(2), business: 3 } } });

  const add = ({ accessToken: token }: Account, email = newEmail(), headers: Record<string, string> = {}) => {
    const body = { email, name: 'X', roles: ['member'] };
    return limited.request('POST', '/api/tenant/users', { token, headers, body });
  };

  it('stop new host users and let known ones go on', async () => {
    const { mint } = await host({}, limited);
    const first = { sub: 'a', email: newEmail() };
    await mint(first);
    await mint();
    expect(await retryAfter(mint(), 'Limit reached: 2 new host users per day')).toBeGreaterThan(80_000);
    expect(await codeOf(mint(first))).toBe('no error');
  });

  it('stop invitations and new users by plan, with 429 and Retry-After, and not those of another workspace', async () => {
    const [developer, business] = [await limited.account(), await limited.account({ plan: 'business' })];
    const statuses = async (owner: Account) => {
      const answers = [];
      for (let count = 0; count < 4; count += 1) answers.push((await add(owner)).status);
      return answers;
    };
    expect(await statuses(developer)).toEqual([201, 201, 429, 429]);
    expect(await statuses(business)).toEqual([201, 201, 201, 429]);
    const { headers, body } = await add(developer);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(80_000);
    expect(body).toMatchObject({ detail: 'Limit reached: 2 invitations and new users per day' });
  });

  it('do not refuse the repetition of a call that was within them', async () => {
    const owner = await limited.account();
    const [email, headers] = [newEmail(), { 'idempotency-key': randomUUID() }];
    const first = await add(owner, email, headers);
    await add(owner);
    const again = await add(owner, email, headers);
    expect([again.status, again.body.id]).toEqual([201, first.body.id]);
    expect((await add(owner)).status).toBe(429);
  });
});

describe('the secrets of embed credentials', () => {
  it('overlap for the time that is told, and the previous one can be ended at once', async () => {
    const { credentials, issue, mint, clients, appKey, principal: administrator } = await host();
    const principal = await administrator();
    const renewed = await issue({ overlapSeconds: 3600 });
    const until = Date.parse(renewed.previousSecretValidUntil ?? '');
    expect(Math.abs(until - Date.now() - 3_600_000)).toBeLessThan(60_000);
    const { clientSecret } = renewed;
    expect([await codeOf(mint()), await codeOf(mint({ clientSecret }))]).toEqual(['no error', 'no error']);
    expect(await clients.revokePrevious(principal, appKey)).toBe(true);
    expect(await codeOf(mint())).toBe('INVALID_EMBED_CREDENTIALS');
    expect(await codeOf(mint({ clientSecret }))).toBe('no error');
    expect(await clients.revokePrevious(principal, appKey)).toBe(false);
    expect(renewed.clientId).toBe(credentials.clientId);
  });

  it('stop working when the overlap is over, and are two at most', async () => {
    const { issue, mint, owner } = await host();
    const second = await issue({ overlapSeconds: 3600 });
    const third = await issue({ overlapSeconds: 3600 });
    expect(await codeOf(mint())).toBe('INVALID_EMBED_CREDENTIALS');
    expect(await codeOf(mint({ clientSecret: second.clientSecret }))).toBe('no error');
    const expire = 'UPDATE embed_client SET previous_valid_until = now() WHERE tenant_id = $1';
    await identity.queryAll(expire, [owner.tenantId]);
    expect(await codeOf(mint({ clientSecret: second.clientSecret }))).toBe('INVALID_EMBED_CREDENTIALS');
    expect(await codeOf(mint({ clientSecret: third.clientSecret }))).toBe('no error');
  });

  it('show when they were last used, each for itself', async () => {
    const { issue, mint, clients, appKey, principal: administrator } = await host();
    const principal = await administrator();
    const unused = { secret: { lastUsedAt: null }, previousSecret: null };
    expect(await clients.describe(principal, appKey)).toMatchObject(unused);
    await mint();
    await issue({ overlapSeconds: 3600 });
    const summary = await clients.describe(principal, appKey);
    expect(summary).toMatchObject({
      secret: { lastUsedAt: null },
      previousSecret: { lastUsedAt: expect.stringMatching(/Z$/), validUntil: expect.stringMatching(/Z$/) },
    });
    const used = Date.parse(summary?.previousSecret?.lastUsedAt ?? '');
    expect(Math.abs(Date.now() - used)).toBeLessThan(60_000);
  });

  it('are described and ended for administrators of the own workspace only', async () => {
    const [one, other] = [await host(), await host()];
    await one.issue({ overlapSeconds: 3600 });
    const stranger = await other.principal();
    expect(await one.clients.describe(stranger, one.appKey)).toBeNull();
    expect(await one.clients.revokePrevious(stranger, one.appKey)).toBe(false);
    const member = await principalOf(identity, (await identity.member(one.owner)).accessToken);
    expect(await codeOf(one.clients.describe(member, one.appKey))).toBe('FORBIDDEN');
    expect(await codeOf(one.clients.revokePrevious(member, one.appKey))).toBe('FORBIDDEN');
    expect(await codeOf(one.mint())).toBe('no error');
  });

  it('are not issued to a workspace whose address is not verified, and mint no new host user for one', async () => {
    const { issue, mint, owner } = await host();
    const known = { sub: 'known', email: newEmail() };
    await mint(known);
    await identity.query(owner.tenantId, 'UPDATE tenant SET verified_at = NULL');
    expect(await codeOf(issue())).toBe('EMAIL_NOT_VERIFIED');
    expect(await codeOf(mint())).toBe('EMAIL_NOT_VERIFIED');
    expect(await codeOf(mint(known))).toBe('no error');
  });
});

describe('credentials of an app that nobody has reviewed', () => {
  it('mint for the workspace of the publisher and no other', async () => {
    const { mint, owner } = await host({ reviewed: false });
    const { embedToken } = await mint();
    expect((await principalOf(identity, embedToken)).tenantId).toBe(owner.tenantId);
    const stranger = await identity.account();
    await prove(identity, stranger);
    expect(await codeOf(mint({ email: stranger.email }))).toBe('EMBED_IDENTITY_CONFLICT');
  });

  it('allow origins on localhost, until a version is reviewed', async () => {
    const { issue, clients, credentials, owner, appKey } = await host({
      developmentOrigins: ['http://localhost:3000'],
    });
    const origins = ['https://host.example', 'http://localhost:3000'];
    expect(await clients.allowedOrigins(credentials.clientId)).toEqual(origins);
    const published = { allowedOrigins: ['https://host.example'], scopes: ['leads'], linkUsersBy: 'email' as const };
    await clients.update({ tenantId: owner.tenantId, appKey, ...published });
    expect(await clients.allowedOrigins(credentials.clientId)).toEqual(['https://host.example']);
    const refused = issue({ reviewed: true, developmentOrigins: ['http://localhost:3000'] });
    expect(await codeOf(refused)).toBe('CONFLICT');
  });

  it('allow no other origin of the development', async () => {
    const { issue } = await host();
    for (const origin of [
      'https://localhost:3000',
      'http://127.0.0.1:3000',
      'http://localhost.evil.example',
      'http://localhost:3000/path',
      'http://evil.example',
      'http://localhost:3000 https://evil.example',
    ]) {
      const code = await codeOf(issue({ developmentOrigins: [origin] }));
      expect([origin, code]).toEqual([origin, 'VALIDATION_FAILED']);
    }
  });
});

describe('the first link by address', () => {
  const undo = (token: string) => identity.post('/api/auth/embed-links/undo', { token });
  const tokenIn = (text: string) => /#token=([\w.-]+)/.exec(text)?.[1] ?? '';

  it('is told to the user by mail, who can undo it: the host gets no more tokens and those it has stop working', async () => {
    const { mint, owner, appKey } = await host();
    const viewer = await identity.member(owner, ['viewer']);
    const request = { sub: 'u1', email: viewer.email, name: 'Buy at evil.example' };
    const { embedToken } = await mint(request);
    const { text } = await mailServer.mailTo(viewer.email);
    expect(text).toContain(appKey.slice(0, 20));
    expect(text).not.toContain('evil');
    const [, secret = 'missing'] = tokenIn(text).split('.');
    const stored = JSON.stringify(await identity.query(owner.tenantId, 'SELECT * FROM embed_user'));
    expect([stored.includes(viewer.userId), stored.includes(secret)]).toEqual([true, false]);
    expect((await identity.request('GET', '/api/auth/me', { token: embedToken })).status).toBe(200);
    expect((await undo(tokenIn(text))).status).toBe(204);
    expect(await codeOf(mint(request))).toBe('EMBED_USER_DISABLED');
    await untilRevoked(identity, embedToken);
    expect(await entryOf(identity, owner, 'embed_link.undone')).toMatchObject({ subject: { id: viewer.userId } });
    expect((await undo(tokenIn(text))).body.code).toBe('INVALID_UNDO_LINK');
    const links = `/api/tenant/embed-links?appKey=${appKey}&sub=u1`;
    expect((await identity.send('GET', links, owner)).body.data).toEqual([]);
    await identity.send('PUT', '/api/tenant/embed-links', owner, { appKey, sub: 'u1', userId: viewer.userId });
    expect(await codeOf(mint(request))).toBe('no error');
  });

  it('that was undone is not made again for another sub with the address, until an administrator links one', async () => {
    const { userOf, owner, appKey } = await host();
    await identity.role(owner, 'manager');
    const { userId, email } = await identity.member(owner, ['manager']);
    expect((await userOf({ sub: 'u1', email })).userId).toBe(userId);
    expect((await undo(tokenIn((await mailServer.mailTo(email)).text))).status).toBe(204);
    const second = await userOf({ sub: 'u2', email });
    expect([second.userId === userId, second.roles]).toEqual([false, ['member']]);
    const link = await identity.send('PUT', '/api/tenant/embed-links', owner, { appKey, sub: 'u1', userId });
    expect(link.status).toBe(200);
    expect((await userOf({ sub: 'u3', email })).userId).toBe(userId);
    expect((await userOf({ sub: 'u2', email })).userId).toBe(second.userId);
  });

  it('is told once, and not to a user whom the host has brought itself', async () => {
    const { mint, owner } = await host();
    const request = { sub: 'u1', email: owner.email };
    await mint(request);
    await mailServer.mailTo(owner.email);
    const told = () => mailServer.mails.filter(({ to }) => to === owner.email).length;
    await mint(request);
    await mint({ sub: 'u2' });
    await mint({ ...request, sub: 'u3' });
    await waitUntil(() => told() === 2, { timeoutMs: 5000, describe: 'the mail about the second sub' });
    expect(told()).toBe(2);
  });

  it('cannot be undone with a wrong, foreign or expired token', async () => {
    const [one, other] = [await host(), await host()];
    await one.mint({ sub: 'u', email: one.owner.email });
    await other.mint({ sub: 'u', email: other.owner.email });
    const token = tokenIn((await mailServer.mailTo(one.owner.email)).text);
    const foreign = tokenIn((await mailServer.mailTo(other.owner.email)).text);
    const [ids] = token.split('.');
    for (const wrong of ['x', `${ids}.x`, `${ids}.${foreign.split('.')[1]}`, `${foreign.split('.')[0]}.x`]) {
      expect([wrong, ...(await outcome(undo(wrong)))]).toEqual([wrong, 410, 'INVALID_UNDO_LINK']);
    }
    await identity.query(one.owner.tenantId, 'UPDATE embed_user SET undo_expires_at = now()');
    expect((await undo(token)).body.code).toBe('INVALID_UNDO_LINK');
    expect((await undo(foreign)).status).toBe(204);
  });
});
