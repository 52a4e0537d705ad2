import type { OperatorAuditEntry, OperatorAuditPage } from '@crm/contracts';

/**
 * One page of several trails, newest first. A trail that has more says nothing about what is older than its last entry, so
 * the merged page ends where the first of them does.
 */
export function mergePages(pages: readonly OperatorAuditPage[], size: number): OperatorAuditPage {
  const ends = pages.flatMap(({ data, more }) => (more ? [data.at(-1)?.id ?? ''] : []));
  // Ids are UUIDv7 in lower case: as texts they sort by time.
  const end = ends.sort().at(-1);
  const entries = pages.flatMap(({ data }) => data).sort(byIdDescending);
  const known = end === undefined ? entries : entries.filter(({ id }) => id >= end);
  const data = known.slice(0, size);
  return { data, more: data.length < entries.length || ends.length > 0 };
}

const byIdDescending = (one: OperatorAuditEntry, other: OperatorAuditEntry): number =>
  one.id < other.id ? 1 : one.id > other.id ? -1 : 0;
