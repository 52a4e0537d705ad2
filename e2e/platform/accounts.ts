import { randomBytes } from 'node:crypto';
import { client } from '../../scripts/demo/client.mjs';
import { addresses } from './addresses.js';

export const PASSWORD = 'correct-horse-battery-staple';

export const api = client(addresses.baseUrl);
export const admin = client(addresses.adminUrl);
export const embed = client(addresses.embedApiUrl);

export interface Account {
  readonly email: string;
  readonly token: string;
  readonly tenantId: string;
  readonly userId: string;
}

export async function signIn(email: string, password = PASSWORD): Promise<string> {
  const { body } = await api('POST', '/api/auth/login', { body: { email, password }, expect: 200 });
  return body.accessToken;
}

/** A workspace of its own, with its owner signed in. */
export async function newWorkspace(plan: 'developer' | 'business' | 'enterprise' = 'business'): Promise<Account> {
  const email = `owner-${randomBytes(5).toString('hex')}@example.test`;
  const { body } = await api('POST', '/api/auth/register', {
    body: { email, password: PASSWORD, name: 'Owner', workspace: { name: 'Workspace', plan } },
    expect: 201,
  });
  return { email, token: await signIn(email), tenantId: body.tenant.id, userId: body.user.id };
}

/** Another user of a workspace, signed in. */
export async function newUser(owner: Account, role: string): Promise<Account> {
  const email = `${role}-${randomBytes(5).toString('hex')}@example.test`;
  const { body } = await api('POST', '/api/tenant/users', {
    token: owner.token,
    body: { email, name: role, password: PASSWORD, roles: [role] },
    expect: 201,
  });
  return { email, token: await signIn(email), tenantId: owner.tenantId, userId: body.id };
}

/** The operator that the development profile seeds. */
export async function operatorToken(): Promise<string> {
  const { body } = await admin('POST', '/api/auth/login', {
    body: { email: 'operator@platform.test', password: PASSWORD },
    expect: 200,
  });
  return body.accessToken;
}
