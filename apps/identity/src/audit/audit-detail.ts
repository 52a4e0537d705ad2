import type { AuditDetail } from './audit-entry.entity.js';

const MOST_MEMBERS = 12;
const MOST_ITEMS = 50;
const LONGEST_TEXT = 200;

const textOf = (text: string): string => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text);

const boundedValue = (value: AuditDetail[string]): AuditDetail[string] =>
  typeof value === 'string' ? textOf(value) : Array.isArray(value) ? value.slice(0, MOST_ITEMS).map(textOf) : value;

/** What is stored of a detail: whatever a caller chose in it, an entry stays small. */
export function boundedDetail(detail: AuditDetail = {}): AuditDetail {
  return Object.fromEntries(
    Object.entries(detail)
      .slice(0, MOST_MEMBERS)
      .map(([name, value]) => [name, boundedValue(value)]),
  );
}
