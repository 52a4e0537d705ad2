import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { newId } from '@crm/database';
import type { TestAnswer } from '@crm/testing';
import { expect } from '@jest/globals';
import type { InstallationFacts } from '../src/oauth/client.repository.js';
import { type IssuedCredentials, OAuthAppService, OAuthInstallationService } from '../src/oauth/client.service.js';
import { principalOf, untilRevoked } from './checks.js';
import { type Account, outcome, type TestIdentity } from './identity.js';
import { withNewSecret } from './new-secret.js';

export const REDIRECT = 'https://app.acme.example.com/callback';

/** Members of the answers of the OAuth endpoints. */
export interface OAuthBody {
  access_token: string;
  refresh_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  installation_id: string;
  tenant_id: string;
  error: string;
  error_description: string;
  active: boolean;
  client_id: string;
  sub: string;
}

export type OAuthAnswer = TestAnswer<OAuthBody>;

export function post(
  identity: TestIdentity,
  endpoint: 'token' | 'revoke' | 'introspect',
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<OAuthAnswer> {
  return identity.service.request<OAuthBody>('POST', `/api/auth/oauth/${endpoint}`, {
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}

export const basic = (clientId: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
});

interface Client {
  clientId: string;
  clientSecret: string;
}

/** An app that a tenant has installed. */
export interface Installed extends InstallationFacts {
  readonly admin: Account;
  /** What its end says. */
  readonly discard: boolean;
}

/** Publishes an app and installs it in a new workspace, as the marketplace would. */
export async function installed(
  identity: TestIdentity,
  changes: Partial<InstallationFacts> & { admin?: Account; published?: string[] } = {},
): Promise<Installed> {
  const { admin = await identity.account(), published = [REDIRECT], ...facts } = changes;
  const installation = {
    installationId: newId(),
    tenantId: admin.tenantId,
    appKey: `app-${randomUUID()}`,
    appName: 'Site Visits',
    publisher: 'Acme',
    sandbox: false,
    scopes: ['leads', 'tasks:read'],
    requiredScopes: [],
    redirectUris: [],
    ...facts,
  };
  await identity.get(OAuthAppService).update(installation.appKey, published);
  await identity.get(OAuthInstallationService).register(installation);
  return { ...installation, admin, discard: false };
}

export async function issue(
  identity: TestIdentity,
  { admin, tenantId: _, ...facts }: Installed,
  overlapSeconds = 0,
): Promise<IssuedCredentials & { clientSecret: string }> {
  const principal = await principalOf(identity, admin.accessToken);
  return withNewSecret((fingerprint) =>
    identity.get(OAuthInstallationService).issue(principal, { ...facts, fingerprint, overlapSeconds }),
  );
}

/** A pair for PKCE. */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** A request of an app, sent by a browser; `changes` with undefined leave a parameter out. */
export async function authorize(
  identity: TestIdentity,
  app: { appKey: string },
  challenge: string,
  changes: Record<string, string | undefined> = {},
): Promise<{ status: number; location: URL | null; body: OAuthBody }> {
  const query = new URLSearchParams(
    Object.entries({
      response_type: 'code',
      client_id: app.appKey,
      redirect_uri: REDIRECT,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'the state',
      ...changes,
    }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]])),
  );
  const answer = await identity.service.request<OAuthBody>('GET', `/api/auth/oauth/authorize?${query}`);
  const location = answer.headers.get('location');
  return { status: answer.status, location: location === null ? null : new URL(location), body: answer.body };
}

/** The id of a request in the address of the page that asks. */
export async function requestOf(...[identity, app, challenge, changes]: Parameters<typeof authorize>): Promise<string> {
  const { location } = await authorize(identity, app, challenge, changes);
  if (location?.pathname !== '/account/authorize') throw new Error(`Not asked: ${location}`);
  return location.searchParams.get('request') ?? '';
}

export function decide(identity: TestIdentity, user: Account, id: string, decision = 'approve', scopes?: string[]) {
  return identity.service.request<{ redirectTo: string; code: string }>(
    'POST',
    `/api/auth/oauth/requests/${id}/decision`,
    { token: user.accessToken, body: { decision, ...(scopes && { scopes }) } },
  );
}

/** What the app gets at its redirect URI when a user approves. @param scopes what the user gives of those asked for */
export async function approved(
  identity: TestIdentity,
  app: { appKey: string },
  user: Account,
  changes: Record<string, string | undefined> = {},
  scopes?: string[],
): Promise<{ code: string; verifier: string; redirect: URL }> {
  const { verifier, challenge } = pkce();
  const request = await requestOf(identity, app, challenge, changes);
  const { body, status } = await decide(identity, user, request, 'approve', scopes);
  if (status !== 200) throw new Error(`The decision was refused: ${JSON.stringify(body)}`);
  const redirect = new URL(body.redirectTo);
  return { code: redirect.searchParams.get('code') ?? '', verifier, redirect };
}

export function exchange(
  identity: TestIdentity,
  app: { appKey: string },
  { code, verifier }: { code: string; verifier: string },
  changes: Record<string, string> = {},
): Promise<OAuthAnswer> {
  return post(identity, 'token', {
    grant_type: 'authorization_code',
    client_id: app.appKey,
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
    ...changes,
  });
}

/** The tokens of an app that a user has allowed to act for them. @param scopes what the user gives of those asked for */
export async function granted(
  identity: TestIdentity,
  app: { appKey: string },
  user: Account,
  changes: Record<string, string | undefined> = {},
  scopes?: string[],
): Promise<OAuthBody> {
  const answer = await exchange(identity, app, await approved(identity, app, user, changes, scopes));
  if (answer.status !== 200) throw new Error(`The code was refused: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Checks that the app is not given anything for a refresh token any more. */
export async function expectInvalid(...call: Parameters<typeof refresh>): Promise<void> {
  expect(await outcome(refresh(...call))).toEqual([400, 'invalid_grant']);
}

/** Checks that nothing of what a user has allowed an app is accepted any more, which may take a second. */
export async function expectEnded(identity: TestIdentity, app: { appKey: string }, tokens: OAuthBody): Promise<void> {
  await untilRevoked(identity, tokens.access_token);
  await expectInvalid(identity, app, tokens.refresh_token);
}

/** A token of the installation itself, as its program gets one. */
export const ownToken = (identity: TestIdentity, { clientId, clientSecret }: Client) =>
  post(identity, 'token', { grant_type: 'client_credentials' }, basic(clientId, clientSecret));

export const refresh = (identity: TestIdentity, app: { appKey: string }, token: string, more = {}) =>
  post(identity, 'token', { grant_type: 'refresh_token', client_id: app.appKey, refresh_token: token, ...more });
