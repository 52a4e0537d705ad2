import { randomBytes } from 'node:crypto';
import { newId } from '@crm/database';
import { eventually } from '../../scripts/demo/client.mjs';
import { api, newUser, newWorkspace } from '../platform/accounts.js';
import { inIdentity } from '../platform/identity-database.js';
import { allowedBy, apiKeyOf, type House, serviceAccount } from './house.js';
import { claimsOf } from './signer.js';

/** Values of the parameters of a path, by name. */
export type Values = Readonly<Record<string, string>>;

/** Ids of one thing of each kind that a workspace can have, by the beginning of the paths that they stand in. */
export type Belongings = readonly (readonly [prefix: string, values: Values])[];

/** Setting up a passkey takes a browser; here it is a row that nobody can sign in with. */
async function passkeyOf({ owner }: House): Promise<string> {
  const id = newId();
  await inIdentity(
    `INSERT INTO passkey (tenant_id, id, user_id, credential_id, public_key, counter, backed_up, transports, name)
     VALUES ($1, $2, $3, $4, $5, 0, false, '{}', 'Test')`,
    [owner.tenantId, id, owner.userId, randomBytes(16), randomBytes(32)],
  );
  return id;
}

/** An issuer is called when it is entered; here nobody answers for it. */
async function providerOf({ owner }: House): Promise<string> {
  const id = newId();
  await inIdentity(
    `INSERT INTO identity_provider (tenant_id, id, name, issuer, scopes, enabled, default_roles, requires_verified_email,
       second_factor_values)
     VALUES ($1, $2, 'Own', 'https://login.example.com', '{}', false, '{member}', true, '{}')`,
    [owner.tenantId, id],
  );
  return id;
}

/** Another workspace invites the owner, who is a person. */
async function offerTo({ owner }: House): Promise<string> {
  const { token } = await newWorkspace();
  const body = { email: owner.email, name: 'Owner', roles: ['member'] };
  return (await api('POST', '/api/tenant/users', { token, body, expect: 201 })).body.id;
}

/** Gives a house one thing of each kind. */
export async function belongingsOf(house: House): Promise<Belongings> {
  const { owner, app } = house;
  const { token } = owner;
  const make = async (path: string, body: object) => (await api('POST', path, { token, body, expect: 201 })).body;
  const idOf = async (path: string, body: object): Promise<string> => (await make(path, body)).id;

  const subscription = await idOf('/api/webhooks/subscriptions', {
    events: ['lead.created'],
    url: 'https://hooks.acme.example.com/leads',
  });
  const lead = await idOf('/api/crm/leads', { lastName: 'Lovelace' });
  const note = await idOf(`/api/crm/leads/${lead}/notes`, { text: 'Met' });
  const stages = ['open', 'won', 'lost'].map((meaning) => ({
    ...{ value: `${meaning} of ${app.key}`, label: meaning, order: 1, probability: 0, meaning, active: true },
  }));
  const pipeline = await idOf('/api/crm/pipelines', { name: 'Partners', stages });
  const view = await idOf('/api/crm/views', { object: 'lead', name: 'All' });
  const member = await newUser(owner, 'member');
  const [memberKey, ownKey, account, grant, passkey] = [
    await apiKeyOf(member, ['leads']),
    await apiKeyOf(owner, ['leads']),
    await serviceAccount(owner, ['member'], ['leads']),
    await allowedBy(owner, app),
    await passkeyOf(house),
  ];
  const { body: grants } = await api('GET', '/api/auth/oauth/grants', { token, expect: 200 });
  const domain = `${randomBytes(5).toString('hex')}.example.com`;
  await make('/api/tenant/domains', { domain });
  const role = `role_${randomBytes(4).toString('hex')}`;
  await make('/api/tenant/roles', { name: role, label: 'Sales' });
  const provider = await providerOf(house);
  const { body: providers } = await api('GET', '/api/tenant/identity-providers', { token, expect: 200 });
  const ofHouse = `of_${app.key.replaceAll('-', '_')}`;
  const visit = await idOf('/api/crm/custom/visit/records', { title: 'First' });
  const own = await idOf(`/api/crm/custom/${ofHouse}/records`, { title: 'First' });
  const workflow = await make('/api/crm/automations/workflows', {
    name: 'On a call',
    trigger: { type: 'webhook_received' },
    actions: [{ type: 'create_task', title: 'Look at it' }],
  });
  const hook = new URL(workflow.hookUrl);
  const { body: run } = await api('POST', hook.pathname, { body: {}, expect: 202 });
  const delivery = await eventually(async () => {
    const { body } = await api('GET', '/api/webhooks/deliveries', { token, expect: 200 });
    return body.data[0]?.id as string | undefined;
  }, 'the delivery');

  const session = claimsOf(member.token).sid as string;
  const records = await Promise.all(
    Object.entries({
      contacts: { lastName: 'Somerville' },
      companies: { name: 'Engines' },
      opportunities: { name: 'Engine' },
      tasks: { title: 'Call' },
    }).map(async ([name, body]) => [`/api/crm/${name}/`, { id: await idOf(`/api/crm/${name}`, body) }] as const),
  );
  return [
    ...records,
    ['/api/crm/leads/', { id: lead }],
    ['/api/crm/custom/', { apiName: ofHouse, id: own, key: app.key }],
    ['/api/crm/objects/', { apiName: ofHouse, field: 'reference_code' }],
    ['/api/crm/pipelines/', { id: pipeline }],
    ['/api/crm/views/', { id: view }],
    ['/api/crm/notes/', { id: note }],
    // Every house has this object.
    ['/api/crm/custom/', { apiName: 'visit', id: visit, key: app.key }],
    ['/api/tenant/users/', { id: member.userId, keyId: memberKey.id, sessionId: session }],
    ['/api/admin/users/', { id: member.userId }],
    ['/api/auth/sessions/', { id: session }],
    ['/api/auth/workspaces/offers/', { userId: await offerTo(house) }],
    ['/api/auth/workspaces/', { tenantId: owner.tenantId }],
    ['/api/auth/passkeys/', { id: passkey }],
    ['/api/auth/api-keys/', { id: ownKey.id }],
    ['/api/tenant/service-accounts/', { id: account.id, keyId: account.key.id }],
    ['/api/tenant/domains/', { domain }],
    // Anyone who waits for an owner needs a provider; the provider alone is looked for first.
    ['/api/tenant/identity-providers/', { id: provider, requestId: provider }],
    ['/api/tenant/roles/', { name: role }],
    ['/api/auth/step-up/oidc/', { providerId: providers.data[0].signInId }],
    // Decided: one that waits for a decision is for anyone who has its link.
    ['/api/auth/oauth/requests/', { id: grant.requestId }],
    ['/api/auth/oauth/grants/', { id: grants.data[0].id }],
    ['/api/marketplace/developer/apps/', { key: app.key, version: '1.0.0', id: delivery }],
    ['/api/marketplace/installs/', { id: app.installationId }],
    ['/api/crm/automations/workflows/', { id: workflow.id }],
    ['/api/crm/automations/runs/', { runId: run.runId }],
    ['/api/webhooks/subscriptions/', { id: subscription }],
    ['/api/webhooks/deliveries/', { id: delivery }],
  ];
}

/** A value of the same form that names nothing. */
export function nothingLike(value: string): string {
  if (/^[0-9a-f]{8}-/.test(value)) return newId();
  // What a sign-in calls a provider: two ids.
  if (/^[\w-]{43}$/.test(value)) return randomBytes(32).toString('base64url');
  if (value.endsWith('.example.com')) return `${randomBytes(5).toString('hex')}.example.com`;
  return value.replace(/[0-9a-f]{8}$/, () => randomBytes(4).toString('hex'));
}
