import { packIds, unpackIds } from '../packed-ids.js';
import { newSecret } from '../secret.js';

/** What a code or a refresh token names by itself: it proves nothing, the secret part does. */
export interface GrantIds {
  readonly tenantId: string;
  readonly grantId: string;
  readonly installationId: string;
}

/** A new code or refresh token: where it belongs, and a secret. */
export function newGrantText({ tenantId, grantId, installationId }: GrantIds): string {
  return `${packIds(tenantId, grantId, installationId)}.${newSecret()}`;
}

/** @returns undefined for what is not a code or a refresh token */
export function parseGrantText(text: string): GrantIds | undefined {
  const [packed, secret, ...more] = text.split('.');
  if (!packed || !secret || more.length > 0) return undefined;
  const [tenantId, grantId, installationId] = unpackIds(packed, 3) ?? [];
  return tenantId && grantId && installationId ? { tenantId, grantId, installationId } : undefined;
}
