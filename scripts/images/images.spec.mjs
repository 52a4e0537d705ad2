import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { SERVICES } from '../../libs/contracts/src/services.js';
import { run } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';
import { PNPM_VERSION } from '../setup/pnpm.mjs';

const text = readFileSync(inRoot('deploy', 'Dockerfile'), 'utf8');
const image = text.slice(text.indexOf(' AS platform'));

describe('deploy/Dockerfile', () => {
  it('runs a program as a user without rights, which is the first process', () => {
    const wanted = ['USER 10001:10001', 'ENTRYPOINT ["node", "--enable-source-maps"]', 'STOPSIGNAL SIGTERM'];
    expect(image.split('\n')).toEqual(expect.arrayContaining(wanted));
  });

  it('starts from full versions, and has the Node and the pnpm of the lockfile', () => {
    const { optionalDependencies: versions } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
    const [node, ...others] = Object.values(versions);
    expect(new Set(others)).toEqual(new Set([node]));
    expect([...text.matchAll(/^ARG (\w+)_IMAGE=(.*)$/gm)].map(([, name, base]) => [name, base])).toEqual([
      ['NODE', expect.stringMatching(`^docker\\.io/library/node:${node}-[a-z]+-slim$`)],
      ['DEBIAN', expect.stringMatching(/^docker\.io\/library\/debian:\d+\.\d+-slim$/)],
    ]);
    expect(readFileSync(inRoot('docs', 'deployment', 'compose.md'), 'utf8')).toContain(` node:${node}-`);
    const from = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(from).toEqual([`\${NODE_IMAGE}`, 'node', `\${DEBIAN_IMAGE}`]);
    expect(text).toContain(` pnpm@${PNPM_VERSION}\n`);
  });

  it('keeps secrets, sources and tools out of the image', () => {
    expect(text).not.toMatch(/(PASSWORD|SECRET|TOKEN|_KEY)\s*=/);
    expect([...image.matchAll(/^(?:COPY|ADD) (.*)$/gm)].map(([, copied]) => copied)).toEqual([
      '--from=node /usr/local/LICENSE /usr/local/LICENSE',
      '--from=node /usr/local/bin/node /usr/local/bin/node',
      '--from=build /out /app',
    ]);
  });

  it('finds every package of the workspace in what .dockerignore lets through', () => {
    const passed = readFileSync(inRoot('.dockerignore'), 'utf8').split('\n');
    const workspace = readFileSync(inRoot('pnpm-workspace.yaml'), 'utf8').split('\n\n')[0] ?? '';
    const patterns = [...workspace.matchAll(/^ {2}- (\S+)$/gm)].map(([, pattern = '']) => pattern);
    expect(patterns.length).toBeGreaterThan(3);
    for (const pattern of patterns) {
      expect(passed).toContain(pattern.endsWith('/*') ? `!${pattern.slice(0, -2)}` : `!${pattern}/package.json`);
    }
  });

  it('has every app in the image, services and pages, but the command of developers', () => {
    const apps = readdirSync(inRoot('apps'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const programs = apps.map(({ name }) => name).filter((name) => !existsSync(inRoot('apps', name, 'src/index.html')));
    expect(programs.sort()).toEqual([...SERVICES, 'migrate', 'cli'].sort());
  });
});

describe('the health check of the image', () => {
  const check = (/** @type {number} */ port) =>
    run(process.execPath, [inRoot('deploy', 'healthcheck.mjs')], { env: { OPS_PORT: String(port) } });

  it.each([
    [200, 0],
    [503, 1],
  ])(
    'exits by what the service says of itself: %d → %d; and fails with the reason when nobody answers',
    async (status, code) => {
      const server = createServer((request, response) => {
        response.writeHead(request.url === '/readyz' ? status : 404, { connection: 'close' }).end('{"nats":"up"}');
      });
      await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      expect(await check(port)).toMatchObject({ code, stdout: '{"nats":"up"}' });
      await new Promise((resolve) => server.close(resolve));
      expect(await check(port)).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') });
    },
  );
});
