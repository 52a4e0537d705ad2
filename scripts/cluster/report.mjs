import { columns } from '../platform/addresses.mjs';

/** So many different failures of a phase are shown. */
const SHOWN = 5;

/**
 * @param {readonly import('./load.mjs').Phase[]} phases
 * @returns {string} a table, and what the failures were
 */
export function reportOf(phases) {
  const header = ['While', 'requests', 'failed', 'slowest', 'longest without a write'];
  const rows = phases.map(({ name, requests, failures, slowestMs, longestGapMs }) => [
    name,
    String(requests),
    String(failures.length),
    `${(slowestMs / 1000).toFixed(2)} s`,
    `${(longestGapMs / 1000).toFixed(2)} s`,
  ]);
  const failures = phases.flatMap(({ name, failures: of }) => summary(of).map((line) => `  ${name}: ${line}`));
  return [...columns([header, ...rows]), ...(failures.length > 0 ? ['', ...failures] : [])].join('\n');
}

/**
 * @param {readonly import('./load.mjs').Failure[]} failures
 * @returns {string[]}
 */
function summary(failures) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { method, status, what } of failures) {
    const code = /"code":"([A-Z_]+)"/.exec(what)?.[1] ?? what;
    const text = `${method} ${status || 'no answer'} ${code}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, left], [, right]) => right - left)
    .slice(0, SHOWN)
    .map(([text, count]) => `${count} × ${text}`);
}
