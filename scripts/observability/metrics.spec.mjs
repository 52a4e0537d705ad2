import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { ofKind } from '../kubernetes/manifests.mjs';
import { renderWith } from '../kubernetes/render-with.mjs';
import { externalMetricsOf } from '../kubernetes/rules/agreement.mjs';
import { inRoot } from '../root.mjs';
import { declaredMetrics, declaringFiles, PROCESS_SECTION, SECTIONS } from './declared-metrics.mjs';
import { allDashboards, allRules } from './files.mjs';
import { groupingsOf, selectorsOf } from './promql.mjs';

/** @typedef {import('./declared-metrics.mjs').DeclaredMetric} DeclaredMetric */

const FOLDER = inRoot('docs', 'reference');
/** Set for every metric of a process: by the process itself, by the scrape, and of what Prometheus adds. */
const COMMON_LABELS = ['service', 'instance', 'job'];

/** @type {Map<string, DeclaredMetric[]>} */
let sections;
/** By the name of each series. @type {Map<string, readonly string[]>} */
const series = new Map();

beforeAll(async () => {
  sections = await declaredMetrics();
  for (const { name, type, labelNames } of [...sections.values()].flat()) {
    const suffixes =
      type === 'histogram' ? ['_bucket', '_sum', '_count'] : type === 'summary' ? ['', '_sum', '_count'] : [''];
    for (const suffix of suffixes) {
      series.set(name + suffix, [...labelNames, ...COMMON_LABELS, ...(suffix === '_bucket' ? ['le'] : [])]);
    }
  }
  series.set('up', COMMON_LABELS);
  series.set('ALERTS', ['alertname', 'alertstate', 'severity']);
  for (const { record, expr } of allRules()) if (record) series.set(record, groupingsOf(expr));
});

/** @param {DeclaredMetric} metric */
const rowOf = ({ name, type, labelNames, help }) =>
  `| \`${name}\` | ${type} | ${labelNames.map((label) => `\`${label}\``).join(', ')} | ${help.replace(/\.$/, '')} |`;

const TABLE = '| metric | type | labels | |\n|---|---|---|---|';

const page = () =>
  [
    '# Metrics',
    '',
    'Each process serves its metrics at `/metrics` of its operations port (its port + 1000). Every metric also has the label',
    '`service`. A metric of type histogram has the series `_bucket` (label `le`), `_sum` and `_count`. What is measured over all',
    'processes of a service, or for a whole queue, is the same on each of them: take `max`, not `sum`.',
    'How to declare one: `libs/telemetry/README.md`.',
    '',
    ...SECTIONS.flatMap(({ title, who }) => [
      `## ${title}`,
      '',
      `Of ${who}.`,
      '',
      TABLE,
      ...(sections.get(title) ?? []).map(rowOf),
      '',
    ]),
    `## ${PROCESS_SECTION}`,
    '',
    'Of every service, by `prom-client`. The delay of the event loop is measured every 10 ms since the scrape before, and the',
    '10 ms are part of it.',
    '',
    TABLE,
    ...(sections.get(PROCESS_SECTION) ?? []).map(rowOf),
    '',
  ].join('\n');

describe('the page of metrics', () => {
  it('is of every file that declares some', () => {
    expect(declaringFiles()).toEqual(SECTIONS.map(({ file }) => file).sort());
  });

  it('has every metric once (npm run docs -- metrics writes it)', () => {
    if (process.env.WRITE_DOCS) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(`${FOLDER}/metrics.md`, page());
    }
    const listed = [...page().matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...sections.values()].flatMap((metrics) => metrics.map(({ name }) => name)).sort());
    expect(listed).toEqual([...new Set(listed)]);
  });

  it('shows no label by which the number of series would grow without end', () => {
    const known = [...series].filter(([name]) => !name.startsWith('slo:')).flatMap(([, labels]) => labels);
    expect([...new Set(known)].sort()).toEqual([
      'alertname',
      'alertstate',
      'code',
      'consumer',
      'group',
      'instance',
      'job',
      'kind',
      'lane',
      'le',
      'limit',
      'major',
      'method',
      'minor',
      'outcome',
      'patch',
      'pool',
      'queue',
      'reason',
      'route',
      'sender',
      'service',
      'severity',
      'side',
      'space',
      'state',
      'status',
      'subject',
      'table',
      'type',
      'upstream',
      'version',
    ]);
  });
});

/** @param {string} expression */
function problemsOf(expression) {
  const selectors = selectorsOf(expression);
  const unknown = selectors.filter(({ name }) => !series.has(name)).map(({ name }) => `there is no ${name}`);
  const wrongLabels = selectors.flatMap(({ name, labels }) =>
    labels
      .filter((label) => series.has(name) && !series.get(name)?.includes(label))
      .map((label) => `${name} has no label ${label}`),
  );
  const available = new Set(selectors.flatMap(({ name }) => series.get(name) ?? []));
  const ungrouped = groupingsOf(expression).filter((label) => !available.has(label));
  return [...unknown, ...wrongLabels, ...ungrouped.map((label) => `nothing has the label ${label}`)];
}

/**
 * What docs/deployment/kubernetes.md tells prometheus-adapter to provide.
 * @returns {{ metricsQuery: string, name: { as: string } }[]}
 */
function adapterRules() {
  const page = readFileSync(inRoot('docs', 'deployment', 'kubernetes.md'), 'utf8');
  const [block = ''] = page.match(/(?<=```yaml\n)externalRules:[\s\S]*?(?=```)/) ?? [];
  return parse(block).externalRules;
}

describe('what is asked of the metrics', () => {
  it('exists, in the rules', () => {
    for (const { alert, record, expr } of allRules()) {
      expect([alert ?? record, selectorsOf(expr).length > 0, problemsOf(expr)]).toEqual([alert ?? record, true, []]);
    }
  });

  it('exists, in what alerts say', () => {
    for (const { alert, expr, annotations } of allRules()) {
      const labels = selectorsOf(expr).flatMap(({ name }) => series.get(name) ?? []);
      const used = [
        ...Object.values(annotations ?? {})
          .join(' ')
          .matchAll(/\$labels\.(\w+)/g),
      ].map(([, label]) => label);
      const grouped = groupingsOf(expr);
      for (const label of used)
        expect([alert, grouped.length > 0 ? grouped : labels]).toEqual([alert, expect.arrayContaining([label])]);
    }
  });

  it('exists, in the dashboards', () => {
    for (const [file, { panels }] of allDashboards()) {
      for (const { title, targets = [] } of panels) {
        for (const { expr } of targets) expect([file, title, problemsOf(expr)]).toEqual([file, title, []]);
      }
    }
  });

  it('exists, where pods are scaled', async () => {
    const scalers = ofKind(await renderWith('scaling-by-lag'), 'HorizontalPodAutoscaler');
    const metrics = scalers.flatMap(externalMetricsOf);
    expect(metrics).toHaveLength(2);
    const rules = adapterRules();
    for (const { name, selector } of metrics) {
      expect(rules.map(({ name: { as } }) => as)).toContain(name);
      expect([name, series.get(name)]).toEqual([
        name,
        expect.arrayContaining(Object.keys(selector?.matchLabels ?? {})),
      ]);
    }
    for (const { metricsQuery } of rules) {
      expect(problemsOf(metricsQuery.replace('<<.LabelMatchers>>', ''))).toEqual([]);
    }
  });
});
