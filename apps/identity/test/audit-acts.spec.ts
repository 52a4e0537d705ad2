import { randomUUID } from 'node:crypto';
import { TokenVerifier } from '@crm/access';
import { AUDIENCES } from '@crm/contracts';
import { eventOf, publishEvents, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbedClientService } from '../src/embedding/embed-client.service.js';
import { TenantService } from '../src/people/tenant.service.js';
import { auditOf, entryOf } from './audit.js';
import { mintAt } from './embed-host.js';
import { type Account, newEmail, quota, TestIdentity } from './identity.js';
import { withNewSecret } from './new-secret.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start({ quotas: { users: quota(2) } });
});
afterAll(() => identity?.close());

const principalOf = ({ accessToken }: Account) => identity.get(TokenVerifier).verify(accessToken, [AUDIENCES.api]);
const actionsOf = async (owner: Account) => (await auditOf(identity, owner)).map(({ action }) => action);

describe('acts of embedding in the audit trail', () => {
  it('are credentials, first links, conflicts and undone links, and no single mint', async () => {
    const owner = await identity.account();
    const foreign = await identity.account();
    const appKey = `app-${randomUUID().slice(0, 8)}`;
    const settings = {
      appKey,
      allowedOrigins: ['https://host.example'],
      scopes: ['leads'],
      linkUsersBy: 'email',
    } as const;
    const issue = async () =>
      withNewSecret(async (fingerprint) =>
        identity.get(EmbedClientService).issue(await principalOf(owner), {
          ...settings,
          fingerprint,
          allowedOrigins: [...settings.allowedOrigins],
          scopes: [...settings.scopes],
          overlapSeconds: 3600,
        }),
      );
    await issue();
    const credentials = await issue();
    const mint = (sub: string, email: string) => mintAt(identity, { ...credentials, sub, email, name: 'Host User' });
    await mint('owner-sub', owner.email);
    const newcomer = newEmail();
    await mint('new-sub', newcomer);
    const before = await actionsOf(owner);
    for (let again = 0; again < 5; again += 1) await mint('new-sub', newcomer);
    expect(await actionsOf(owner)).toEqual(before);
    await expect(mint('third-sub', foreign.email)).rejects.toMatchObject({ code: 'EMBED_IDENTITY_CONFLICT' });
    await identity.get(EmbedClientService).revokePrevious(await principalOf(owner), appKey);
    const link = { appKey, sub: 'new-sub', userId: owner.userId };
    expect(
      (await identity.request('PUT', '/api/tenant/embed-links', { token: owner.accessToken, body: link })).status,
    ).toBe(200);
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
    for (const secret of [credentials.clientSecret, newcomer, foreign.email]) expect(text).not.toContain(secret);
  });
});

describe('acts of the platform in the audit trail', () => {
  it('are plans that operators set', async () => {
    const owner = await identity.account();
    const roles = ['administrator'];
    const operator = {
      ...(await principalOf(owner)),
      kind: 'operator',
      userId: randomUUID(),
      tenantId: '',
      roles,
    } as const;
    await identity.get(TenantService).setPlan(operator, owner.tenantId, 'business');
    expect(await entryOf(identity, owner, 'workspace.plan_changed')).toMatchObject({
      actor: { kind: 'operator', id: operator.userId, name: null },
      detail: { from: 'developer', to: 'business' },
    });
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
    const owner = await identity.account();
    const stranger = await identity.account();
    const installationId = randomUUID();
    const installed = { installationId, appKey: 'acme-visits', version: '1.2.0', sandbox: false };
    const first = eventOf('app.installed', owner.tenantId, { ...installed, requestedBy: owner.userId });
    const subscription = {
      id: randomUUID(),
      url: 'https://hooks.example.com/s3cret',
      description: null,
      events: ['lead.*'],
    };
    await publishEvents(
      first,
      first,
      eventOf('app.uninstalled', owner.tenantId, installed),
      eventOf('webhook.endpoint_disabled', owner.tenantId, {
        subscription: { ...subscription, createdBy: owner.userId },
        reason: 'the receiver answered 410 Gone',
        disabledAt: new Date().toISOString(),
      }),
    );
    await waitUntil(async () => (await actionsOf(owner)).length >= 5, { describe: 'the events are recorded' });
    const entries = (await auditOf(identity, owner)).filter(({ action }) => /^(app|webhook)\./.test(action));
    expect(entries.map(({ action }) => action).sort()).toEqual([
      'app.installed',
      'app.uninstalled',
      'webhook.disabled',
    ]);
    expect(entries.find(({ action }) => action === 'app.installed')).toMatchObject({
      actor: { kind: 'user', id: owner.userId, name: 'Somebody' },
      subject: { kind: 'installation', id: installationId },
      detail: { appKey: 'acme-visits', version: '1.2.0', sandbox: false },
    });
    expect(JSON.stringify(entries)).not.toContain('s3cret');
    expect(await actionsOf(stranger)).toEqual(['sign_in.succeeded', 'workspace.registered']);
  });
});
