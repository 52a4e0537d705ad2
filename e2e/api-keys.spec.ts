import { randomBytes } from 'node:crypto';
import { makeApiKey } from '@crm/access';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../scripts/demo/client.mjs';
import { type Account, api, newUser, newWorkspace } from './platform/accounts.js';

interface Key {
  readonly id: string;
  readonly key: string;
}

const makeKey = async (account: Account, scopes: string[]): Promise<Key> => {
  const body = { name: 'Test', scopes };
  return (await api('POST', '/api/auth/api-keys', { token: account.token, body, expect: 201 })).body;
};
const leads = (token: string) => api('GET', '/api/crm/leads', { token });
const newLead = (token: string) =>
  api('POST', '/api/crm/leads', { token, body: { lastName: `Lead ${randomBytes(3).toString('hex')}` } });
/** Waits for a refusal; a second is what revocations are promised in. */
const isRefused = (token: string) =>
  eventually(async () => (await leads(token)).status === 401, 'the refusal of the key', 1000);

describe('an API key through the gateway', () => {
  let owner: Account;
  beforeAll(async () => {
    owner = await newWorkspace();
  });

  it('acts for its user within its scopes, in every service', async () => {
    const { key } = await makeKey(owner, ['leads', 'contacts:read', 'webhooks', 'automations:read']);
    const created = await newLead(key);
    expect(created.status).toBe(201);
    expect((await api('GET', `/api/crm/leads/${created.body.id}`, { token: owner.token })).status).toBe(200);
    for (const path of ['/api/crm/contacts', '/api/webhooks/subscriptions', '/api/crm/automations/workflows']) {
      expect([path, (await api('GET', path, { token: key })).status]).toEqual([path, 200]);
    }
    const refusedOf = async (method: string, path: string, body?: object) => {
      const answer = await api(method, path, { token: key, ...(body && { body }) });
      return [answer.status, answer.body.code];
    };
    expect(await refusedOf('POST', '/api/crm/contacts', { lastName: 'X' })).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(await refusedOf('GET', '/api/crm/companies')).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(await refusedOf('GET', '/api/marketplace/installs')).toEqual([403, 'API_KEY_REFUSED']);
    expect(await refusedOf('POST', '/api/crm/automations/workflows', {})).toEqual([403, 'API_KEY_REFUSED']);
    expect(await refusedOf('POST', '/api/auth/api-keys', { name: 'x', scopes: ['leads'] })).toEqual([
      403,
      'API_KEY_REFUSED',
    ]);
    const current = await api('GET', '/api/auth/api-keys/current', { token: key });
    expect(current.body.owner).toMatchObject({ kind: 'user', id: owner.userId });
  });

  it('is refused within a second once it is ended', async () => {
    const { id, key } = await makeKey(owner, ['leads']);
    expect((await leads(key)).status).toBe(200);
    await api('DELETE', `/api/auth/api-keys/${id}`, { token: owner.token, expect: 204 });
    await isRefused(key);
    expect((await leads(key)).body.code).toBe('INVALID_API_KEY');
  });

  it('can do less within a second once its user can', async () => {
    const member = await newUser(owner, 'member');
    const { key } = await makeKey(member, ['leads']);
    expect((await newLead(key)).status).toBe(201);
    const path = `/api/tenant/users/${member.userId}`;
    await api('PATCH', path, { token: owner.token, body: { roles: ['viewer'] }, expect: 200 });
    await eventually(
      async () => (await newLead(key)).status === 403,
      'the refusal of what the role no longer allows',
      1000,
    );
    expect((await leads(key)).status).toBe(200);
    await api('PATCH', path, { token: owner.token, body: { status: 'disabled' }, expect: 200 });
    await isRefused(key);
  });

  it('of a service account has the roles and scopes of the account, until that is disabled', async () => {
    const { token } = owner;
    const path = '/api/tenant/service-accounts';
    const account = { name: 'ERP', roles: ['member'], scopes: ['leads'] };
    const { id } = (await api('POST', path, { token, body: account, expect: 201 })).body;
    const { key } = (await api('POST', `${path}/${id}/api-keys`, { token, body: { name: 'x' }, expect: 201 })).body;
    expect((await newLead(key)).status).toBe(201);
    expect((await api('GET', '/api/crm/contacts', { token: key })).body.code).toBe('INSUFFICIENT_SCOPE');
    await api('PATCH', `${path}/${id}`, { token, body: { status: 'disabled' }, expect: 200 });
    await isRefused(key);
  });

  it('reaches nothing of another workspace', async () => {
    const stranger = await newWorkspace();
    const { key } = await makeKey(stranger, ['leads']);
    const { body } = await newLead(owner.token);
    expect((await api('GET', `/api/crm/leads/${body.id}`, { token: key })).status).toBe(404);
    expect((await leads(key)).body.data).toEqual([]);
  });

  it('is not guessed from its parts', async () => {
    const { id, key } = await makeKey(owner, ['leads']);
    const forged = [
      makeApiKey({ keyId: id, tenantId: owner.tenantId }),
      key.slice(0, -1),
      `${key}A`,
      key.slice('crmk_'.length),
      key.toUpperCase(),
    ];
    for (const text of forged) expect([text.length, (await leads(text)).status]).toEqual([text.length, 401]);
    expect((await leads(key)).status).toBe(200);
  });
});
