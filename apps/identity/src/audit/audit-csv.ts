import type { AuditEntryView } from './audit-log.dto.js';

const COLUMNS: readonly (readonly [name: string, value: (entry: AuditEntryView) => string | null])[] = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at],
  ['action', ({ action }) => action],
  ['outcome', ({ outcome }) => outcome],
  ['actorKind', ({ actor }) => actor.kind],
  ['actorId', ({ actor }) => actor.id],
  ['actorName', ({ actor }) => actor.name],
  ['subjectKind', ({ subject }) => subject?.kind ?? null],
  ['subjectId', ({ subject }) => subject?.id ?? null],
  ['subjectName', ({ subject }) => subject?.name ?? null],
  ['address', ({ address }) => address],
  ['device', ({ device }) => device],
  ['requestId', ({ requestId }) => requestId],
  ['detail', ({ detail }) => JSON.stringify(detail)],
];

/** What a spreadsheet takes for a formula (OWASP, CSV Injection), the full-width forms included, and what hides such a start. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

/** A cell of RFC 4180. Names and paths are chosen by people: an apostrophe makes a spreadsheet show a text as a text. */
export function csvCell(value: string | null): string {
  const text = value ?? '';
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const line = (cells: readonly (string | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`;

export const csvHead = (): string => line(COLUMNS.map(([name]) => name));

export const csvLine = (entry: AuditEntryView): string => line(COLUMNS.map(([, value]) => value(entry)));
