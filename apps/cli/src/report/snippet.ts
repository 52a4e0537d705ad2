import type { SourceRange } from '@crm/manifest';
import type { Colours } from './colours.js';
import { displayWidth, printable } from './printable.js';

/** Characters of a long line that are shown before the marked range. */
const CONTEXT_BEFORE = 40;

/**
 * A source line with carets under a range of it:
 *
 *     5 |   "webhook": [],
 *       |   ^^^^^^^^^
 *
 * @param line the text of the line, without its line break
 * @param range the range to mark; column in UTF-16 units from 1
 * @param columns longer lines are truncated around the range, with `…` where something is omitted
 * @param mark colours the carets
 */
export function snippet(
  line: string,
  range: SourceRange,
  { columns, colours, mark }: { columns: number; colours: Colours; mark: (text: string) => string },
): string {
  const number = String(range.line);
  const room = Math.max(20, columns - number.length - 7);
  const start = Math.min(range.column - 1, line.length);
  const from = line.length > room ? Math.max(0, start - CONTEXT_BEFORE) : 0;
  const to = Math.min(line.length, from + room);

  const before = (from > 0 ? '…' : '') + shown(line.slice(from, start));
  const marked = shown(line.slice(start, Math.min(to, start + range.length)));
  const after = shown(line.slice(Math.min(to, start + range.length), to)) + (to < line.length ? '…' : '');
  const carets = mark('^'.repeat(Math.max(1, displayWidth(marked))));
  return [
    `  ${colours.faint(`${number} |`)} ${before}${marked}${after}`,
    `  ${colours.faint(`${' '.repeat(number.length)} |`)} ${' '.repeat(displayWidth(before))}${carets}`,
  ].join('\n');
}

/** A part of the line as it is printed; a tab is two columns wide. */
function shown(text: string): string {
  return printable(text.replaceAll('\t', '  '));
}
