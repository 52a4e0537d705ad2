import { createHash, randomBytes } from 'node:crypto';
import { SCOPE_NAMES } from '@crm/contracts';
import { REVIEW_PACKET } from '../../scripts/demo/packages.mjs';
import { type Account, admin, api, embed, newUser, newWorkspace, operatorToken } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';

const REDIRECT = 'https://app.acme.example.com/callback';

/** What the app may do where it is installed; as a user's, it is narrowed by the user's role besides. */
const PERMISSIONS = ['custom_objects', 'contacts', 'leads:read', 'automations:read', 'webhooks'] as const;

/** What users can leave the app without. */
export const LEFT_OUT = 'webhooks';

/** An app that embeds, calls the API as itself and acts for users. */
const packageOf = (key: string) => ({
  key,
  name: 'Site visits',
  version: '1.0.0',
  kind: 'industry_app',
  permissions: PERMISSIONS.map((scope) => ({ scope, purpose: 'plans visits', optional: scope === LEFT_OUT })),
  // `visit` has the same name in every house; the other one is known in one house only.
  objects: ['visit', `of_${key.replaceAll('-', '_')}`].map((apiName) => ({
    apiName,
    label: 'Visit',
    pluralLabel: 'Visits',
    nameField: 'title',
    fields: [{ apiName: 'title', label: 'Title', type: 'text', required: true }],
  })),
  embed: { allowedOrigins: ['https://host.example.com'], scopes: ['custom_objects', 'contacts', 'leads:read'] },
  oauth: { redirectUris: [REDIRECT] },
});

/** The installed app: its key, its credentials where it is installed, and those of its embedding host. */
export interface HouseApp {
  readonly key: string;
  readonly installationId: string;
  readonly client: { readonly clientId: string; readonly clientSecret: string };
  readonly embedding: { readonly clientId: string; readonly clientSecret: string };
}

export interface House {
  readonly owner: Account;
  readonly app: HouseApp;
}

/** A workspace that has published an app and installed it. */
export async function newHouse(): Promise<House> {
  const key = `matrix-${randomBytes(4).toString('hex')}`;
  const owner = await newWorkspace('enterprise');
  const { token } = owner;
  const { body: submitted } = await api('POST', '/api/marketplace/developer/apps/submit', {
    token,
    body: { manifest: packageOf(key), reviewPacket: REVIEW_PACKET },
    expect: 201,
  });
  await admin('POST', `/api/admin/submissions/${submitted.submissionId}/publish`, {
    token: await operatorToken(),
    body: { reason: 'Reviewed for the test' },
    expect: 200,
  });
  const post = async (path: string, body?: object) =>
    (await api('POST', path, { token, ...(body && { body }), expect: 201 })).body;
  const { id: installationId } = await post('/api/marketplace/installs', {
    appKey: key,
    grantedScopes: PERMISSIONS,
  });
  const client = await post(`/api/marketplace/installs/${installationId}/oauth-credentials`);
  const embedding = await post(`/api/marketplace/developer/apps/${key}/embed-credentials`);
  return { owner, app: { key, installationId, client, embedding } };
}

/** Form calls of the OAuth endpoints. */
export async function oauth(endpoint: string, form: Record<string, string>, client?: HouseApp['client']) {
  const credentials = client && Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
  const response = await fetch(`${addresses.baseUrl}/api/auth/oauth/${endpoint}`, {
    method: 'POST',
    headers: credentials === undefined ? {} : { authorization: `Basic ${credentials}` },
    body: new URLSearchParams(form),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

/** A token of the app's own. */
export async function ownToken({ client }: HouseApp): Promise<string> {
  return (await oauth('token', { grant_type: 'client_credentials' }, client)).body.access_token as string;
}

/** What a user has decided about an app, up to its tokens. */
export interface Grant {
  readonly requestId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** What the app has when a user has allowed it to act for them. */
export async function allowedBy({ token }: Account, { key }: HouseApp, scope?: string): Promise<Grant> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: key,
    redirect_uri: REDIRECT,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'x',
    ...(scope !== undefined && { scope }),
  });
  const asked = await fetch(`${addresses.baseUrl}/api/auth/oauth/authorize?${query}`, { redirect: 'manual' });
  const requestId = new URL(asked.headers.get('location') ?? '').searchParams.get('request') as string;
  const { body: decided } = await api('POST', `/api/auth/oauth/requests/${requestId}/decision`, {
    token,
    body: { decision: 'approve' },
    expect: 200,
  });
  const { body } = await oauth('token', {
    grant_type: 'authorization_code',
    client_id: key,
    code: new URL(decided.redirectTo).searchParams.get('code') ?? '',
    redirect_uri: REDIRECT,
    code_verifier: verifier,
  });
  return { requestId, accessToken: body.access_token as string, refreshToken: body.refresh_token as string };
}

/** An embed token of a new user of the host. */
export async function embedToken({ embedding }: HouseApp): Promise<string> {
  const sub = randomBytes(5).toString('hex');
  const { body } = await embed('POST', '/api/auth/v1/embed/sessions', {
    headers: { 'x-embed-key': embedding.clientId, 'x-embed-secret': embedding.clientSecret },
    body: { sub, email: `${sub}@host.test`, name: 'Host user' },
    expect: 201,
  });
  return body.embed_token;
}

export interface ApiKey {
  readonly id: string;
  readonly key: string;
}

/** A personal key. */
export async function apiKeyOf({ token }: Account, scopes: readonly string[]): Promise<ApiKey> {
  return (await api('POST', '/api/auth/api-keys', { token, body: { name: 'Test', scopes }, expect: 201 })).body;
}

/** A service account with a key. */
export async function serviceAccount({ token }: Account, roles: readonly string[], scopes: readonly string[]) {
  const path = '/api/tenant/service-accounts';
  const { body } = await api('POST', path, { token, body: { name: 'ERP', roles, scopes }, expect: 201 });
  const { body: key } = await api('POST', `${path}/${body.id}/api-keys`, { token, body: { name: 'x' }, expect: 201 });
  return { id: body.id as string, key: key as ApiKey };
}

/** What a rule is held against. */
export interface Caller {
  readonly name: string;
  readonly token: string;
  readonly kind: 'user' | 'embed' | 'app' | 'key';
  readonly roles: readonly string[];
  /** Undefined: not narrowed. */
  readonly scopes?: readonly string[];
}

/** One caller of every kind and role. Keys are of users of their own, since a user can end all of theirs. */
export async function callersOf({ owner, app }: House): Promise<Caller[]> {
  const [administrator, member, viewer, keyOwner] = await Promise.all(
    ['admin', 'member', 'viewer', 'owner'].map((role) => newUser(owner, role)),
  );
  if (!administrator || !member || !viewer || !keyOwner) throw new Error('Four users');
  const [embedded, own, ofMember, limited, ofOwner] = await Promise.all([
    embedToken(app),
    ownToken(app),
    allowedBy(member, app),
    allowedBy(viewer, app, 'leads:read'),
    allowedBy(owner, app),
  ]);
  const [all, some, reads, ofService] = await Promise.all([
    apiKeyOf(keyOwner, SCOPE_NAMES),
    apiKeyOf(keyOwner, ['leads', 'contacts:read']),
    apiKeyOf(
      keyOwner,
      SCOPE_NAMES.map((name) => `${name}:read`),
    ),
    serviceAccount(owner, ['member'], ['leads', 'custom_objects:read']),
  ]);
  const user = (role: string, { token }: Account): Caller => ({ name: role, token, kind: 'user', roles: [role] });
  const granted = [...PERMISSIONS];
  return [
    user('owner', owner),
    user('admin', administrator),
    user('member', member),
    user('viewer', viewer),
    {
      name: 'embed',
      token: embedded,
      kind: 'embed',
      roles: ['member'],
      scopes: ['custom_objects', 'contacts', 'leads:read'],
    },
    { name: 'app', token: own, kind: 'app', roles: ['app'], scopes: granted },
    { name: 'app for a member', token: ofMember.accessToken, kind: 'app', roles: ['member'], scopes: granted },
    { name: 'app for a viewer', token: limited.accessToken, kind: 'app', roles: ['viewer'], scopes: ['leads:read'] },
    { name: 'app for an owner', token: ofOwner.accessToken, kind: 'app', roles: ['owner'], scopes: granted },
    { name: "owner's key", token: all.key, kind: 'key', roles: ['owner'], scopes: SCOPE_NAMES },
    { name: "owner's narrow key", token: some.key, kind: 'key', roles: ['owner'], scopes: ['leads', 'contacts:read'] },
    {
      name: "owner's reading key",
      token: reads.key,
      kind: 'key',
      roles: ['owner'],
      scopes: SCOPE_NAMES.map((name) => `${name}:read`),
    },
    {
      name: 'service key',
      token: ofService.key.key,
      kind: 'key',
      roles: ['member'],
      scopes: ['leads', 'custom_objects:read'],
    },
  ];
}
