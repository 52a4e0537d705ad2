import { randomUUID } from 'node:crypto';
import { eventOf, publishEvents, waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { OAuthInstallationService } from '../src/oauth/client.service.js';
import { auditOf, entryOf } from './audit.js';
import { principalOf } from './checks.js';
import { EmbedHost } from './embed-host.js';
import { type Account, newEmail, quota, TestIdentity } from './identity.js';
import { made } from './keys.js';
import * as oauth from './oauth.js';
import { TestOperators } from './operators.js';
import { prove } from './persons.js';

const identity = TestIdentity.ofFile({ quotas: { users: quota(2) } });

/** Calls that succeed. */
const send = async (...call: Parameters<TestIdentity['send']>) => {
  const answer = await identity.send(...call);
  expect(answer.status).toBeLessThan(300);
  return answer;
};
const actionsOf = async (owner: Account) => (await auditOf(identity, owner)).map(({ action }) => action);

describe('acts of embedding in the audit trail', () => {
  it('are credentials, first links, conflicts and undone links, and no single mint', async () => {
    const foreign = await identity.account();
    await prove(identity, foreign);
    const host = await EmbedHost.start(identity, { overlapSeconds: 3600 });
    const { owner, appKey, clients, principal } = host;
    const { clientSecret } = await host.issue();
    const mint = (sub: string, email: string) => host.mint({ clientSecret, sub, email });
    await mint('owner-sub', owner.email);
    const newcomer = newEmail();
    await mint('new-sub', newcomer);
    const before = await actionsOf(owner);
    for (let again = 0; again < 5; again += 1) await mint('new-sub', newcomer);
    expect(await actionsOf(owner)).toEqual(before);
    await expect(mint('third-sub', foreign.email)).rejects.toMatchObject({ code: 'EMBED_IDENTITY_CONFLICT' });
    await clients.revokePrevious(await principal(), appKey);
    await send('PUT', '/api/tenant/embed-links', owner, { appKey, sub: 'new-sub', userId: owner.userId });
    const entries = await auditOf(identity, owner);
    expect(entries.map(({ action, actor, outcome }) => [action, actor.kind, outcome])).toEqual([
      ['embed_link.set', 'user', 'success'],
      ['embed_credentials.previous_revoked', 'user', 'success'],
      ['embed_credentials.conflict', 'app', 'failure'],
      ['user.provisioned', 'app', 'success'],
      ['embed_link.made', 'app', 'success'],
      ['embed_credentials.issued', 'user', 'success'],
      ['embed_credentials.issued', 'user', 'success'],
      ['sign_in.succeeded', 'user', 'success'],
      ['workspace.registered', 'user', 'success'],
    ]);
    expect(entries[3]).toMatchObject({ actor: { id: appKey }, subject: { kind: 'user' }, detail: { appKey } });
    // The workspace that the address belongs to learns nothing, as before.
    expect(await actionsOf(foreign)).toEqual(['sign_in.succeeded', 'workspace.registered']);
    const text = JSON.stringify(entries);
    for (const secret of [clientSecret, newcomer, foreign.email]) expect(text).not.toContain(secret);
  });
});

describe('who may show an app in the audit trail', () => {
  it('is there with the credentials, and when a published version changes it', async () => {
    const { owner, appKey, clients, issue } = await EmbedHost.start(identity);
    await issue({ developmentOrigins: ['http://localhost:3000'] });
    const { detail } = await entryOf(identity, owner, 'embed_credentials.issued');
    expect(detail).toMatchObject({ developmentOrigins: ['http://localhost:3000'] });
    const settings = { allowedOrigins: ['https://other.example'], scopes: ['leads'] };
    await clients.update({ tenantId: owner.tenantId, appKey, linkUsersBy: 'email', ...settings });
    expect(await entryOf(identity, owner, 'embed_credentials.settings_changed')).toMatchObject({
      subject: { kind: 'app', id: appKey },
      detail: settings,
    });
  });
});

describe('acts of the platform in the audit trail', () => {
  it('are plans that operators set', async () => {
    const owner = await identity.account();
    const operators = new TestOperators(identity);
    const { accessToken } = await operators.newlySignedIn();
    await operators.call('setPlan', { id: owner.tenantId, plan: 'business' }, accessToken);
    expect(await entryOf(identity, owner, 'workspace.plan_changed')).toMatchObject({
      actor: { kind: 'operator', id: decodeJwt(accessToken).sub, name: null },
      detail: { from: 'developer', to: 'business' },
    });
  });

  it('are settings that an administrator changed, by their names', async () => {
    const owner = await identity.account();
    const change = (body: object) => identity.send('PATCH', '/api/tenant', owner, body);
    await change({ name: 'Renamed', timeZone: 'UTC', currency: 'CHF' });
    expect(await entryOf(identity, owner, 'workspace.changed')).toMatchObject({
      actor: { kind: 'user', id: owner.userId },
      detail: { changed: ['name', 'currency'] },
    });
    // What changes nothing is no act.
    await change({ currency: 'CHF' });
    expect((await auditOf(identity, owner, '&action=workspace.changed')).length).toBe(1);
  });

  it('are quotas that refused a call, once per hour', async () => {
    const owner = await identity.account();
    const invite = () =>
      identity.post('/api/tenant/users', { email: newEmail(), name: 'Grace', roles: ['member'] }, owner.accessToken);
    for (const status of [201, 201, 429, 429, 429]) expect((await invite()).status).toBe(status);
    expect(await entryOf(identity, owner, 'quota.exhausted')).toMatchObject({
      outcome: 'failure',
      actor: { kind: 'user', id: owner.userId },
      subject: { kind: 'quota', id: 'users' },
      detail: { limit: 2 },
    });
    expect((await auditOf(identity, owner, '&action=quota.exhausted')).length).toBe(1);
  });

  it('are installations and disabled webhooks, by the events of the other services, each once', async () => {
    const [owner, stranger] = [await identity.account(), await identity.account()];
    const installationId = randomUUID();
    const installed = { installationId, appKey: 'acme-visits', version: '1.2.0', sandbox: false };
    const first = eventOf('app.installed', owner.tenantId, { ...installed, requestedBy: owner.userId });
    const url = 'https://hooks.example.com/s3cret';
    const subscription = { id: randomUUID(), url, description: null, events: ['lead.*'], createdBy: owner.userId };
    await publishEvents(
      first,
      first,
      eventOf('app.uninstalled', owner.tenantId, installed),
      eventOf('webhook.endpoint_disabled', owner.tenantId, {
        subscription,
        reason: 'the endpoint returned 410 Gone',
        disabledAt: new Date().toISOString(),
      }),
    );
    await waitUntil(async () => (await actionsOf(owner)).length >= 5, { describe: 'the events are recorded' });
    const entries = (await auditOf(identity, owner)).filter(({ action }) => /^(app|webhook)\./.test(action));
    const actions = entries.map(({ action }) => action).sort();
    expect(actions).toEqual(['app.installed', 'app.uninstalled', 'webhook.disabled']);
    expect(entries.find(({ action }) => action === 'app.installed')).toMatchObject({
      actor: { kind: 'user', id: owner.userId, name: 'Somebody' },
      subject: { kind: 'installation', id: installationId },
      detail: { appKey: 'acme-visits', version: '1.2.0', sandbox: false },
    });
    expect(JSON.stringify(entries)).not.toContain('s3cret');
    expect(await actionsOf(stranger)).toEqual(['sign_in.succeeded', 'workspace.registered']);
  });
});

const KEYS = '/api/auth/api-keys';
const makeKey = async (account: Account, path = KEYS) =>
  made(await send('POST', path, account, { name: 'Grace at home', ...(path === KEYS && { scopes: ['leads'] }) }));
/** Entries of actions that begin so, newest first. */
const entriesOf = async (owner: Account, beginning: string) =>
  (await auditOf(identity, owner)).filter(({ action }) => action.startsWith(beginning));

describe('API keys in the audit trail', () => {
  it('are those that were made and ended, by whom, and never their secrets and names', async () => {
    const { owner, member } = await identity.team('member');
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
    const { owner, member } = await identity.team('member');
    const { id } = await makeKey(owner);
    expect((await identity.send('DELETE', `${KEYS}/${id}`, member)).status).toBe(404);
    expect((await entriesOf(owner, 'api_key.')).map(({ action }) => action)).toEqual(['api_key.made']);
  });

  it('are those of service accounts, with the changes of these', async () => {
    const owner = await identity.account();
    const accounts = '/api/tenant/service-accounts';
    const account = { name: 'ERP', roles: ['member'], scopes: ['leads'] };
    const { id } = (await send('POST', accounts, owner, account)).body;
    const path = `${accounts}/${id}/api-keys`;
    const first = await makeKey(owner, path);
    await makeKey(owner, path);
    await send('PATCH', `${accounts}/${id}`, owner, { roles: ['viewer'], scopes: ['leads:read'] });
    await send('DELETE', `${path}/${first.id}`, owner);
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
    const principal = await principalOf(identity, admin.accessToken);
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
    const grantId = (await send('GET', '/api/auth/oauth/grants', member)).body.data[0]?.id;
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
    for (const _ of [1, 2, 3]) expect((await oauth.exchange(identity, app, approval)).status).toBe(400);
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
