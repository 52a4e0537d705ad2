import { createHash } from 'node:crypto';
import { PlatformError } from '@crm/contracts';
import { isUuid } from '@crm/database';
import type { RunFilter } from './run.repository.js';

/** Binds a cursor to its tenant and filter; it names a position only, so no secret is needed. */
function fingerprint(tenantId: string, filter: RunFilter): string {
  const bound = JSON.stringify([tenantId, filter.workflowId ?? null, filter.status ?? null]);
  return createHash('sha256').update(bound).digest('base64url').slice(0, 16);
}

export function writeRunCursor(tenantId: string, filter: RunFilter, lastId: string): string {
  return Buffer.from(`${fingerprint(tenantId, filter)}.${lastId}`).toString('base64url');
}

/** @throws INVALID_QUERY when the text is no cursor of this list */
export function readRunCursor(tenantId: string, filter: RunFilter, cursor: string): string {
  const [bound, id] = Buffer.from(cursor, 'base64url').toString('utf8').split('.');
  if (bound !== fingerprint(tenantId, filter) || !isUuid(id)) {
    throw new PlatformError('INVALID_QUERY', 'cursor is not valid for this list.');
  }
  return id;
}
