import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuthInstallationService } from '../src/oauth/client.service.js';
import { auditOf, entryOf } from './audit.js';
import { type Account, TestIdentity } from './identity.js';
import { made } from './keys.js';
import * as oauth from './oauth.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

const send = async (method: string, path: string, { accessToken }: Account, body?: unknown) => {
  const answer = await identity.request(method, path, { token: accessToken, ...(body !== undefined && { body }) });
  expect(answer.status).toBeLessThan(300);
  return answer;
};
const KEYS = '/api/auth/api-keys';
const makeKey = async (account: Account, path = KEYS) =>
  made(await send('POST', path, account, { name: 'Grace at home', ...(path === KEYS && { scopes: ['leads'] }) }));
/** Entries of actions that begin so, newest first. */
const entriesOf = async (owner: Account, beginning: string) =>
  (await auditOf(identity, owner)).filter(({ action }) => action.startsWith(beginning));

describe('API keys in the audit trail', () => {
  it('are those that were made and ended, by whom, and never their secrets and names', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const [first, second] = [await makeKey(member), await makeKey(member)];
    await send('DELETE', `${KEYS}/${first.id}`, member);
    await send('DELETE', `/api/tenant/users/${member.userId}/api-keys`, owner);
    const entries = await entriesOf(owner, 'api_key.');
    expect(entries.map(({ action, actor }) => [action, actor.id])).toEqual([
      ['api_key.all_ended', owner.userId],
      ['api_key.ended', member.userId],
      ['api_key.made', member.userId],
      ['api_key.made', member.userId],
    ]);
    for (const { subject, address, outcome } of entries) {
      expect([subject?.kind, subject?.id, address, outcome]).toEqual(['user', member.userId, '127.0.0.1', 'success']);
    }
    expect(entries.map(({ detail }) => detail)).toMatchObject([
      { keys: 1 },
      { keyId: first.id },
      { keyId: second.id, scopes: ['leads'] },
      { keyId: first.id, scopes: ['leads'] },
    ]);
    for (const text of [first.key, second.key, 'Grace']) expect(JSON.stringify(entries)).not.toContain(text);
  });

  it('are not those that could not be ended', async () => {
    const owner = await identity.account();
    const other = await identity.member(owner);
    const { id } = await makeKey(owner);
    expect((await identity.request('DELETE', `${KEYS}/${id}`, { token: other.accessToken })).status).toBe(404);
    expect((await entriesOf(owner, 'api_key.')).map(({ action }) => action)).toEqual(['api_key.made']);
  });

  it('are those of service accounts, with the changes of these', async () => {
    const owner = await identity.account();
    const accounts = '/api/tenant/service-accounts';
    const { body } = await send('POST', accounts, owner, { name: 'ERP', roles: ['member'], scopes: ['leads'] });
    const { id } = body;
    const [first] = [
      await makeKey(owner, `${accounts}/${id}/api-keys`),
      await makeKey(owner, `${accounts}/${id}/api-keys`),
    ];
    await send('PATCH', `${accounts}/${id}`, owner, { roles: ['viewer'], scopes: ['leads:read'] });
    await send('DELETE', `${accounts}/${id}/api-keys/${first.id}`, owner);
    await send('DELETE', `${accounts}/${id}`, owner);
    const entries = await auditOf(identity, owner, `&subject=${id}`);
    expect(entries.map(({ action, detail }) => [action, detail])).toMatchObject([
      ['service_account.removed', { keys: 1 }],
      ['api_key.ended', { keyId: first.id }],
      [
        'service_account.changed',
        { rolesFrom: ['member'], rolesTo: ['viewer'], scopesTo: ['leads:read'], statusTo: 'active', renamed: false },
      ],
      ['api_key.made', {}],
      ['api_key.made', { keyId: first.id }],
      ['service_account.added', { roles: ['member'], scopes: ['leads'] }],
    ]);
    for (const { subject, actor } of entries) {
      expect([subject?.kind, actor.id]).toEqual(['service_account', owner.userId]);
    }
  });
});

describe('apps in the audit trail', () => {
  it('are credentials of installations, issued, revoked and ended', async () => {
    const app = await oauth.installed(identity);
    const { installationId, appKey, admin } = app;
    const installations = identity.get(OAuthInstallationService);
    const first = await oauth.issue(identity, app);
    const second = await oauth.issue(identity, app, 3600);
    const principal = await oauth.principalOf(identity, admin.accessToken);
    expect(await installations.revokePrevious(principal, installationId)).toBe(true);
    expect(await installations.revokePrevious(principal, installationId)).toBe(false);
    await installations.end(app);
    await installations.end(app);
    const entries = await auditOf(identity, admin, `&subject=${installationId}`);
    expect(entries.map(({ action, actor, detail }) => [action, actor.kind, detail])).toMatchObject([
      ['oauth_credentials.ended', 'system', { appKey }],
      ['oauth_credentials.previous_revoked', 'user', {}],
      ['oauth_credentials.issued', 'user', { appKey, clientId: first.clientId, overlapSeconds: 3600 }],
      ['oauth_credentials.issued', 'user', { appKey, clientId: first.clientId, overlapSeconds: 0 }],
    ]);
    for (const { clientSecret } of [first, second]) expect(JSON.stringify(entries)).not.toContain(clientSecret);
  });

  it('without credentials leave no entry when they are removed', async () => {
    const app = await oauth.installed(identity);
    await identity.get(OAuthInstallationService).end(app);
    expect(await entriesOf(app.admin, 'oauth_credentials')).toEqual([]);
  });

  it('are what users decided, and what ended', async () => {
    const app = await oauth.installed(identity);
    const { appKey, installationId, admin } = app;
    const member = await identity.member(admin);
    const denied = await oauth.requestOf(identity, app, oauth.pkce().challenge);
    expect((await oauth.decide(identity, member, denied, 'deny')).status).toBe(200);
    const own = await oauth.granted(identity, app, member);
    const [{ id: grantId } = { id: '' }] = (await send('GET', '/api/auth/oauth/grants', member)).body.data as {
      id: string;
    }[];
    await send('DELETE', `/api/auth/oauth/grants/${grantId}`, member);
    const byApp = await oauth.granted(identity, app, member);
    const revoked = await oauth.post(identity, 'revoke', { token: byApp.refresh_token, client_id: appKey });
    expect(revoked.status).toBe(200);
    const entries = await entriesOf(admin, 'oauth_grant.');
    expect(entries.map(({ action, actor }) => [action, actor.kind, actor.id])).toEqual([
      ['oauth_grant.ended', 'app', appKey],
      ['oauth_grant.approved', 'user', member.userId],
      ['oauth_grant.ended', 'user', member.userId],
      ['oauth_grant.approved', 'user', member.userId],
      ['oauth_grant.denied', 'user', member.userId],
    ]);
    for (const { subject, detail, address } of entries) {
      expect(subject).toEqual({ kind: 'user', id: member.userId, name: 'Member' });
      expect([detail.appKey, detail.installationId, address]).toEqual([appKey, installationId, '127.0.0.1']);
    }
    expect(entries[3]?.detail).toMatchObject({ grantId, scopes: ['leads', 'tasks:read'] });
    const text = JSON.stringify(entries);
    for (const secret of [own.refresh_token, byApp.refresh_token]) expect(text).not.toContain(secret);
  });

  it('are codes and refresh tokens that were presented twice, once each', async () => {
    const app = await oauth.installed(identity);
    const approval = await oauth.approved(identity, app, app.admin);
    expect((await oauth.exchange(identity, app, approval)).status).toBe(200);
    for (let again = 0; again < 3; again += 1) {
      expect((await oauth.exchange(identity, app, approval)).status).toBe(400);
    }
    const { refresh_token } = await oauth.granted(identity, app, app.admin);
    const next = await oauth.refresh(identity, app, refresh_token);
    expect((await oauth.refresh(identity, app, next.body.refresh_token)).status).toBe(200);
    expect((await oauth.refresh(identity, app, refresh_token)).status).toBe(400);
    const entries = await entriesOf(app.admin, 'oauth_grant.replay_noticed');
    expect(entries).toHaveLength(2);
    for (const entry of entries) {
      expect(entry).toMatchObject({
        outcome: 'failure',
        actor: { kind: 'system', id: null },
        subject: { kind: 'user', id: app.admin.userId },
        address: '127.0.0.1',
        detail: { appKey: app.appKey },
      });
    }
  });

  it('have no entry when the decision comes too late', async () => {
    const app = await oauth.installed(identity);
    const request = await oauth.requestOf(identity, app, oauth.pkce().challenge);
    await oauth.decide(identity, app.admin, request, 'deny');
    await entryOf(identity, app.admin, 'oauth_grant.denied');
    expect((await oauth.decide(identity, app.admin, request, 'deny')).status).toBe(410);
    expect(await entriesOf(app.admin, 'oauth_grant.')).toHaveLength(1);
  });
});
