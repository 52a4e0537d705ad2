import { v7 } from 'uuid';

/** A new id: UUID version 7 (RFC 9562), so that ids sort by the time they were made. */
export function newId(): string {
  return v7();
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether the text is a UUID in its canonical form, of any version. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/**
 * The tenant of what names no tenant: a message that could not be read. No principal belongs to it, so no tenant
 * transaction of a request ever sees its rows.
 */
export const NO_TENANT = '00000000-0000-0000-0000-000000000000';
