import { readdirSync, readFileSync } from 'node:fs';
import { inRoot } from '../root.mjs';

/**
 * A metric as it is declared.
 * @typedef {object} DeclaredMetric
 * @property {string} name
 * @property {string} help
 * @property {string} type
 * @property {readonly string[]} labelNames
 */

/** A page's section: the files that declare its metrics. */
export const SECTIONS = [
  { title: 'Requests', who: 'every service', file: 'libs/runtime/src/observability/metrics.ts' },
  { title: 'Limits', who: 'every service', file: 'libs/http/src/problem/refusal-metrics.ts' },
  { title: 'Counting of limits', who: 'services with limits', file: 'libs/limits/src/limits-metrics.ts' },
  { title: 'API keys', who: 'gateway', file: 'apps/gateway/src/api-keys/api-key-metrics.ts' },
  { title: 'Bodies on their way', who: 'gateway', file: 'apps/gateway/src/bodies/body-metrics.ts' },
  { title: 'Services behind the gateway', who: 'gateway', file: 'apps/gateway/src/proxy/upstream-metrics.ts' },
  {
    title: 'Calls, consumers and cut-offs',
    who: 'every service; consumers where they run',
    file: 'libs/messaging/src/metrics.ts',
  },
  { title: 'Outbox', who: 'services with an outbox', file: 'libs/messaging/src/outbox/outbox-metrics.ts' },
  { title: 'Connections to the database', who: 'services with a database', file: 'libs/database/src/pool-metrics.ts' },
  { title: 'Due work', who: 'services with background work', file: 'libs/database/src/due-work/due-work-metrics.ts' },
  { title: 'Partitions', who: 'services with a database', file: 'libs/database/src/partitions/partition-metrics.ts' },
  { title: 'Attempts', who: 'webhook-dispatcher', file: 'apps/webhook-dispatcher/src/sending/sending-metrics.ts' },
  { title: 'Holding', who: 'webhook-dispatcher', file: 'apps/webhook-dispatcher/src/recording/recording-metrics.ts' },
  { title: 'Signing keys', who: 'identity', file: 'apps/identity/src/sessions/signing-key-metrics.ts' },
  { title: 'Hashing of passwords', who: 'identity', file: 'apps/identity/src/sign-in/hash-pool-metrics.ts' },
  {
    title: 'Review queue',
    who: 'marketplace-certification',
    file: 'apps/marketplace-certification/src/review/submission-metrics.ts',
  },
  {
    title: 'Conflicts of embed apps',
    who: 'identity',
    file: 'apps/identity/src/embedding/embed-conflict-metrics.ts',
  },
  { title: 'Refused acts', who: 'identity', file: 'apps/identity/src/audit/refused-acts-metrics.ts' },
  {
    title: 'Certificates',
    who: 'services that speak HTTPS',
    file: 'libs/runtime/src/transport/certificate-metrics.ts',
  },
];

/** @returns {string[]} every source file that declares metrics, from the root of the repository */
export const declaringFiles = () =>
  ['apps', 'libs']
    .flatMap((folder) => readdirSync(inRoot(folder)).map((name) => `${folder}/${name}/src`))
    .flatMap((sources) =>
      readdirSync(inRoot(sources), { recursive: true, encoding: 'utf8' }).map((file) => `${sources}/${file}`),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.startsWith('libs/metrics/'))
    .filter((file) => /from '(?:prom-client|@crm\/metrics)'/.test(readFileSync(inRoot(file), 'utf8')))
    .sort();

/** The section of what `prom-client` measures of any process. */
export const PROCESS_SECTION = 'The process';

/**
 * Loads the files that declare metrics; for tests, which read TypeScript.
 * @returns {Promise<Map<string, DeclaredMetric[]>>} metrics by section, in the order of their declaration
 */
export async function declaredMetrics() {
  const { metricsRegistry, startProcessMetrics } = await import('../../libs/runtime/src/observability/metrics.js');
  const declared = () => /** @type {DeclaredMetric[]} */ (/** @type {unknown} */ (metricsRegistry.getMetricsAsArray()));
  const isOfProcess = (/** @type {DeclaredMetric} */ { name }) => /^(process|nodejs)_/.test(name);
  const sections = new Map();
  for (const { title, file } of SECTIONS) {
    const before = new Set(declared().map(({ name }) => name));
    await import(`../../${file}`);
    if (title === 'Requests') startProcessMetrics('test');
    sections.set(
      title,
      declared().filter((metric) => !before.has(metric.name) && !isOfProcess(metric)),
    );
  }
  return sections.set(PROCESS_SECTION, declared().filter(isOfProcess));
}
