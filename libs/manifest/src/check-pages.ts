import type { Check } from './check.js';
import { EXAMPLES } from './checks/examples.js';
import { CHECKS } from './checks/index.js';

const SEVERITIES: Readonly<Record<Check['severity'], string>> = {
  blocker: 'A failure rejects the package.',
  warning: 'Reviewers see it and can still publish, with a reason.',
  advice: 'A failure is a hint to the developer.',
};

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Text with code between backticks. */
const prose = (text: string): string => escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');

const json = (value: unknown): string => {
  // A list of plain values reads best on one line.
  const text = JSON.stringify(value, null, 2).replace(
    /\[\s+([^[\]{}]*?)\s+\]/g,
    (_, items: string) => `[${items.replace(/\s*\n\s*/g, ' ')}]`,
  );
  return `<pre>${escapeHtml(text)}</pre>`;
};

const page = (heading: string, content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${prose(heading)}</title><h1>${prose(heading)}</h1>${content}</html>\n`;

/** Lists the checks, each with a link to its page, as HTML that needs neither scripts nor styles. */
export function checkListPage(): string {
  const rows = CHECKS.map(
    ({ id, severity, title }) =>
      `<tr><td><a href="/docs/certification/${id}">${id}</a></td><td>${severity}</td><td>${prose(title)}</td></tr>`,
  );
  return page(
    'Certification checks',
    `<p>The same suite runs in <code>crm-dev certify</code>, in <code>POST /api/marketplace/developer/certifications</code> and on submission. A package passes when no blocker fails. Checks that need knowledge of the marketplace are skipped elsewhere.</p><table><tr><th>check</th><th>severity</th><th>what</th></tr>${rows.join('')}</table>`,
  );
}

/**
 * The page that the `docUrl` of a check's findings leads to: its purpose, what to do, and an example of each outcome. The
 * examples have the sections that matter; the rest of the package is valid.
 * @returns HTML; undefined for an unknown id
 */
export function checkPage(id: string): string | undefined {
  const check = CHECKS.find((one) => one.id === id);
  if (!check) return undefined;
  const example = Object.hasOwn(EXAMPLES, id) ? EXAMPLES[id as keyof typeof EXAMPLES] : undefined;
  const parts = [
    `<p>Severity: <strong>${check.severity}</strong>. ${SEVERITIES[check.severity]}</p>`,
    `<h2>Why</h2><p>${prose(check.doc.why)}</p>`,
    `<h2>What to do</h2><p>${prose(check.doc.fix)}</p>`,
    ...(example ? [`<h2>Fails</h2>${json(example.fails)}`] : []),
    ...(example && Object.keys(example.passes).length > 0 ? [`<h2>Passes</h2>${json(example.passes)}`] : []),
    '<p><a href="/docs/certification">All checks</a></p>',
  ];
  return page(`${check.id} ${check.title}`, parts.join(''));
}
