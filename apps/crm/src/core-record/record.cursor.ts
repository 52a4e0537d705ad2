import { createHash } from 'node:crypto';
import { PlatformError } from '@crm/contracts';

/** Where a page ended: the value sorted by and the id that decides between equal values. */
export interface Position {
  readonly value: string | number | null;
  readonly id: string;
}

/**
 * What a cursor belongs to. A cursor names a position only, and row-level security decides what is behind it, so
 * binding it needs no secret: it keeps a cursor from being taken into another tenant, list or order by mistake.
 */
export interface CursorBinding {
  readonly tenantId: string;
  readonly object: string;
  readonly sort: string;
  readonly filter: string | null;
  readonly search: string | null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function fingerprint(binding: CursorBinding): string {
  const parts = [binding.tenantId, binding.object, binding.sort, binding.filter, binding.search];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}

export function writeCursor(binding: CursorBinding, position: Position): string {
  return Buffer.from(JSON.stringify([fingerprint(binding), position.value, position.id])).toString('base64url');
}

/** @throws INVALID_QUERY when the text is no cursor or belongs to another tenant, list, order or filter */
export function readCursor(binding: CursorBinding, cursor: string): Position {
  const [bound, value, id] = decode(cursor);
  const fits = value === null || typeof value === 'number' || typeof value === 'string';
  if (bound !== fingerprint(binding) || !fits || typeof id !== 'string' || !UUID.test(id)) {
    throw new PlatformError('INVALID_QUERY', 'cursor is not valid for this list.');
  }
  return { value, id };
}

function decode(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parts) ? parts : [];
  } catch (error) {
    throw new PlatformError('INVALID_QUERY', 'cursor is not valid for this list.', { cause: error });
  }
}
