import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DEVELOPMENT_PORTS, OPERATIONS_PORT_OFFSET, SERVICES } from '../../libs/contracts/src/services.js';
import { inRoot } from '../root.mjs';
import { PNPM_VERSION } from '../setup/pnpm.mjs';
import { COMMIT_LABELS } from './build.mjs';
import { readDockerfile, settingsOf } from './dockerfile.mjs';
import { versionsOf } from './local-base.mjs';

const targets = [...SERVICES, 'migrate'];

describe('deploy/Dockerfile', () => {
  /** @type {import('./dockerfile.mjs').Dockerfile} */
  let file;
  beforeAll(async () => {
    file = await readDockerfile();
  });

  it('has a target for every service and for the migration, and no other image', () => {
    const images = Object.entries(file.stages).filter(([, { from }]) => from === 'service');
    expect(images.map(([name]) => name).sort()).toEqual([...targets].sort());
  });

  it.each(SERVICES)('gives %s the ports of the contracts', (service) => {
    const port = DEVELOPMENT_PORTS[service];
    const operations = port + OPERATIONS_PORT_OFFSET;
    const { environment, ports } = settingsOf(file, service);
    expect(ports).toEqual([port, operations]);
    expect(environment).toMatchObject({ HOST: '0.0.0.0', PORT: String(port), OPS_PORT: String(operations) });
  });

  it.each(targets)('runs %s as a user without rights, by a command that needs no shell', (target) => {
    const { user, command, values } = settingsOf(file, target);
    expect(user).toBe('10001:10001');
    expect(values.WORKDIR).toBe('/app');
    expect(command.slice(0, 2)).toEqual(['node', '--enable-source-maps']);
    expect(command[2]).toBe(target === 'migrate' ? '/app/migrate.js' : '/app/main.js');
    expect(command).toHaveLength(3);
    expect(values.ENTRYPOINT).toBeUndefined();
    expect(values.STOPSIGNAL).toBe('SIGTERM');
  });

  it.each(targets)('gives %s its own program, what it is, and a health check if it has ports', (target) => {
    const { values, ports, labels } = settingsOf(file, target);
    expect(values.COPY).toBe(`--from=build /out/${target} /app`);
    expect(labels['org.opencontainers.image.title']).toBe(`crm/${target}`);
    expect(labels['org.opencontainers.image.description']).toMatch(/^[A-Z].{20,}[^.]$/);
    const check = values.HEALTHCHECK ?? '';
    if (ports.length === 0) expect(check).toBe('NONE');
    else expect(check).toMatch(/CMD \["node", "\/usr\/local\/lib\/crm\/healthcheck\.mjs"\]$/);
  });

  it('labels every image with version, revision, time and licence, after everything that is the same for all commits', () => {
    const { labels } = settingsOf(file, 'service');
    expect(labels).toEqual({
      'org.opencontainers.image.vendor': expect.stringMatching(/./),
      'org.opencontainers.image.licenses': 'Apache-2.0',
      ...Object.fromEntries(Object.entries(COMMIT_LABELS).map(([label, argument]) => [label, `\${${argument}}`])),
    });
    const instructions = file.stages.service?.instructions.map(({ instruction }) => instruction) ?? [];
    expect(instructions.slice(instructions.indexOf('ARG'))).toEqual(['ARG', 'ARG', 'ARG', 'LABEL']);
  });

  it('starts from full versions, by ARG alone', () => {
    expect(Object.keys(file.images)).toEqual(['NODE_IMAGE', 'DEBIAN_IMAGE']);
    for (const image of Object.values(file.images)) {
      expect(image).toMatch(/^docker\.io\/library\/\w+:\d+\.\d+(\.\d+)?-[a-z-]*slim(@sha256:[0-9a-f]{64})?$/);
    }
    for (const { from } of Object.values(file.stages)) {
      const base = /^\$\{(\w+)\}$/.exec(from)?.[1];
      expect(base ? file.images[base] : file.stages[from]).toBeDefined();
    }
    expect(versionsOf(file.images.NODE_IMAGE ?? '').node).toMatch(/^24\./);
  });

  it('keeps secrets, sources and tools out of the images', () => {
    const text = readFileSync(inRoot('deploy', 'Dockerfile'), 'utf8');
    expect(text).not.toMatch(/(PASSWORD|SECRET|TOKEN|_KEY)\s*=/);
    expect(text).not.toContain('latest');
    for (const name of ['service', ...targets]) {
      const copied = file.stages[name]?.instructions.filter(({ instruction }) => /COPY|ADD/.test(instruction)) ?? [];
      for (const { value } of copied)
        expect(value).toMatch(/^(--from=(build \/out\/|node \/usr\/local\/(bin\/node|LICENSE) )|deploy\/healthcheck)/);
    }
  });

  it('builds with the pnpm of the lockfile', () => {
    const runs = file.stages.build?.instructions.filter(({ instruction }) => instruction === 'RUN') ?? [];
    expect(runs.filter(({ value }) => value.endsWith(` pnpm@${PNPM_VERSION}`))).toHaveLength(1);
  });

  it('finds every package of the workspace in what .dockerignore lets through', () => {
    const ignored = readFileSync(inRoot('.dockerignore'), 'utf8').split('\n');
    const workspace = readFileSync(inRoot('pnpm-workspace.yaml'), 'utf8');
    const [, packages = ''] = /^packages:\n((?: {2}- .*\n)+)/.exec(workspace) ?? [];
    const patterns = [...packages.matchAll(/- (\S+)/g)].map(([, pattern = '']) => pattern);
    expect(patterns.length).toBeGreaterThan(3);
    for (const pattern of patterns) {
      const wanted = pattern.endsWith('/*') ? `!${pattern.slice(0, -2)}` : `!${pattern}/package.json`;
      expect(ignored).toContain(wanted);
    }
  });

  it('has no app that belongs into no image', () => {
    const apps = readdirSync(inRoot('apps'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    // The command of developers, and pages that an edge serves: scripts/images/assemble.mjs.
    const elsewhere = ['cli', 'console', 'operators-page', 'embed-page', 'account-page'];
    expect(
      apps
        .map(({ name }) => name)
        .filter((name) => !elsewhere.includes(name))
        .sort(),
    ).toEqual([...targets].sort());
  });
});
