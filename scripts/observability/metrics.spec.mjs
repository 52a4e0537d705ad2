import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { inRoot } from '../root.mjs';
import { declaredMetrics } from './declared-metrics.mjs';
import { allExpressions, allRules } from './files.mjs';
import { groupingsOf, selectorsOf } from './promql.mjs';

/** @typedef {import('./declared-metrics.mjs').DeclaredMetric} DeclaredMetric */

const FOLDER = inRoot('docs', 'reference');
/** Set for every metric of a process: by the process itself, by the scrape, and of what Prometheus adds. */
const COMMON_LABELS = ['service', 'instance', 'job'];

/** Labels of which there are few values: by any other the number of series could grow without end. */
const LABELS =
  `alertname alertstate code consumer group instance job kind lane le limit major method minor outcome patch pool
queue reason route sender service severity side space state status subject table type upstream version`.split(/\s/);

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

const page = () => {
  const section = (/** @type {string} */ title) => {
    const rows = (sections.get(title) ?? []).map(({ name, type, labelNames, help }) => {
      const labels = labelNames.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${labels} | ${help.replace(/\.$/, '')} |`;
    });
    return [`## ${title}`, '', '| metric | type | labels | |', '|---|---|---|---|', ...rows, ''];
  };
  return [
    '# Metrics',
    '',
    'Each process serves its metrics at `/metrics` of its operations port (its port + 1000). Every metric also has the label',
    '`service`. A metric of type histogram has the series `_bucket` (label `le`), `_sum` and `_count`. What is measured over all',
    'processes of a service, or for a whole queue, is the same on each of them: take `max`, not `sum`.',
    'Below are the metrics of each package that declares some, and those that `prom-client` adds to any process: the delay of the',
    'event loop is measured every 10 ms since the scrape before, and the 10 ms are part of it.',
    'How to declare one: `libs/telemetry/README.md`.',
    '',
    ...[...sections.keys()].flatMap(section),
  ].join('\n');
};

describe('the page of metrics', () => {
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
    expect([...new Set(known)].sort()).toEqual(LABELS);
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

describe('what is asked of the metrics', () => {
  it('is understood', () => {
    const all =
      'sum by (a, le) (rate(x_bucket{c=~"x{2}|y",le!="z"}[$__rate_interval])) > 14.4 * 1e-3 / on (b) slo:y:z_1h # of w';
    expect(selectorsOf(all)).toEqual([
      { name: 'x_bucket', labels: ['c', 'le'] },
      { name: 'slo:y:z_1h', labels: [] },
    ]);
    expect(groupingsOf(all)).toEqual(['a', 'le', 'b']);
    expect(problemsOf('sum by (shape) (up{colour="red"}) / nothing')).toEqual([
      'there is no nothing',
      'up has no label colour',
      'nothing has the label shape',
    ]);
  });

  it('exists, in the rules and the dashboards', () => {
    const found = allExpressions().map(([place, expr]) => [place, selectorsOf(expr).length > 0, problemsOf(expr)]);
    expect(found).toEqual(allExpressions().map(([place]) => [place, true, []]));
  });

  it('exists, in what alerts say', () => {
    for (const { alert, expr, annotations } of allRules()) {
      const grouped = groupingsOf(expr);
      const labels = grouped.length > 0 ? grouped : selectorsOf(expr).flatMap(({ name }) => series.get(name) ?? []);
      const said = Object.values(annotations ?? {}).join(' ');
      const used = [...said.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      expect([alert, labels]).toEqual([alert, expect.arrayContaining(used)]);
    }
  });

  it('exists, where pods are scaled and in what docs/deployment/kubernetes.md tells prometheus-adapter to provide', () => {
    const component = readFileSync(inRoot('k8s', 'components', 'scaling-by-lag', 'kustomization.yaml'), 'utf8');
    const scaled = [...component.matchAll(/^ +name: (\w+)\n +selector:\n +matchLabels: \{ (\w+): .* \}$/gm)];
    expect(scaled).toHaveLength(2);
    const text = readFileSync(inRoot('docs', 'deployment', 'kubernetes.md'), 'utf8');
    const [block = ''] = text.match(/(?<=```yaml\n)externalRules:[\s\S]*?(?=```)/) ?? [];
    /** @type {{ metricsQuery: string, name: { as: string } }[]} */
    const rules = parse(block).externalRules;
    for (const [, name = '', label] of scaled) {
      expect(rules.map(({ name: { as } }) => as)).toContain(name);
      expect(series.get(name)).toContain(label);
    }
    for (const { metricsQuery } of rules) {
      expect(problemsOf(metricsQuery.replace('<<.LabelMatchers>>', ''))).toEqual([]);
    }
  });
});
