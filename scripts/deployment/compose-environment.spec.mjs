import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { DATABASES } from '../../libs/contracts/src/databases.js';
import * as contracts from '../../libs/contracts/src/services.js';
import { fixedLayout, SERVER_PORTS } from '../platform/layout.mjs';
import { inRoot } from '../root.mjs';
import { environmentOf, readCompose, readEnvFile } from './compose-file.mjs';
import { writeComposeSecrets } from './compose-secrets.mjs';
import { environmentProblems, serviceVariables } from './service-variables.mjs';

/** @typedef {import('./service-variables.mjs').ProgramName} ProgramName */

const { DEVELOPMENT_PORTS, isEdge, OPERATIONS_PORT_OFFSET, SERVICES } = contracts;
const compose = await readCompose();
const demo = await readCompose(await readEnvFile(inRoot('deploy', 'compose', 'demo.env')));
const layout = fixedLayout(DEVELOPMENT_PORTS, OPERATIONS_PORT_OFFSET, 0, contracts);

/** Ports of what is not ours, inside the network of the containers. */
const SERVER_PORTS_INSIDE = {
  postgres: 5432,
  nats: 4222,
  valkey: 6379,
  mailpit: 1025,
  'otel-collector': 4318,
  prometheus: 9090,
};
/** The programs with a configuration, and the container of each. */
const PROGRAMS = /** @type {[string, ProgramName][]} */ ([
  ...SERVICES.map((name) => [name, name]),
  ['migrate', 'migrate'],
  ['seed', 'identity'],
]);

/** What the containers find at /run/secrets. @type {Record<string, string>} */
const secretFiles = {};
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'crm-compose-'));
  for (const name of await writeComposeSecrets(folder)) {
    secretFiles[`/run/secrets/${name}`] = await readFile(path.join(folder, name), 'utf8');
  }
});
afterAll(() => rm(folder, { recursive: true }));

/**
 * @param {string} name of a container
 * @returns {import('./compose-file.mjs').Container}
 */
function container(name) {
  const found = compose.services[name];
  if (!found) throw new Error(`No container ${name}`);
  return found;
}

describe('the environment', () => {
  it.each(PROGRAMS)('of %s is complete and known to %s', async (name, program) => {
    expect(await environmentProblems(program, environmentOf(container(name)), secretFiles)).toEqual([]);
  });

  it.each(PROGRAMS)('of %s is so in the demo too', async (name, program) => {
    expect(
      await environmentProblems(program, environmentOf(demo.services[name] ?? container(name)), secretFiles),
    ).toEqual([]);
  });

  it.each(PROGRAMS)('of %s has its secrets in files, and no other secret', async (name, program) => {
    const environment = environmentOf(container(name));
    const { fromFiles } = await serviceVariables(program);
    expect(Object.keys(environment).filter((variable) => fromFiles.includes(variable))).toEqual([]);
    const named = Object.values(environment).flatMap((value) => /^\/run\/secrets\/(.+)$/.exec(value)?.[1] ?? []);
    expect([...(container(name).secrets ?? [])].sort()).toEqual(named.sort());
  });

  it('is that of the production profile unless the demo is asked for', () => {
    for (const name of SERVICES) {
      expect(environmentOf(container(name)).PROFILE).toBe('production');
      expect(environmentOf(demo.services[name] ?? container(name)).PROFILE).toBe('development');
    }
  });

  it('trusts the gateway for the address of a client behind it, and nobody at an edge', () => {
    for (const name of SERVICES) {
      expect(environmentOf(container(name)).TRUSTED_PROXIES).toBe(isEdge(name) ? 'none' : 'uniquelocal');
    }
  });

  it('of PostgreSQL and Grafana names secrets that they are given', () => {
    for (const name of ['postgres', 'grafana']) {
      const { environment = {}, secrets = [] } = container(name);
      const named = Object.entries(environment).flatMap(([variable, value]) =>
        variable.endsWith('_FILE') ? [path.basename(String(value))] : [],
      );
      expect(named).toEqual(secrets);
    }
  });
});

describe('the ports', () => {
  it.each(SERVICES)('of %s are those of the development profile', (name) => {
    const { PORT, OPS_PORT, OPERATORS_PORT, HOST } = environmentOf(container(name));
    const operators = OPERATORS_PORT !== undefined && { operatorsPort: Number(OPERATORS_PORT) };
    expect({ port: Number(PORT), operationsPort: Number(OPS_PORT), ...operators }).toEqual(layout.services[name]);
    expect(HOST).toBe('0.0.0.0');
  });

  it('that are published are the public ones and two pages, on loopback', () => {
    const published = Object.entries(compose.services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => `${name} ${port}`),
    );
    const edges = SERVICES.filter(isEdge).map(
      (name) => `${name} 127.0.0.1:${DEVELOPMENT_PORTS[name]}:${DEVELOPMENT_PORTS[name]}`,
    );
    const pages = [`mailpit 127.0.0.1:${SERVER_PORTS.mail}:8025`, 'grafana 127.0.0.1:3000:3000'];
    expect(published.sort()).toEqual([...edges, ...pages].sort());
  });

  it('of the public addresses are the published ones', () => {
    const { BASE_URL, EMBED_API_URL } = environmentOf(container('gateway'));
    expect(BASE_URL).toBe(`http://127.0.0.1:${DEVELOPMENT_PORTS.gateway}`);
    expect(EMBED_API_URL).toBe(`http://127.0.0.1:${DEVELOPMENT_PORTS['embed-gateway']}`);
  });
});

describe('the addresses', () => {
  /** @type {Record<string, number>} */
  const ports = { ...SERVER_PORTS_INSIDE, ...DEVELOPMENT_PORTS };
  const urlsOf = (/** @type {string} */ name) =>
    Object.entries(environmentOf(container(name)))
      .filter(([variable]) => /_URL(_FILE)?$/.test(variable) && !['BASE_URL', 'EMBED_API_URL'].includes(variable))
      .map(([variable, value]) => ({ variable, url: new URL(secretFiles[value] ?? value) }));

  it.each(PROGRAMS.map(([name]) => name))('that %s calls are in one of its networks, at the right port', (name) => {
    const urls = urlsOf(name);
    expect(urls.length).toBeGreaterThan(0);
    for (const { variable, url } of urls) {
      const shared = container(url.hostname).networks.filter((network) => container(name).networks.includes(network));
      // The demo's sign-ins are made without a mail.
      if (name !== 'seed' || variable !== 'SMTP_URL_FILE')
        expect([variable, shared.length > 0]).toEqual([variable, true]);
      const forOperators = name === 'marketplace-admin' ? layout.services[url.hostname]?.operatorsPort : undefined;
      expect([variable, Number(url.port)]).toEqual([variable, forOperators ?? ports[url.hostname]]);
    }
  });

  it('of databases name the roles and databases of the contracts', () => {
    for (const [name, { database, runtimeRole, narrowRole }] of Object.entries(DATABASES)) {
      const urls = Object.fromEntries(urlsOf(name).map(({ variable, url }) => [variable, url]));
      for (const [variable, role] of Object.entries({
        DATABASE_URL_FILE: runtimeRole,
        DATABASE_NARROW_URL_FILE: narrowRole,
      })) {
        expect([urls[variable]?.username, urls[variable]?.pathname]).toEqual([role, `/${database}`]);
      }
    }
  });

  it('of the collector is reachable for every service that is told of it', async () => {
    const traced = await readCompose({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector:4318' });
    for (const name of SERVICES) {
      expect(environmentOf(traced.services[name] ?? container(name)).OTEL_EXPORTER_OTLP_ENDPOINT).toBe(
        'http://otel-collector:4318',
      );
      expect(container(name).networks).toContain('telemetry');
    }
    expect(container('otel-collector').networks).toContain('telemetry');
  });

  it('that Prometheus asks are the operations ports of the services, in one of its networks', async () => {
    const { scrape_configs } = await readYaml('deploy/observability/prometheus/prometheus.yml');
    /** @type {string[]} */
    const targets = scrape_configs
      .flatMap((/** @type {any} */ job) => job.static_configs)
      .flatMap((/** @type {any} */ group) => group.targets);
    const others = targets.filter((target) => !target.startsWith('localhost:'));
    /** @type {Record<string, string>} */
    const ofServers = { 'otel-collector': 'otel-collector:8888' };
    for (const target of others) {
      const [host = '', port] = target.split(':');
      const operationsPort = layout.services[host]?.operationsPort;
      expect(target).toBe(operationsPort ? `${host}:${operationsPort}` : ofServers[host]);
      expect([host, port, container(host).networks]).toEqual([host, port, expect.arrayContaining(['telemetry'])]);
    }
    expect(others).toEqual(
      expect.arrayContaining(SERVICES.map((name) => `${name}:${layout.services[name]?.operationsPort}`)),
    );
  });

  it('of Grafana are that of Prometheus, and a folder of dashboards that is mounted', async () => {
    const { datasources } = await readYaml('deploy/observability/grafana/provisioning/datasources/prometheus.yml');
    expect(datasources.map((/** @type {any} */ { url }) => url)).toEqual([`http://prometheus:${ports.prometheus}`]);
    expect(container('grafana').networks).toContain('metrics');
    expect(container('prometheus').networks).toContain('metrics');
    const { providers } = await readYaml('deploy/observability/grafana/provisioning/dashboards/crm.yml');
    for (const { options } of providers) {
      expect((container('grafana').volumes ?? []).map((volume) => volume.split(':')[1])).toContain(options.path);
    }
  });
});

/** @param {string} file below the top folder */
const readYaml = async (file) => parse(await readFile(inRoot(file), 'utf8'));
