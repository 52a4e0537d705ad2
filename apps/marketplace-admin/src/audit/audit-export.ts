import type { AuditEntryView } from './audit.dto.js';

const COLUMNS = [
  'id',
  'at',
  'operatorId',
  'operatorEmail',
  'role',
  'act',
  'subjectKind',
  'subjectId',
  'subjectName',
  'reason',
  'findings',
  'before',
  'after',
] as const satisfies readonly (keyof AuditEntryView)[];

export interface ExportFormat {
  readonly type: string;
  readonly head: string;
  line(entry: AuditEntryView): string;
}

export const FORMATS: Readonly<Record<'ndjson' | 'csv', ExportFormat>> = {
  ndjson: { type: 'application/x-ndjson', head: '', line: (entry) => `${JSON.stringify(entry)}\n` },
  csv: {
    type: 'text/csv; charset=utf-8',
    head: csvLine(COLUMNS),
    line: (entry) => csvLine(COLUMNS.map((name) => textOf(entry[name]))),
  },
};

function textOf(value: AuditEntryView[keyof AuditEntryView]): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** RFC 4180, every cell quoted. */
function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${harmless(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/**
 * A spreadsheet runs what looks like a formula, and the reason of a decision or the name of a publisher may be written for
 * that. An apostrophe makes it a text. White space in front does not protect, and there are full-width signs.
 */
function harmless(cell: string): string {
  return /^[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(cell) || /^[\t\r\n]/.test(cell) ? `'${cell}` : cell;
}
