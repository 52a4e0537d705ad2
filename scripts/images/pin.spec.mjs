import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DOCKERFILE } from './dockerfile.mjs';
import { partsOf, pinBases } from './pin.mjs';

const DIGESTS = /** @type {Record<string, string>} */ ({ node: 'a'.repeat(64), debian: 'b'.repeat(64) });

describe('pinning the base images', () => {
  let folder = '';
  let file = '';
  let url = '';
  /** @type {string[]} */
  let asked = [];
  /** A registry as Docker Hub is: it wants a token that everybody gets. */
  const registry = createServer((request, response) => {
    const [, name = ''] = /^\/v2\/library\/(\w+)\/manifests\//.exec(request.url ?? '') ?? [];
    if (request.url?.startsWith('/token?')) {
      const scope = new URL(request.url, url).searchParams.get('scope');
      response.end(JSON.stringify({ token: `token for ${scope}` }));
    } else if (request.headers.authorization === `Bearer token for repository:library/${name}:pull`) {
      asked.push(`${request.method} ${request.url}`);
      if (DIGESTS[name]) response.setHeader('docker-content-digest', `sha256:${DIGESTS[name]}`);
      response.end();
    } else {
      const challenge = `Bearer realm="${url}/token",service="registry",scope="repository:library/${name}:pull"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
    }
  });

  beforeEach(async () => {
    asked = [];
    folder = await mkdtemp(path.join(os.tmpdir(), 'crm-pin-'));
    file = path.join(folder, 'Dockerfile');
    await copyFile(DOCKERFILE, file);
    await new Promise((resolve) => registry.listen(0, '127.0.0.1', () => resolve(undefined)));
    url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (registry.address()).port}`;
  });
  afterEach(async () => {
    await new Promise((resolve) => {
      registry.close(resolve);
      registry.closeAllConnections();
    });
    await rm(folder, { recursive: true });
  });

  it('adds the digest of the registry behind each tag, and replaces it when it has changed', async () => {
    const before = await readFile(DOCKERFILE, 'utf8');
    const pinned = await pinBases({ file, urlOf: () => url });
    expect(asked).toEqual([
      expect.stringMatching(/^HEAD \/v2\/library\/node\/manifests\/[\w.-]+$/),
      expect.stringMatching(/^HEAD \/v2\/library\/debian\/manifests\/[\w.-]+$/),
    ]);
    const once = await readFile(file, 'utf8');
    for (const image of pinned) expect(once).toContain(`=${image}\n`);
    expect(once.replace(/@sha256:\w{64}/g, '')).toBe(before.replace(/@sha256:\w{64}/g, ''));
    await pinBases({ file, urlOf: () => url });
    expect(await readFile(file, 'utf8')).toBe(once);
  });

  it('changes nothing when an image is not there', async () => {
    const before = await readFile(file, 'utf8');
    const known = DIGESTS.debian;
    delete DIGESTS.debian;
    await expect(pinBases({ file, urlOf: () => url })).rejects.toThrow('no digest');
    DIGESTS.debian = known ?? '';
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('knows the registry of Docker’s own images by another name', () => {
    const image = 'docker.io/library/node:24.21.0-trixie-slim';
    expect(partsOf(`${image}@sha256:${'c'.repeat(64)}`)).toEqual({
      host: 'registry-1.docker.io',
      repository: 'library/node',
      tag: '24.21.0-trixie-slim',
      plain: image,
    });
    expect(() => partsOf('node:24')).toThrow('A base image is named');
  });
});
