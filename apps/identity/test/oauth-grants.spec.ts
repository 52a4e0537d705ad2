import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { OAuthAppService, OAuthInstallationService } from '../src/oauth/client.service.js';
import { auditOf } from './audit.js';
import { codeOf, principalOf, untilRevoked } from './checks.js';
import { type Account, outcome, TestIdentity } from './identity.js';
import {
  approved,
  basic,
  decide,
  exchange,
  expectEnded,
  expectInvalid,
  granted,
  type Installed,
  installed,
  issue,
  pkce,
  post,
  refresh,
  requestOf,
} from './oauth.js';

const identity = TestIdentity.ofFile();

const tokenCode = (token: string) => codeOf(principalOf(identity, token));

interface GrantBody {
  id: string;
  app: { key: string };
  scopes: string[];
  requiredScopes: string[];
}

/** The apps that act for someone, the last allowed first. */
async function grantsOf(account: Account): Promise<GrantBody[]> {
  const { body } = await identity.send('GET', '/api/auth/oauth/grants', account);
  expect(body.total).toBe(body.data.length);
  return body.data as unknown as GrantBody[];
}

/** An app that an owner has allowed to act for them. */
const grantedApp = async () => {
  const own = await installed(identity);
  return { app: own, ...(await granted(identity, own, own.admin)) };
};

describe('a refresh token of an app', () => {
  it('gives new tokens with the present roles of the user and the present scopes of the installation', async () => {
    const app = await installed(identity);
    const member = await identity.member(app.admin);
    const first = await granted(identity, app, member);
    await identity.changeUser(app.admin, member.userId, { roles: ['viewer'] });
    await identity.get(OAuthInstallationService).register({ ...app, scopes: ['leads:read'] });
    const second = await refresh(identity, app, first.refresh_token);
    expect([second.status, second.body.scope]).toEqual([200, 'leads:read']);
    const principal = await principalOf(identity, second.body.access_token);
    expect(principal).toMatchObject({ roles: ['viewer'], scopes: ['leads:read'] });
  });

  it('gives fewer scopes when asked, without narrowing the next, and never more', async () => {
    const { app, refresh_token } = await grantedApp();
    const wide = await refresh(identity, app, refresh_token, { scope: 'leads contacts' });
    expect(await outcome(wide)).toEqual([400, 'invalid_scope']);
    const narrow = await refresh(identity, app, refresh_token, { scope: 'leads:read' });
    expect(narrow.body.scope).toBe('leads:read');
    expect((await refresh(identity, app, narrow.body.refresh_token)).body.scope).toBe('leads tasks:read');
  });

  it('gives the same successor again for ten seconds, and at the same time', async () => {
    const { app, refresh_token } = await grantedApp();
    const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(identity, app, refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
  });

  it('ends the grant when it is presented again after ten seconds', async () => {
    const { app, refresh_token } = await grantedApp();
    const second = await refresh(identity, app, refresh_token);
    const past = "UPDATE oauth_refresh_token SET rotated_at = rotated_at - interval '11 seconds'";
    await identity.query(app.tenantId, past);
    await expectInvalid(identity, app, refresh_token);
    await expectEnded(identity, app, second.body);
  });

  it('ends the grant when it is presented again after its successor was used', async () => {
    const { app, refresh_token } = await grantedApp();
    const second = await refresh(identity, app, refresh_token);
    const third = await refresh(identity, app, second.body.refresh_token);
    await expectInvalid(identity, app, refresh_token);
    await untilRevoked(identity, third.body.access_token);
  });

  it('is refused from another app and with another installation, and stays valid for its own', async () => {
    const [app, other] = [await installed(identity), await installed(identity)];
    const { refresh_token } = await granted(identity, app, app.admin);
    await expectInvalid(identity, other, refresh_token);
    const foreign = { installation_id: other.installationId };
    await expectInvalid(identity, app, refresh_token, foreign);
    const own = { installation_id: app.installationId };
    expect((await refresh(identity, app, refresh_token, own)).status).toBe(200);
  });

  it('is refused after the end of the grant, however often it was used', async () => {
    const { app, refresh_token } = await grantedApp();
    await identity.query(app.tenantId, 'UPDATE oauth_grant SET expires_at = now(), ends_at = now()');
    await expectInvalid(identity, app, refresh_token);
  });
});

describe('what an app may do for a user', () => {
  it('is listed and ended by the user, and by nobody else', async () => {
    const app = await installed(identity);
    const member = await identity.member(app.admin);
    const tokens = await granted(identity, app, member);
    expect(await grantsOf(app.admin)).toEqual([]);
    const data = await grantsOf(member);
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ app: { key: app.appKey, name: 'Site Visits' }, scopes: ['leads', 'tasks:read'] });
    const end = async (by: Account) =>
      (await identity.send('DELETE', `/api/auth/oauth/grants/${data[0]?.id}`, by)).status;
    expect([await end(app.admin), await end(member)]).toEqual([404, 204]);
    await expectEnded(identity, app, tokens);
    expect(await grantsOf(member)).toEqual([]);
    expect(await end(member)).toBe(404);
  });

  it('ends with the installation, for every user', async () => {
    const app = await installed(identity);
    const member = await identity.member(app.admin);
    const all = [await granted(identity, app, app.admin), await granted(identity, app, member)];
    await identity.get(OAuthInstallationService).end(app);
    for (const tokens of all) await expectEnded(identity, app, tokens);
    expect(await grantsOf(member)).toEqual([]);
  });

  it('ends while the app is revoked', async () => {
    const app = await installed(identity);
    const tokens = await granted(identity, app, app.admin);
    await identity.get(OAuthAppService).setStatus(app.appKey, 'revoked');
    await expectEnded(identity, app, tokens);
  });

  it('ends when the user is disabled and when they end all of their sessions', async () => {
    const app = await installed(identity);
    for (const end of [
      (member: Account) => identity.changeUser(app.admin, member.userId, { status: 'disabled' }),
      (member: Account) => identity.send('DELETE', '/api/auth/sessions', member),
    ]) {
      const member = await identity.member(app.admin);
      const tokens = await granted(identity, app, member);
      expect((await end(member)).status).toBeLessThan(300);
      await expectEnded(identity, app, tokens);
    }
  });
});

/** What the package of the app asks for; it cannot work without the first. */
const SCOPES = ['leads', 'tasks:read', 'contacts'];
const REQUIRED = ['leads'];

let app: Installed;
beforeAll(async () => {
  app = await installed(identity, { scopes: SCOPES, requiredScopes: REQUIRED });
});

const narrow = (account: Account, id: string, scopes: unknown) =>
  identity.send('PATCH', `/api/auth/oauth/grants/${id}`, account, { scopes });
/** A new user of the workspace who has allowed the app something. */
async function memberWithGrant(scopes?: string[]) {
  const member = await identity.member(app.admin);
  const tokens = await granted(identity, app, member, {}, scopes);
  const [{ id } = { id: '' }] = await grantsOf(member);
  return { member, tokens, id };
}
const entriesOf = ({ userId }: Account, action: string) =>
  auditOf(identity, app.admin, `&subject=${userId}&action=oauth_grant.${action}`);

async function introspect(token: string): Promise<string> {
  const { clientId, clientSecret } = await issue(identity, app);
  return (await post(identity, 'introspect', { token }, basic(clientId, clientSecret))).body.scope;
}

describe('a user who is asked by an app', () => {
  it('is shown which scopes the app cannot work without', async () => {
    const id = await requestOf(identity, app, pkce().challenge);
    const { body } = await identity.send('GET', `/api/auth/oauth/requests/${id}`, app.admin);
    const { scopes } = body as unknown as { scopes: { name: string; required: boolean }[] };
    expect(scopes.map(({ name, required }) => [name, required])).toEqual([
      ['leads', true],
      ['tasks:read', false],
      ['contacts', false],
    ]);
  });

  it('gives what they choose: code, token, introspection, list and trail have that', async () => {
    const member = await identity.member(app.admin);
    const tokens = await granted(identity, app, member, { scope: SCOPES.join(' ') }, ['contacts', 'leads']);
    // RFC 6749, section 5.1: the app learns that it has less than it asked for.
    expect(tokens.scope).toBe('leads contacts');
    expect(decodeJwt(tokens.access_token)).toMatchObject({ scopes: ['leads', 'contacts'] });
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect(await introspect(token)).toBe('leads contacts');
    }
    expect(await grantsOf(member)).toMatchObject([{ scopes: ['leads', 'contacts'], requiredScopes: ['leads'] }]);
    const wider = await refresh(identity, app, tokens.refresh_token, { scope: 'tasks:read' });
    expect(await outcome(wider)).toEqual([400, 'invalid_scope']);
    expect((await refresh(identity, app, tokens.refresh_token)).body.scope).toBe('leads contacts');
    const [entry] = await entriesOf(member, 'approved');
    expect(entry?.detail).toMatchObject({ scopes: ['leads', 'contacts'], withheld: ['tasks:read'] });
  });

  it('gives everything by a decision that chooses nothing, as clients of before make it', async () => {
    const member = await identity.member(app.admin);
    expect((await granted(identity, app, member)).scope).toBe(SCOPES.join(' '));
    const [entry] = await entriesOf(member, 'approved');
    expect(entry?.detail).not.toHaveProperty('withheld');
  });

  it.each([
    ['nothing', [], 'VALIDATION_FAILED'],
    ['what was not asked for', ['leads', 'webhooks'], 'SCOPE_NOT_OFFERED'],
    ['more than what was asked for', ['leads', 'tasks'], 'SCOPE_NOT_OFFERED'],
    ['what the app cannot work with', ['contacts'], 'SCOPE_REQUIRED'],
  ])('cannot give %s, and can choose again', async (_what, scopes, code) => {
    const id = await requestOf(identity, app, pkce().challenge);
    expect(await outcome(decide(identity, app.admin, id, 'approve', scopes))).toEqual([422, code]);
    expect((await decide(identity, app.admin, id, 'approve', ['leads'])).status).toBe(200);
  });

  it('gives less when the workspace takes a scope from the app before the code is exchanged', async () => {
    const own = await installed(identity, { scopes: SCOPES });
    const code = await approved(identity, own, own.admin, {}, ['leads', 'contacts']);
    await identity.get(OAuthInstallationService).register({ ...own, scopes: ['contacts', 'tasks:read'] });
    expect((await exchange(identity, own, code)).body.scope).toBe('contacts');
  });
});

describe('a user who takes a scope from an app', () => {
  it('ends its access tokens, and a refresh gives what is left', async () => {
    const member = await identity.member(app.admin);
    const tokens = await granted(identity, app, member);
    const other = await granted(identity, app, member);
    const [, grant] = await grantsOf(member);
    const { status, body } = await narrow(member, grant?.id ?? '', ['leads', 'contacts']);
    expect([status, body]).toEqual([200, { ...grant, scopes: ['leads', 'contacts'] }]);
    await untilRevoked(identity, tokens.access_token);
    const next = await refresh(identity, app, tokens.refresh_token);
    expect([next.status, next.body.scope]).toEqual([200, 'leads contacts']);
    expect(await principalOf(identity, next.body.access_token)).toMatchObject({ scopes: ['leads', 'contacts'] });
    expect(await introspect(next.body.refresh_token)).toBe('leads contacts');
    expect((await grantsOf(member)).map(({ scopes }) => scopes)).toEqual([SCOPES, ['leads', 'contacts']]);
    // What the user has allowed apart from that goes on.
    expect(await tokenCode(other.access_token)).toBe('no error');
    const again = await refresh(identity, app, next.body.refresh_token, { scope: 'tasks:read' });
    expect(again.body.error).toBe('invalid_scope');
  });

  it('can end what is left: the tokens of after the change end as well', async () => {
    const { member, tokens, id } = await memberWithGrant();
    await narrow(member, id, ['leads']);
    const next = await refresh(identity, app, tokens.refresh_token);
    expect(await tokenCode(next.body.access_token)).toBe('no error');
    await identity.send('DELETE', `/api/auth/oauth/grants/${id}`, member);
    await expectEnded(identity, app, next.body);
  });

  it('gives it back by a new consent alone', async () => {
    const { member, id } = await memberWithGrant(['leads']);
    for (const scopes of [SCOPES, ['leads', 'contacts']]) {
      expect(await outcome(narrow(member, id, scopes))).toEqual([422, 'SCOPE_NOT_OFFERED']);
    }
    expect((await granted(identity, app, member)).scope).toBe(SCOPES.join(' '));
    expect((await grantsOf(member)).map(({ scopes }) => scopes)).toEqual([SCOPES, ['leads']]);
  });

  it.each([
    ['nothing', [], 'VALIDATION_FAILED'],
    ['a list of nothing but texts', [1], 'VALIDATION_FAILED'],
    ['what the app cannot work with', ['contacts'], 'SCOPE_REQUIRED'],
  ])('cannot leave it %s', async (_what, scopes, code) => {
    const { member, tokens, id } = await memberWithGrant();
    expect(await outcome(narrow(member, id, scopes))).toEqual([422, code]);
    expect((await grantsOf(member))[0]?.scopes).toEqual(SCOPES);
    expect(await tokenCode(tokens.access_token)).toBe('no error');
  });

  it('changes nothing by leaving it everything', async () => {
    const { member, tokens, id } = await memberWithGrant();
    expect((await narrow(member, id, SCOPES)).status).toBe(200);
    expect(await tokenCode(tokens.access_token)).toBe('no error');
    expect(await entriesOf(member, 'narrowed')).toEqual([]);
  });

  it('is in the trail with what was removed and what is left', async () => {
    const { member, id } = await memberWithGrant();
    await narrow(member, id, ['leads']);
    const entries = await entriesOf(member, 'narrowed');
    expect(entries).toMatchObject([
      {
        actor: { kind: 'user', id: member.userId },
        subject: { kind: 'user', id: member.userId },
        detail: {
          appKey: app.appKey,
          installationId: app.installationId,
          grantId: id,
          removed: ['tasks:read', 'contacts'],
          scopes: ['leads'],
        },
      },
    ]);
  });

  it('is the user for whom the app acts, and nobody else, not even the app', async () => {
    const { member, tokens, id } = await memberWithGrant();
    const stranger = await identity.account();
    for (const other of [app.admin, stranger]) {
      expect((await narrow(other, id, ['leads'])).status).toBe(404);
    }
    expect((await narrow({ ...member, accessToken: tokens.access_token }, id, ['leads'])).status).toBe(403);
    expect((await grantsOf(member))[0]?.scopes).toEqual(SCOPES);
  });

  it('ends every token from before, however many refreshes are made at the same time', async () => {
    const { member, tokens: first, id } = await memberWithGrant();
    const [answer, ...refreshed] = await Promise.all([
      narrow(member, id, ['leads']),
      ...Array.from({ length: 4 }, () => refresh(identity, app, first.refresh_token)),
    ]);
    expect(answer.status).toBe(200);
    const wide = refreshed.filter(({ body }) => body.scope !== 'leads');
    for (const { body } of wide) await untilRevoked(identity, body.access_token);
    await untilRevoked(identity, first.access_token);
  });
});
