import type { OperatorAuditEntry, OperatorAuditPage } from '@crm/contracts';
import { lowestIdOf, type Queryable } from '@crm/database';
import type { OperatorAuditQuery } from './operator-audit.dto.js';
import { LIST_OPERATOR_ACTS } from './operator-audit.sql.js';

/** Bytes of JSON in one page: what operators had before them can be long. */
const PAGE_BYTES = 900_000;
const DEFAULT_SIZE = 200;

/** Newest first: fewer entries than were asked for when they are long, and at least one. */
export async function listOperatorAudit(
  tx: Queryable,
  { operatorId, act, subjectKind, subjectId, q, from, to, beforeId, size = DEFAULT_SIZE }: OperatorAuditQuery,
): Promise<OperatorAuditPage> {
  const ends = [to === undefined ? undefined : lowestIdOf(timeOf(to)), beforeId].filter((id) => id !== undefined);
  const rows = await tx.query<OperatorAuditEntry>(LIST_OPERATOR_ACTS, [
    operatorId?.toLowerCase() ?? null,
    act ?? null,
    subjectKind ?? null,
    subjectId ?? null,
    q?.toLowerCase() ?? null,
    from === undefined ? null : lowestIdOf(timeOf(from)),
    ends.sort()[0] ?? null,
    size + 1,
  ]);
  const data = fitting(rows.slice(0, size));
  return { data, more: data.length < rows.length };
}

/** Milliseconds since 1970, within what an id can have: 48 bits. */
const timeOf = (text: string): number => Math.min(Math.max(0, Date.parse(text)), 2 ** 48 - 1);

function fitting(entries: readonly OperatorAuditEntry[]): OperatorAuditEntry[] {
  let used = 0;
  const end = entries.findIndex((entry, index) => {
    used += Buffer.byteLength(JSON.stringify(entry)) + 1;
    return used > PAGE_BYTES && index > 0;
  });
  return entries.slice(0, end < 0 ? entries.length : end);
}
