import type { CheckResult } from '@crm/manifest';
import { membersOf } from '../arguments.js';
import type { CertifiedPackage } from '../package-source.js';
import { printable, printableJson } from '../terminal.js';

/**
 * The certifications as JSON: the API's answer with the file, and the line and column of each finding. One object for one
 * package, a list for several.
 */
export function jsonReport(packages: readonly CertifiedPackage[]): string {
  const documents = packages.map(({ file, certification, findings }) => ({ file, ...certification, findings }));
  return `${printableJson(documents.length === 1 ? documents[0] : documents)}\n`;
}

/** `<key>@<version>` of a package, with `unknown` for missing parts, for a line of the report. */
export function packageName(manifest: unknown): string {
  return `${textOf(manifest, 'key')}@${textOf(manifest, 'version')}`;
}

function textOf(manifest: unknown, key: string): string {
  const value = membersOf(manifest)[key];
  return typeof value === 'string' && value.trim() !== '' ? printable(value.slice(0, 80)) : 'unknown';
}

/**
 * The certifications as JUnit XML for build servers: one suite per package, one case per check. Only a blocker is a
 * failure, since only a blocker rejects a package; warnings and advice are output of their case.
 */
export function junitReport(packages: readonly CertifiedPackage[]): string {
  const suites = packages.map(suiteXml);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="crm-dev certify">\n${suites.join('')}</testsuites>\n`;
}

function suiteXml(certified: CertifiedPackage): string {
  const { checks, summary } = certified.certification;
  const name = packageName(certified.texts.manifest.value);
  const counts = { tests: checks.length, failures: checks.filter(isFailure).length, skipped: summary.skipped };
  const cases = checks.map((check) => caseXml(certified, check));
  return `  <testsuite${attributes({ name, file: certified.file, ...counts })}>\n${cases.join('')}  </testsuite>\n`;
}

function isFailure({ status, severity }: CheckResult): boolean {
  return status === 'fail' && severity === 'blocker';
}

function caseXml(certified: CertifiedPackage, check: CheckResult): string {
  const open = `    <testcase${attributes({ name: `${check.id} ${check.title}`, classname: check.severity })}`;
  if (check.status === 'pass') return `${open}/>\n`;
  if (check.status === 'skip') return `${open}><skipped${attributes({ message: check.message })}/></testcase>\n`;
  const text = escapeXml(findingLines(certified, check.id).join('\n'));
  const inner = isFailure(check)
    ? `<failure${attributes({ message: check.message, type: check.id })}>${text}</failure>`
    : `<system-out>${text}</system-out>`;
  return `${open}>${inner}</testcase>\n`;
}

function findingLines({ file, reviewFile, findings }: CertifiedPackage, check: string): string[] {
  return findings
    .filter((finding) => finding.check === check)
    .map(({ document, line, column, message }) => {
      const name = document === 'reviewPacket' ? (reviewFile ?? file) : file;
      return printable(`${name}:${line}:${column} ${message}`);
    });
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(printable(String(value)))}"`)
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (character) => ENTITIES[character] ?? character);
}
