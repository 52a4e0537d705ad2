// The values that labels of our metrics can have, read from the code that sets them: for tests, which compile TypeScript.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ATTEMPT_ERROR_CODES } from '../../apps/webhook-dispatcher/src/receivers/attempt-outcome.js';
import { ERRORS } from '../../libs/contracts/src/errors/index.js';
import { SERVICES } from '../../libs/contracts/src/services.js';
import { CONSUMERS } from '../../libs/contracts/src/streams.js';
import { inRoot } from '../root.mjs';
import { PROMETHEUS, readYaml } from './files.mjs';

/**
 * @param {RegExp} pattern with the value in its first group
 * @param {...string} files
 */
const inSources = (pattern, ...files) => [
  ...new Set(
    files.flatMap((file) =>
      [...readFileSync(inRoot(...file.split('/')), 'utf8').matchAll(pattern)].map(([, value = '']) => value),
    ),
  ),
];

/** Names of series and labels with what they can be; a name alone is a label of every metric. @type {Record<string, readonly string[]>} */
const VALUES = {
  service: SERVICES,
  consumer: [...Object.values(CONSUMERS).map(({ durable }) => durable), 'outbox'],
  job: readYaml(path.join(PROMETHEUS, 'prometheus.yml')).scrape_configs.map(
    (/** @type {{ job_name: string }} */ { job_name }) => job_name,
  ),
  alertstate: ['pending', 'firing'],
  'webhook_attempts_total outcome': ['delivered', 'defect', ...ATTEMPT_ERROR_CODES],
  code: ['ok', ...Object.keys(ERRORS)],
  side: inSources(/side: '(\w+)'/g, 'libs/messaging/src/rpc/rpc.ts', 'libs/messaging/src/rpc/rpc-server.ts'),
  state: inSources(/state: '(\w+)'/g, 'libs/database/src/pool.ts'),
  lane: inSources(
    /lane: '(\w+)'/g,
    'apps/webhook-dispatcher/src/delivery/fan-out.service.ts',
    'apps/webhook-dispatcher/src/delivery/due-delivery.worker.ts',
  ),
  queue: inSources(
    /new DueWorkMeter\(database, '(\w+)'/g,
    'apps/identity/src/mail/mail.module.ts',
    'apps/marketplace-certification/src/installation/installation.module.ts',
    'apps/webhook-dispatcher/src/delivery/delivery.module.ts',
    'apps/webhook-dispatcher/src/ledger/ledger.module.ts',
    'apps/automation-hooks/src/run/run.module.ts',
  ),
  // Three digits; which of them a service answers is not listed anywhere.
  status: ['200', '302', '404', '500', '503'],
};

/** Patterns of addresses, and bounds of histograms: no lists of values. */
const FREE = ['route', 'le'];

/**
 * Which of the values that a matcher asks for nothing ever has.
 * @param {import('./promql.mjs').Matcher} matcher
 * @returns {string[]} each value, or the label when nothing says what it can be
 */
export function unknownValues({ name, label, isPattern, value }) {
  // A variable of a dashboard.
  if (FREE.includes(label) || value.startsWith('$')) return [];
  const series = name.replace(/_(?:bucket|sum|count)$/, '');
  const known = VALUES[`${series} ${label}`] ?? VALUES[label];
  if (!known) return [`${name} ${label}: what it can be is not known`];
  return (isPattern ? value.split('|') : [value])
    .filter((wanted) =>
      isPattern ? !known.some((one) => new RegExp(`^(?:${wanted})$`).test(one)) : !known.includes(wanted),
    )
    .map((wanted) => `${name} has no ${label} ${wanted}`);
}
