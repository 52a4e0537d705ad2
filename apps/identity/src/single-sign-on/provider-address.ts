import { packIds, unpackIds } from '../packed-ids.js';

/** Which provider of which tenant, as addresses of a sign-in name it before anybody has signed in. */
export interface ProviderName {
  tenantId: string;
  id: string;
}

export const signInIdOf = ({ tenantId, id }: ProviderName): string => packIds(tenantId, id);

/** @returns undefined for a text that names no provider */
export function parseSignInId(text: string): ProviderName | undefined {
  const [tenantId, id] = unpackIds(text, 2) ?? [];
  return tenantId && id ? { tenantId, id } : undefined;
}

/**
 * Where a provider sends browsers back to. Each has an address of its own, so that an answer of one cannot be taken for that of
 * another (RFC 9700, section 4.4.2.2); not every provider states its issuer in the answer.
 */
export const redirectUriOf = (baseUrl: string, provider: ProviderName): string =>
  `${baseUrl}/api/auth/oidc/${signInIdOf(provider)}/callback`;
