// The metrics that the sources declare. For tests, which read TypeScript.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { inRoot } from '../root.mjs';

/** @typedef {{ name: string, help: string, type: string, labelNames: readonly string[] }} DeclaredMetric */

const DECLARES = /from 'prom-client'|\b(?:counter|gauge|histogram)\b[^}]*\} from '@crm\/telemetry'/;

/** @param {string} name of a package, as in `apps/gateway` @returns {string[]} its files that declare metrics */
const declaringFiles = (name) =>
  readdirSync(inRoot(name, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => `${name}/src/${file}`)
    .filter((file) => DECLARES.test(readFileSync(inRoot(file), 'utf8')));

/** @returns {Promise<Map<string, DeclaredMetric[]>>} by package, in the order of their declaration; those of any process last */
export async function declaredMetrics() {
  const { metricsRegistry, startProcessMetrics } = await import('../../libs/runtime/src/observability/metrics.js');
  startProcessMetrics('test');
  const declared = () => /** @type {DeclaredMetric[]} */ (/** @type {unknown} */ (metricsRegistry.getMetricsAsArray()));
  const isOfProcess = (/** @type {DeclaredMetric} */ { name }) => /^(process|nodejs)_/.test(name);
  const requests = declared().filter((metric) => !isOfProcess(metric));
  const sections = new Map([['libs/runtime', requests]]);
  const packages = ['apps', 'libs'].flatMap((folder) => readdirSync(inRoot(folder)).map((name) => `${folder}/${name}`));
  const withSources = packages.filter((name) => name !== 'libs/telemetry' && existsSync(inRoot(name, 'src')));
  for (const name of withSources) {
    const before = new Set(declared());
    for (const file of declaringFiles(name).sort()) await import(`../../${file}`);
    const added = declared().filter((metric) => !before.has(metric));
    if (added.length > 0) sections.set(name, [...(sections.get(name) ?? []), ...added]);
  }
  return sections.set('any process', declared().filter(isOfProcess));
}
