import { type LocatedFinding, MAX_FINDINGS, type Severity, type SourceRange } from '@crm/manifest';
import type { CertifiedPackage } from '../package-source.js';
import { type Colours, displayWidth, printable } from '../terminal.js';
import { packageName } from './report.js';

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
function snippet(
  line: string,
  range: SourceRange,
  { columns, colours, mark }: { columns: number; colours: Colours; mark: (text: string) => string },
): string {
  const number = String(range.line);
  const width = Math.max(20, columns - number.length - 7);
  const start = Math.min(range.column - 1, line.length);
  const from = line.length > width ? Math.max(0, start - CONTEXT_BEFORE) : 0;
  const to = Math.min(line.length, from + width);

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

/** Style of the report. */
export interface TextStyle {
  colours: Colours;
  columns: number;
}

/** Number of findings printed per check; `--json` has all of them. */
const SHOWN_PER_CHECK = 20;

const SEVERITIES: readonly Severity[] = ['blocker', 'warning', 'advice'];

/** The findings with their source lines, the most severe first, then a summary. Ends with a line break. */
export function textReport(certified: CertifiedPackage, style: TextStyle): string {
  const parts = SEVERITIES.flatMap((severity) =>
    certified.certification.checks
      .filter((check) => check.severity === severity && check.status === 'fail')
      .flatMap((check) => checkParts(certified, check.id, style)),
  );
  const { passed, failed, skipped } = certified.certification.summary;
  const names = certified.certification.checks.filter(({ status }) => status === 'skip').map(({ id }) => id);
  // When a document cannot be read, nearly all checks are skipped, so their names are of no use.
  const skippedNames = passed > 0 && names.length > 0 ? ` (${names.join(', ')})` : '';
  const summary = `${passed} checks passed, ${failed} failed, ${skipped} skipped${skippedNames}`;
  return `${[...parts, summary].join('\n\n')}\n`;
}

function checkParts(certified: CertifiedPackage, check: string, style: TextStyle): string[] {
  const findings = certified.findings.filter((finding) => finding.check === check);
  const parts = findings.slice(0, SHOWN_PER_CHECK).map((finding) => findingText(certified, finding, style));
  const more = findings.length - SHOWN_PER_CHECK;
  // The suite returns no more findings than this.
  const least = findings.length >= MAX_FINDINGS ? 'at least ' : '';
  return more > 0 ? [...parts, `… and ${least}${more} more for ${check}`] : parts;
}

function findingText(certified: CertifiedPackage, finding: LocatedFinding, { colours, columns }: TextStyle): string {
  const isPacket = finding.document === 'reviewPacket' && certified.reviewFile !== undefined;
  const file = isPacket ? certified.reviewFile : certified.file;
  const source = (isPacket ? certified.texts.reviewPacket : undefined) ?? certified.texts.manifest;
  const mark = colours[finding.severity];
  const place = colours.strong(printable(`${file}:${finding.line}:${finding.column}`));
  const head = `${place} ${mark(finding.severity)} ${colours.strong(finding.check)} ${printable(finding.message)}`;
  return `${head}\n${snippet(source.lines.lineText(finding.line), finding, { columns, colours, mark })}`;
}

/** The last line: `PASS <key>@<version> …` or `FAIL …`. */
export function verdictLine({ texts, certification, findings }: CertifiedPackage, colours: Colours): string {
  const failedOf = (severity: Severity) =>
    certification.checks.filter((check) => check.severity === severity && check.status === 'fail').length;
  const blockers = new Set(findings.filter(({ severity }) => severity === 'blocker').map(({ check }) => check));
  const counts = [
    blockers.size > 0 ? `blockers: ${[...blockers].join(', ')}` : 'no blockers',
    `warnings: ${failedOf('warning')}`,
    `advice: ${failedOf('advice')}`,
    `suite ${certification.suiteVersion}`,
    ...(certification.manifestSha256 === null ? [] : [`sha256 ${certification.manifestSha256}`]),
  ];
  const verdict = certification.passed ? colours.good('PASS') : colours.blocker('FAIL');
  return `${verdict} ${packageName(texts.manifest.value)} (${counts.join('; ')})\n`;
}
