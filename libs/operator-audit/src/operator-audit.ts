import type { OperatorAuditEntry, OperatorAuditPage, OperatorAuditQuery } from '@crm/contracts';
import { lowestIdOf, type Queryable } from '@crm/database';
import { LIST_OPERATOR_ACTS } from './operator-audit.sql.js';

/** Bytes of JSON that fit into one message of the broker (1 MiB by default) with room for its frame and headers. */
const MESSAGE_BYTES = 900_000;

/**
 * A page of the trail, newest first: fewer entries than were asked for when more do not fit into a message, and at least one.
 * @param tx of the role that `createOperatorAuditTable` was told
 */
export async function listOperatorAudit(
  tx: Queryable,
  { operatorId, act, subjectKind, subjectId, text, from, to, beforeId, limit }: OperatorAuditQuery,
): Promise<OperatorAuditPage> {
  const ends = [to === undefined ? undefined : lowestIdOf(clamped(to)), beforeId].filter((id) => id !== undefined);
  const rows = await tx.query<OperatorAuditEntry>(LIST_OPERATOR_ACTS, [
    operatorId ?? null,
    act ?? null,
    subjectKind ?? null,
    subjectId ?? null,
    text?.toLowerCase() ?? null,
    from === undefined ? null : lowestIdOf(clamped(from)),
    ends.sort()[0] ?? null,
    limit + 1,
  ]);
  const data = fitting(rows.slice(0, limit));
  return { data, more: data.length < rows.length };
}

/** Times that an id can have: 48 bits. */
const clamped = (ms: number): number => Math.min(Math.max(0, ms), 2 ** 48 - 1);

function fitting(entries: readonly OperatorAuditEntry[]): OperatorAuditEntry[] {
  let used = 0;
  const end = entries.findIndex((entry, index) => {
    used += Buffer.byteLength(JSON.stringify(entry)) + 1;
    return used > MESSAGE_BYTES && index > 0;
  });
  return entries.slice(0, end < 0 ? entries.length : end);
}
