import { randomUUID } from 'node:crypto';
import { type Account, type Answer, TestIdentity } from '../identity.js';
import type { TextServer } from './text-server.js';

/** Members of the answers about domains and providers. */
export interface Settings {
  id: string;
  code: string;
  domain: string;
  record: { name: string; type: string; value: string };
  verified: boolean;
  missingSince: string | null;
  signInId: string;
  redirectUri: string;
  hasClientSecret: boolean;
  enabled: boolean;
  providers: { id: string; name: string }[];
  errors: { pointer: string; code: string; detail: string }[];
}

export const settings = ({ body }: Answer): Settings => body as unknown as Settings;

/** A domain that no other test has. */
export const newDomain = (): string => `d-${randomUUID()}.com`;

/** A workspace that has proven a domain. */
export interface Proven {
  owner: Account;
  domain: string;
}

/** Adds the domain and publishes its record, which remains to be looked up. */
export async function addDomain(
  identity: TestIdentity,
  dns: TextServer,
  owner: Account,
  domain: string,
): Promise<void> {
  const added = await identity.post('/api/tenant/domains', { domain }, owner.accessToken);
  if (added.status !== 201) throw new Error(`Adding a domain: ${JSON.stringify(added.body)}`);
  const { name, value } = settings(added).record;
  dns.records.set(name, [...(dns.records.get(name) ?? []), value]);
}

export const verifyDomain = (identity: TestIdentity, owner: Account, domain: string): Promise<Answer> =>
  identity.request('POST', `/api/tenant/domains/${domain}/verify`, { token: owner.accessToken });

/** Registers a workspace that proves a domain. */
export async function proven(identity: TestIdentity, dns: TextServer): Promise<Proven> {
  const owner = await identity.account();
  const domain = newDomain();
  await addDomain(identity, dns, owner, domain);
  const verified = await verifyDomain(identity, owner, domain);
  if (verified.status !== 200) throw new Error(`Proving a domain: ${JSON.stringify(verified.body)}`);
  return { owner, domain };
}

/** Adds an identity provider to the workspace of an owner. */
export async function addProvider(identity: TestIdentity, owner: Account, provider: object): Promise<Settings> {
  const added = await identity.post(
    '/api/tenant/identity-providers',
    { name: 'Their provider', ...provider },
    owner.accessToken,
  );
  if (added.status !== 201) throw new Error(`Adding a provider: ${JSON.stringify(added.body)}`);
  return settings(added);
}
