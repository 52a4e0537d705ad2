import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { CALLERS_OF_THE_INTERNET } from '../../libs/contracts/src/connections.js';
import { DATABASES } from '../../libs/contracts/src/databases.js';
import { isEdge, SERVICES } from '../../libs/contracts/src/services.js';
import { run } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';
import { readCompose } from './compose-file.mjs';

const compose = await readCompose();
const containers = Object.entries(compose.services);
const STATEFUL = Object.keys(DATABASES);
/** They end when their work is done. */
const ONCE = ['migrate', 'seed'];

/** @param {string} network */
const membersOf = (network) =>
  containers.flatMap(([name, { networks }]) => (networks.includes(network) ? [name] : [])).sort();

describe('every container', () => {
  it.each(containers)('%s has no more than it needs of the machine', (_, container) => {
    expect(container).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      logging: { driver: 'local', options: { 'max-size': '10m', 'max-file': '3' } },
      deploy: {
        resources: {
          limits: { cpus: expect.any(String), memory: expect.stringMatching(/^\d+[MG]$/), pids: expect.any(Number) },
        },
      },
    });
    for (const key of ['privileged', 'cap_add', 'network_mode', 'pid', 'ipc', 'devices']) {
      expect(container).not.toHaveProperty(key);
    }
  });

  it.each(containers)('%s runs as a user of its own', (name, { user }) => {
    // NATS: a new volume belongs to root, and it has no capability to make anything of that.
    expect(user).toMatch(name === 'nats' ? /^0:0$/ : /^[1-9]\d*:\d+$/);
  });

  it.each(containers)('%s is started again unless its work is done', (name, { restart }) => {
    expect(restart).toBe(ONCE.includes(name) ? 'no' : 'unless-stopped');
  });

  it('writes to volumes of its own only', () => {
    const written = containers.flatMap(([, { volumes = [] }]) => volumes.filter((volume) => !volume.endsWith(':ro')));
    expect(written.map((volume) => volume.split(':')[0]).sort()).toEqual(Object.keys(compose.volumes).sort());
  });
});

describe('the networks', () => {
  it('let only the services with a database, and what prepares it, reach PostgreSQL', () => {
    expect(membersOf('database')).toEqual([...STATEFUL, 'migrate', 'postgres', 'seed'].sort());
  });

  it('let those services reach the outside that call addresses of tenants or ask name servers, and no others', () => {
    expect(membersOf('outside')).toEqual([...CALLERS_OF_THE_INTERNET, 'marketplace-certification'].sort());
  });

  it('let the public reach the edges and the two pages only', () => {
    expect(membersOf('public')).toEqual(SERVICES.filter(isEdge).sort());
    expect(membersOf('consoles')).toEqual(['grafana', 'mailpit']);
    const published = containers.flatMap(([name, { ports }]) => (ports ? [name] : [])).sort();
    expect(published).toEqual([...membersOf('public'), ...membersOf('consoles')].sort());
  });

  it('let nothing but identity send mail, and Prometheus and the collector alone see everything', () => {
    expect(membersOf('mail')).toEqual(['identity', 'mailpit']);
    expect(membersOf('telemetry')).toEqual([...SERVICES, 'otel-collector', 'prometheus'].sort());
    expect(membersOf('metrics')).toEqual(['grafana', 'prometheus']);
    expect(membersOf('platform')).toEqual([...SERVICES, 'migrate', 'nats', 'seed', 'valkey'].sort());
  });

  it('have no way out, but for that to the outside', () => {
    for (const [name, { internal, driver_opts }] of Object.entries(compose.networks)) {
      const masquerades = driver_opts?.['com.docker.network.bridge.enable_ip_masquerade'] !== 'false';
      expect([name, !internal && masquerades]).toEqual([name, name === 'outside']);
    }
  });
});

describe('the start', () => {
  it('waits for what exists and can say that it is ready', () => {
    for (const [name, { depends_on = {} }] of containers) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const found = compose.services[other];
        expect([name, other, found === undefined]).toEqual([name, other, false]);
        expect([name, other, found?.profiles]).toEqual([name, other, undefined]);
        if (ONCE.includes(other)) expect(condition).toBe('service_completed_successfully');
        else expect([other, condition, found?.healthcheck === undefined]).toEqual([other, 'service_healthy', false]);
      }
    }
  });

  it('comes to an end', () => {
    /** @type {Set<string>} */
    const started = new Set();
    for (let before = -1; before < started.size; ) {
      before = started.size;
      for (const [name, { depends_on = {} }] of containers) {
        if (Object.keys(depends_on).every((other) => started.has(other))) started.add(name);
      }
    }
    expect([...started].sort()).toEqual(containers.map(([name]) => name).sort());
  });

  it('migrates before the services, and has the services ready before the gateway', () => {
    expect(Object.keys(compose.services.migrate?.depends_on ?? {}).sort()).toEqual(['nats', 'postgres']);
    for (const name of [...SERVICES, 'seed']) {
      if (name !== 'seed') expect(Object.keys(compose.services[name]?.depends_on ?? {})).toContain('migrate');
      expect(Object.keys(compose.services[name]?.depends_on ?? {})).toContain('nats');
    }
    expect(Object.keys(compose.services.gateway?.depends_on ?? {})).toEqual(expect.arrayContaining(STATEFUL));
  });
});

describe('the health check', () => {
  it('is there for everything that runs on, but for the collector, whose image has nothing to run one with', () => {
    const without = containers.flatMap(([name, { healthcheck }]) => (healthcheck ? [] : [name]));
    expect(without.sort()).toEqual([...ONCE, 'otel-collector'].sort());
  });

  it.each(SERVICES)('of %s is that of its image', (name) => {
    const test = compose.services[name]?.healthcheck?.test ?? [];
    const dockerfile = readFileSync(inRoot('deploy', 'Dockerfile'), 'utf8');
    expect(test[0]).toBe('CMD');
    expect(dockerfile).toContain(`CMD ${JSON.stringify(test.slice(1)).replaceAll(',', ', ')}\n`);
    expect(dockerfile).toContain(`COPY deploy/healthcheck.mjs ${test.at(-1)}\n`);
  });

  it.each([
    [200, 0],
    [503, 1],
  ])('of a service asks the operations port: %i means exit code %i', async (status, code) => {
    const asked = /** @type {(string | undefined)[]} */ ([]);
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status).end();
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    try {
      expect(await healthCheck(port)).toBe(code);
      expect(asked).toEqual(['/readyz']);
    } finally {
      await new Promise((resolve) => server.close(() => resolve(undefined)));
    }
    // Nobody listens there any more.
    expect(await healthCheck(port)).toBe(1);
  });
});

/**
 * Runs the health check of a service as its container does.
 * @param {number} port the operations port
 * @returns {Promise<number | null>} its exit code
 */
async function healthCheck(port) {
  const { code } = await run(process.execPath, [inRoot('deploy', 'healthcheck.mjs')], {
    env: { OPS_PORT: String(port) },
  });
  return code;
}
