import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DEVELOPMENT_PORTS, OPERATIONS_PORT_OFFSET } from '../../libs/contracts/src/services.js';
import { bytesOf, MAX_FILE_STORE, sharesOf } from '../../libs/messaging/src/server/nats-server-config.js';
import { run } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';
import { programOf } from '../servers/programs.mjs';
import { allExpressions, allRules, filesIn, PROMETHEUS, RUNBOOKS, readYaml } from './files.mjs';

const RULE_FILES = filesIn(path.join(PROMETHEUS, 'rules'), '.yml');
const alerts = allRules().filter(({ alert }) => alert !== undefined);
const names = [...new Set(alerts.map(({ alert }) => /** @type {string} */ (alert)))].sort();
const TEST_FILES = filesIn(path.join(PROMETHEUS, 'tests'), '.test.yml');
/** @type {{ promql_expr_test: { expr: string, exp_samples: { labels: string }[] }[] }[]} */
const tests = TEST_FILES.flatMap((file) => readYaml(file).tests);

describe('the configuration of Prometheus', () => {
  /** @type {string} */
  let promtool;
  beforeAll(async () => {
    promtool = await programOf('promtool');
  }, 180_000);

  /** @param {readonly string[]} args */
  const outcomeOf = async (args) => {
    const { code, stdout, stderr } = await run(promtool, [...args]);
    return { code, output: `${stdout}${stderr}` };
  };

  it('is valid, with its rules', async () => {
    const file = path.join(PROMETHEUS, 'prometheus.yml');
    const checked = await outcomeOf(['check', 'config', '--lint=all', '--lint-fatal', file]);
    expect(checked).toMatchObject({ code: 0 });
    expect(checked.output).toContain(`${RULE_FILES.length} rule files found`);
  });

  it('passes the tests of its rules', async () => {
    const { code, output } = await outcomeOf(['test', 'rules', ...TEST_FILES]);
    expect(code === 0 ? '' : output).toBe('');
  }, 180_000);

  it('scrapes the operations port of every service by its name, and the collector of traces', () => {
    /** @type {{ job_name: string, static_configs: { targets: string[], labels?: object }[] }[]} */
    const jobs = readYaml(path.join(PROMETHEUS, 'prometheus.yml')).scrape_configs;
    const crm = jobs.filter(({ job_name }) => job_name === 'crm').flatMap(({ static_configs }) => static_configs);
    const expected = Object.entries(DEVELOPMENT_PORTS).map(([service, port]) => ({
      targets: [`${service}:${port + OPERATIONS_PORT_OFFSET}`],
      labels: { service },
    }));
    expect(new Set(crm)).toEqual(new Set(expected));
    const { readers } = readYaml(inRoot('deploy', 'observability', 'otel', 'collector.yaml')).service.telemetry.metrics;
    const targets = jobs.flatMap(({ static_configs }) => static_configs.flatMap((entry) => entry.targets));
    expect(targets).toContain(`otel-collector:${readers[0].pull.exporter.prometheus.port}`);
  });
});

describe.each(names)('the alert %s', (name) => {
  const rules = alerts.filter(({ alert }) => alert === name);
  const about = tests
    .flatMap(({ promql_expr_test }) => promql_expr_test)
    .filter(({ expr }) => expr.includes(`"${name}"`));

  it('has a test in which it fires and one in which it does not', () => {
    expect(about.filter(({ exp_samples }) => exp_samples.length > 0)).not.toEqual([]);
    expect(about.filter(({ exp_samples }) => exp_samples.length === 0)).not.toEqual([]);
  });

  it('says how urgent it is, what is wrong, and where its runbook is', () => {
    for (const { labels, annotations } of rules) {
      expect(['page', 'ticket']).toContain(labels?.severity);
      expect(annotations).toMatchObject({
        summary: expect.any(String),
        description: expect.any(String),
        runbook: `docs/runbooks/${name}.md`,
      });
      expect(existsSync(inRoot(annotations?.runbook ?? ''))).toBe(true);
    }
  });

  it('has a runbook with what it means, the command that shows it and the one that mends it', () => {
    const page = readFileSync(path.join(RUNBOOKS, `${name}.md`), 'utf8');
    expect(page).toMatch(new RegExp(`^# ${name}\n`));
    const sections = ['What it means for users', 'See it', 'Mend it'];
    expect([...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(expect.arrayContaining(sections));
    for (const title of ['See it', 'Mend it']) {
      const [, section = ''] = page.split(`## ${title}\n`);
      expect(section.split('\n## ')[0]).toMatch(/```(sh|sql|promql)\n/);
    }
    expect(readFileSync(path.join(RUNBOOKS, 'README.md'), 'utf8')).toContain(`](${name}.md)`);
  });
});

describe('the rules', () => {
  it('do not take a series that is not there for one that is 0: a new process has none with labels', () => {
    for (const { alert, record, expr } of allRules()) {
      expect([alert ?? record, /\b(?:rate|increase)\([^()]*\)\)?\s*==\s*0/.test(expr)]).toEqual([
        alert ?? record,
        false,
      ]);
    }
  });

  it('and the dashboards know what the event stream may take', () => {
    const gib = `(${sharesOf(bytesOf(MAX_FILE_STORE) ?? 0).events / 2 ** 30} * 1024 ^ 3)`;
    const asked = allExpressions().filter(([, expr]) => expr.includes('event_stream_bytes'));
    expect(asked).toHaveLength(2);
    for (const [, expr] of asked) expect(expr).toContain(gib);
    const servers = readFileSync(inRoot('k8s', 'base', 'nats', 'statefulset.yaml'), 'utf8');
    expect(servers).toContain(`- name: NATS_MAX_FILE_STORE\n              value: ${MAX_FILE_STORE}\n`);
  });
});

describe('the alert on an objective', () => {
  it('fires in tests for each of its windows', () => {
    const seen = tests.flatMap(({ promql_expr_test }) => promql_expr_test.flatMap(({ exp_samples }) => exp_samples));
    for (const { labels } of alerts.filter(({ alert }) => alert === 'RecordApiAvailabilityBurn')) {
      const text = `severity="${labels?.severity}",window="${labels?.window}"`;
      expect(seen.map((sample) => sample.labels)).toContainEqual(expect.stringContaining(text));
    }
  });
});

describe('the runbooks', () => {
  it('are of alerts that exist', () => {
    const pages = readdirSync(RUNBOOKS).filter((file) => file.endsWith('.md') && file !== 'README.md');
    expect(pages.map((file) => file.replace(/\.md$/, '')).sort()).toEqual(names);
  });

  it('name commands that exist', () => {
    /** @type {{ scripts: Record<string, string> }} */
    const { scripts } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
    for (const file of filesIn(RUNBOOKS, '.md')) {
      for (const [, command = ''] of readFileSync(file, 'utf8').matchAll(/npm run ([\w:-]+)/g)) {
        expect(Object.keys(scripts)).toContain(command);
      }
    }
  });
});
