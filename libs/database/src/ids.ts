import { v7 } from 'uuid';

/** A new id: UUID version 7 (RFC 9562), so that ids sort by creation time. */
export function newId(): string {
  return v7();
}

/**
 * The tenant of messages without a tenant, such as one that could not be parsed. No principal belongs to it, so no tenant
 * transaction of a request ever sees its rows.
 */
export const NO_TENANT = '00000000-0000-0000-0000-000000000000';
