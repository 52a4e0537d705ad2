import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { OAuthInstallationService } from '../src/oauth/client.service.js';
import { auditOf } from './audit.js';
import { type Account, TestIdentity } from './identity.js';
import {
  approved,
  basic,
  decide,
  exchange,
  granted,
  type Installed,
  installed,
  issue,
  pkce,
  post,
  principalOf,
  refresh,
  requestOf,
} from './oauth.js';

/** What the package of the app asks for; it cannot work without the first. */
const SCOPES = ['leads', 'tasks:read', 'contacts'];
const REQUIRED = ['leads'];

let identity: TestIdentity;
let app: Installed;
beforeAll(async () => {
  identity = await TestIdentity.start();
  app = await installed(identity, { scopes: SCOPES, requiredScopes: REQUIRED });
});
afterAll(() => identity?.close());

interface GrantBody {
  id: string;
  scopes: string[];
  requiredScopes: string[];
}

const codeOf = (token: string) =>
  principalOf(identity, token).then(
    () => 'accepted',
    (error: { code?: string }) => error.code,
  );
const isRevoked = (token: string) => waitUntil(async () => (await codeOf(token)) === 'TOKEN_REVOKED');

/** The apps that act for somebody, the last allowed first. */
async function grantsOf({ accessToken: token }: Account): Promise<GrantBody[]> {
  const { body } = await identity.request('GET', '/api/auth/oauth/grants', { token });
  return body.data as unknown as GrantBody[];
}

const narrow = ({ accessToken: token }: Account, id: string, scopes: unknown) =>
  identity.request('PATCH', `/api/auth/oauth/grants/${id}`, { token, body: { scopes } });

async function introspect(token: string): Promise<string> {
  const { clientId, clientSecret } = await issue(identity, app);
  return (await post(identity, 'introspect', { token }, basic(clientId, clientSecret))).body.scope;
}

describe('a user who is asked by an app', () => {
  it('is shown which scopes the app cannot work without', async () => {
    const id = await requestOf(identity, app, pkce().challenge);
    const { accessToken: token } = app.admin;
    const { body } = await identity.request('GET', `/api/auth/oauth/requests/${id}`, { token });
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
    expect(await introspect(tokens.access_token)).toBe('leads contacts');
    expect(await introspect(tokens.refresh_token)).toBe('leads contacts');
    expect(await grantsOf(member)).toMatchObject([{ scopes: ['leads', 'contacts'], requiredScopes: ['leads'] }]);
    const wider = await refresh(identity, app, tokens.refresh_token, { scope: 'tasks:read' });
    expect([wider.status, wider.body.error]).toEqual([400, 'invalid_scope']);
    const next = await refresh(identity, app, tokens.refresh_token);
    expect(next.body.scope).toBe('leads contacts');
    const [entry] = await auditOf(identity, app.admin, `&subject=${member.userId}&action=oauth_grant.approved`);
    expect(entry?.detail).toMatchObject({ scopes: ['leads', 'contacts'], withheld: ['tasks:read'] });
  });

  it('gives everything by a decision that chooses nothing, as clients of before make it', async () => {
    const member = await identity.member(app.admin);
    expect((await granted(identity, app, member)).scope).toBe(SCOPES.join(' '));
    const [entry] = await auditOf(identity, app.admin, `&subject=${member.userId}&action=oauth_grant.approved`);
    expect(entry?.detail).not.toHaveProperty('withheld');
  });

  it.each([
    ['nothing', [], 'VALIDATION_FAILED'],
    ['what was not asked for', ['leads', 'webhooks'], 'SCOPE_NOT_OFFERED'],
    ['more than what was asked for', ['leads', 'tasks'], 'SCOPE_NOT_OFFERED'],
    ['what the app cannot work with', ['contacts'], 'SCOPE_REQUIRED'],
  ])('cannot give %s, and can choose again', async (_what, scopes, code) => {
    const id = await requestOf(identity, app, pkce().challenge);
    const refused = await decide(identity, app.admin, id, 'approve', scopes);
    expect([refused.status, refused.body.code]).toEqual([422, code]);
    expect((await decide(identity, app.admin, id, 'approve', ['leads'])).status).toBe(200);
  });

  it('need not give what the app requires and does not ask for', async () => {
    const wanted = { scope: 'tasks:read contacts' };
    expect((await granted(identity, app, app.admin, wanted, ['contacts'])).scope).toBe('contacts');
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
    await isRevoked(tokens.access_token);
    const next = await refresh(identity, app, tokens.refresh_token);
    expect([next.status, next.body.scope]).toEqual([200, 'leads contacts']);
    expect(await principalOf(identity, next.body.access_token)).toMatchObject({ scopes: ['leads', 'contacts'] });
    expect(await introspect(next.body.refresh_token)).toBe('leads contacts');
    expect((await grantsOf(member)).map(({ scopes }) => scopes)).toEqual([SCOPES, ['leads', 'contacts']]);
    // What the user has allowed apart from that goes on.
    expect(await codeOf(other.access_token)).toBe('accepted');
    const again = await refresh(identity, app, next.body.refresh_token, { scope: 'tasks:read' });
    expect(again.body.error).toBe('invalid_scope');
  });

  it('can end what is left: the tokens of after the change end as well', async () => {
    const member = await identity.member(app.admin);
    const tokens = await granted(identity, app, member);
    const [{ id } = { id: '' }] = await grantsOf(member);
    await narrow(member, id, ['leads']);
    const next = await refresh(identity, app, tokens.refresh_token);
    expect(await codeOf(next.body.access_token)).toBe('accepted');
    await identity.request('DELETE', `/api/auth/oauth/grants/${id}`, { token: member.accessToken });
    await isRevoked(next.body.access_token);
    expect((await refresh(identity, app, next.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('gives it back by a new consent alone', async () => {
    const member = await identity.member(app.admin);
    await granted(identity, app, member, {}, ['leads']);
    const [{ id } = { id: '' }] = await grantsOf(member);
    for (const scopes of [SCOPES, ['leads', 'contacts']]) {
      const { status, body } = await narrow(member, id, scopes);
      expect([status, body.code]).toEqual([422, 'SCOPE_NOT_OFFERED']);
    }
    expect((await granted(identity, app, member)).scope).toBe(SCOPES.join(' '));
    expect((await grantsOf(member)).map(({ scopes }) => scopes)).toEqual([SCOPES, ['leads']]);
  });

  it.each([
    ['nothing', [], 'VALIDATION_FAILED'],
    ['a list of nothing but texts', [1], 'VALIDATION_FAILED'],
    ['what the app cannot work with', ['contacts'], 'SCOPE_REQUIRED'],
  ])('cannot leave it %s', async (_what, scopes, code) => {
    const member = await identity.member(app.admin);
    const { access_token } = await granted(identity, app, member);
    const [{ id } = { id: '' }] = await grantsOf(member);
    const { status, body } = await narrow(member, id, scopes);
    expect([status, body.code]).toEqual([422, code]);
    expect((await grantsOf(member))[0]?.scopes).toEqual(SCOPES);
    expect(await codeOf(access_token)).toBe('accepted');
  });

  it('changes nothing by leaving it everything', async () => {
    const member = await identity.member(app.admin);
    const { access_token } = await granted(identity, app, member);
    const [{ id } = { id: '' }] = await grantsOf(member);
    expect((await narrow(member, id, SCOPES)).status).toBe(200);
    expect(await codeOf(access_token)).toBe('accepted');
    expect(await auditOf(identity, app.admin, `&subject=${member.userId}&action=oauth_grant.narrowed`)).toEqual([]);
  });

  it('is in the trail with what was removed and what is left', async () => {
    const member = await identity.member(app.admin);
    await granted(identity, app, member);
    const [{ id } = { id: '' }] = await grantsOf(member);
    await narrow(member, id, ['leads']);
    const entries = await auditOf(identity, app.admin, `&subject=${member.userId}&action=oauth_grant.narrowed`);
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
    const member = await identity.member(app.admin);
    const { access_token } = await granted(identity, app, member);
    const [{ id } = { id: '' }] = await grantsOf(member);
    const stranger = await identity.account();
    for (const other of [app.admin, stranger]) {
      expect((await narrow(other, id, ['leads'])).status).toBe(404);
    }
    expect((await narrow({ ...member, accessToken: access_token }, id, ['leads'])).status).toBe(403);
    expect((await grantsOf(member))[0]?.scopes).toEqual(SCOPES);
  });

  it('ends every token from before, however many refreshes are made at the same time', async () => {
    const member = await identity.member(app.admin);
    const first = await granted(identity, app, member);
    const [{ id } = { id: '' }] = await grantsOf(member);
    const [answer, ...refreshed] = await Promise.all([
      narrow(member, id, ['leads']),
      ...Array.from({ length: 4 }, () => refresh(identity, app, first.refresh_token)),
    ]);
    expect(answer.status).toBe(200);
    const wide = refreshed.filter(({ body }) => body.scope !== 'leads');
    for (const { body } of wide) await isRevoked(body.access_token);
    await isRevoked(first.access_token);
  });
});
