import { CHECKS, type Check } from '../src/index.js';
import { SAMPLES } from './samples.js';

const SEVERITIES = {
  blocker: 'A failure rejects the package.',
  warning: 'A failure is shown to the operator, who can still publish the package, giving a reason.',
  advice: 'A failure is a hint to the developer.',
};

function json(value: unknown): string {
  // A list of plain values reads best on one line.
  const text = JSON.stringify(value, null, 2).replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, items: string) => {
    return `[${items.replace(/\s*\n\s*/g, ' ')}]`;
  });
  return `\`\`\`json\n${text}\n\`\`\``;
}

/** The page of a check: its purpose, and a failing and a passing sample that the tests run. */
export function pageOf(check: Check): string {
  const sample = SAMPLES.find(
    (one) => one.check === check.id && (one.packets === undefined || one.packets.fails !== undefined),
  );
  const [fails, passes] = sample?.packets
    ? [sample.packets.fails, sample.packets.passes]
    : [sample?.fails, sample?.passes];
  const isNothing = passes !== undefined && Object.keys(passes as object).length === 0;
  const parts = [
    `# ${check.id} ${check.title}`,
    `Severity: **${check.severity}**. ${SEVERITIES[check.severity]}`,
    `## Why\n\n${check.doc.why}`,
    `## What to do\n\n${check.doc.fix}`,
    ...(sample ? [`## Fails\n\n${json(fails)}`] : []),
    ...(sample && !isNothing ? [`## Passes\n\n${json(passes)}`] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The list of all checks. */
export function indexPage(): string {
  const rows = CHECKS.map(({ id, severity, title }) => `| [${id}](${id}.md) | ${severity} | ${title} |`);
  return [
    '# Certification checks',
    '',
    'The same suite runs in `crm-dev certify`, in `POST /api/marketplace/developer/certifications` and on submission. A package passes when no blocker fails. Checks that need knowledge of the marketplace are skipped elsewhere.',
    '',
    'These pages are generated from the checks and the samples of their tests (`npm run docs` writes them again). Samples show only the relevant sections; the rest of the package is valid.',
    '',
    '| check | severity | what |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
