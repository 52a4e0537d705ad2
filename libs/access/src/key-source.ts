import type { JSONWebKeySet } from 'jose';

/**
 * The source of the issuer's public keys. identity reads its own table; every other service calls identity.
 *
 * A key may carry the member {@link KEY_AUDIENCES}: the audiences it signs for. A token whose audience is not listed is
 * refused, so that the operators' key and the tenants' key are not interchangeable. A key without the member
 * signs for every audience.
 */
export abstract class KeySource {
  /** @throws PlatformError SERVICE_UNAVAILABLE when the keys cannot be fetched right now */
  abstract getKeys(): Promise<JSONWebKeySet>;
}

/** Private member of a published key (RFC 7517, section 4 allows additional members): audiences the key signs for. */
export const KEY_AUDIENCES = 'crm_audiences';
