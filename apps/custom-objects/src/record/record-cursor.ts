import { createHash } from 'node:crypto';
import { PlatformError } from '@crm/contracts';

/**
 * Where a list goes on. Opaque to clients: the id of the last record with a mark of the tenant and the object, so that a
 * cursor of another tenant, or of another list, is refused. It is no secret: row-level security decides what is seen.
 */
export function encodeCursor(tenantId: string, objectId: string, lastId: string): string {
  return Buffer.from(`${mark(tenantId, objectId)}.${lastId}`).toString('base64url');
}

/** @throws INVALID_QUERY when the cursor is not one that `encodeCursor` gave out for this tenant and object */
export function decodeCursor(tenantId: string, objectId: string, cursor: string): string {
  const [cursorMark, lastId = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split('.');
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(lastId);
  if (cursorMark !== mark(tenantId, objectId) || !isId) {
    throw new PlatformError('INVALID_QUERY', 'cursor: not a cursor of this list');
  }
  return lastId;
}

const mark = (tenantId: string, objectId: string): string =>
  createHash('sha256').update(`${tenantId}/${objectId}`).digest('base64url').slice(0, 16);
