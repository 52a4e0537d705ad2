import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../scripts/demo/client.mjs';
import { REVIEW_PACKET } from '../scripts/demo/packages.mjs';
import { type Account, admin, api, newUser, newWorkspace, operatorToken } from './platform/accounts.js';
import { addresses } from './platform/addresses.js';

const REDIRECT = 'https://app.acme.example.com/callback';

/** An app with an object of its own, which calls the API as itself and for users. */
const visits = (key: string) => ({
  key,
  name: 'Site visits',
  version: '1.0.0',
  kind: 'industry_app',
  permissions: [
    { scope: 'custom_objects', purpose: 'keeps visits' },
    { scope: 'leads:read', purpose: 'shows leads on the map' },
  ],
  objects: [
    {
      apiName: 'visit',
      label: 'Visit',
      pluralLabel: 'Visits',
      nameField: 'title',
      fields: [{ apiName: 'title', label: 'Title', type: 'text', required: true }],
    },
  ],
  oauth: { redirectUris: [REDIRECT] },
});

async function post(endpoint: string, form: Record<string, string>, client?: { id: string; secret: string }) {
  const credentials = client && Buffer.from(`${client.id}:${client.secret}`).toString('base64');
  const response = await fetch(`${addresses.baseUrl}/api/auth/oauth/${endpoint}`, {
    method: 'POST',
    headers: credentials === undefined ? {} : { authorization: `Basic ${credentials}` },
    body: new URLSearchParams(form),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

describe('an installed app', () => {
  const appKey = `acme-visits-${randomBytes(4).toString('hex')}`;
  let customer: Account;
  let installationId: string;
  let client: { id: string; secret: string };
  beforeAll(async () => {
    const developer = await newWorkspace();
    customer = await newWorkspace();
    const { body } = await api('POST', '/api/marketplace/developer/apps/submit', {
      token: developer.token,
      body: { manifest: visits(appKey), reviewPacket: REVIEW_PACKET },
      expect: 201,
    });
    await admin('POST', `/api/admin/submissions/${body.submissionId}/publish`, {
      token: await operatorToken(),
      body: { reason: 'Reviewed for the test' },
      expect: 200,
    });
    const installed = await api('POST', '/api/marketplace/installs', {
      token: customer.token,
      body: { appKey },
      expect: 201,
    });
    installationId = installed.body.id;
    const path = `/api/marketplace/installs/${installationId}/oauth-credentials`;
    const { body: issued } = await api('POST', path, { token: customer.token, expect: 201 });
    client = { id: issued.clientId, secret: issued.clientSecret };
  });

  const ownToken = async () => (await post('token', { grant_type: 'client_credentials' }, client)).body.access_token;
  const lead = (token: string | undefined) => api('GET', '/api/crm/leads', { token });
  const dead = (token: string | undefined) =>
    eventually(async () => (await lead(token)).status === 401, 'the end of a token', 1_000);

  /** What the app has when a user has allowed it to act for them. */
  async function allowedBy(user: Account) {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: appKey,
      redirect_uri: REDIRECT,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 'x',
    });
    const asked = await fetch(`${addresses.baseUrl}/api/auth/oauth/authorize?${query}`, { redirect: 'manual' });
    const page = new URL(asked.headers.get('location') ?? '');
    expect([asked.status, page.origin, page.pathname]).toEqual([303, addresses.baseUrl, '/account/authorize']);
    const request = `/api/auth/oauth/requests/${page.searchParams.get('request')}`;
    const { body: shown } = await api('GET', request, { token: user.token, expect: 200 });
    expect(shown.scopes.map(({ name }: { name: string }) => name)).toEqual(['custom_objects', 'leads:read']);
    const body = { decision: 'approve' };
    const { body: decided } = await api('POST', `${request}/decision`, { token: user.token, body, expect: 200 });
    const code = new URL(decided.redirectTo).searchParams.get('code') ?? '';
    const { status, body: tokens } = await post('token', {
      grant_type: 'authorization_code',
      client_id: appKey,
      code,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    });
    expect(status).toBe(200);
    return tokens;
  }

  it('works with its own objects and what it was granted, and with nothing else', async () => {
    const token = await ownToken();
    const created = await api('POST', '/api/crm/custom/visit/records', {
      token,
      body: { title: 'First' },
      expect: 201,
    });
    expect(created.body.title).toBe('First');
    await api('GET', '/api/crm/leads', { token, expect: 200 });
    await api('POST', '/api/crm/leads', { token, body: { lastName: 'Lovelace' }, expect: 403 });
    await api('GET', '/api/crm/contacts', { token, expect: 403 });
    await api('GET', '/api/tenant/users', { token, expect: 403 });
    await api('GET', `/api/marketplace/installs/${installationId}/oauth-credentials`, { token, expect: 403 });
  });

  it('acts for a user with no more than the role of the user and the scopes of the installation', async () => {
    const [member, viewer] = [await newUser(customer, 'member'), await newUser(customer, 'viewer')];
    const [ofMember, ofViewer] = [await allowedBy(member), await allowedBy(viewer)];
    const visit = (token: string | undefined) =>
      api('POST', '/api/crm/custom/visit/records', { token, body: { title: 'For a user' } });
    expect((await visit(ofMember.access_token)).status).toBe(201);
    expect((await visit(ofViewer.access_token)).status).toBe(403);
    expect((await lead(ofViewer.access_token)).status).toBe(200);
    await api('POST', '/api/crm/leads', { token: ofMember.access_token, body: { lastName: 'X' }, expect: 403 });

    const { body: grants } = await api('GET', '/api/auth/oauth/grants', { token: member.token, expect: 200 });
    await api('DELETE', `/api/auth/oauth/grants/${grants.data[0].id}`, { token: member.token, expect: 204 });
    await dead(ofMember.access_token);
    expect((await lead(ofViewer.access_token)).status).toBe(200);
  });

  it('loses every token, its own and those of users, when it is uninstalled', async () => {
    const [own, ofUser] = [await ownToken(), await allowedBy(customer)];
    for (const token of [own, ofUser.access_token]) expect((await lead(token)).status).toBe(200);
    await api('DELETE', `/api/marketplace/installs/${installationId}`, { token: customer.token, expect: 200 });
    for (const token of [own, ofUser.access_token]) await dead(token);
    expect((await post('token', { grant_type: 'client_credentials' }, client)).body.error).toBe('invalid_client');
    const refresh = { grant_type: 'refresh_token', client_id: appKey, refresh_token: ofUser.refresh_token ?? '' };
    expect((await post('token', refresh)).body.error).toBe('invalid_grant');
  });
});
