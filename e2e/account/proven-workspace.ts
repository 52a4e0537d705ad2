import { randomBytes } from 'node:crypto';
import { type Account, api, newWorkspace } from '../platform/accounts.js';
import { inIdentity } from '../platform/identity-database.js';
import type { TestProvider } from './provider.js';

export interface ProvenWorkspace {
  readonly owner: Account;
  /** Whose addresses sign in at the provider. */
  readonly domain: string;
}

/** A workspace whose people sign in at a provider, by addresses of a domain that is its own. */
export async function newProvenWorkspace(provider: TestProvider): Promise<ProvenWorkspace> {
  const owner = await newWorkspace();
  const { token, tenantId } = owner;
  const domain = `d-${randomBytes(6).toString('hex')}.com`;
  await api('POST', '/api/tenant/domains', { token, body: { domain }, expect: 201 });
  // In place of the record that its owner would publish: no test can, for name servers of the internet.
  await inIdentity(
    `WITH proven AS (UPDATE mail_domain SET verified_at = now() WHERE tenant_id = $1 AND domain = $2 RETURNING domain)
     INSERT INTO verified_domain (domain, tenant_id, next_check_at) SELECT domain, $1, now() + interval '1 day' FROM proven`,
    [tenantId, domain],
  );
  const { body: added } = await api('POST', '/api/tenant/identity-providers', {
    token,
    body: { name: 'Example ID', issuer: provider.issuer },
    expect: 201,
  });
  await provider.register([added.redirectUri]);
  await api('PATCH', `/api/tenant/identity-providers/${added.id}`, {
    token,
    body: { clientId: provider.client.id, clientSecret: provider.client.secret, enabled: true },
    expect: 200,
  });
  return { owner, domain };
}
