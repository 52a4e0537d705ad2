import { readFile, writeFile } from 'node:fs/promises';
import { PlainError } from '../plain-error.mjs';
import { DOCKERFILE, readDockerfile } from './dockerfile.mjs';

/** Manifests that name the images of several kinds of machine, then those of a single one. */
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

const TIMEOUT_MS = 30_000;

/**
 * Writes the digests of the base images behind their tags. An image is then built on the very same base until somebody pins
 * again, whatever the registry makes of the tag.
 * @param {{ file?: string, urlOf?: (host: string) => string }} [options] for tests: another file, another registry
 * @returns {Promise<string[]>} the images as they are named now
 * @throws {PlainError} when a registry does not answer
 */
export async function pinBases({ file = DOCKERFILE, urlOf = (host) => `https://${host}` } = {}) {
  let text = await readFile(file, 'utf8');
  const { images } = await readDockerfile(text);
  const pinned = [];
  for (const [name, image] of Object.entries(images)) {
    const { host, repository, tag, plain } = partsOf(image);
    const digest = await digestOf(`${urlOf(host)}/v2/${repository}/manifests/${tag}`);
    text = text.replace(`ARG ${name}=${image}`, `ARG ${name}=${plain}@${digest}`);
    pinned.push(`${plain}@${digest}`);
  }
  await writeFile(file, text);
  return pinned;
}

/**
 * @param {string} image
 * @returns {{ host: string, repository: string, tag: string, plain: string }} plain: without its digest
 * @throws {PlainError} when it names no registry or no tag
 */
export function partsOf(image) {
  const plain = image.replace(/@sha256:[0-9a-f]{64}$/, '');
  const [, host, repository, tag] = /^([^/]+\.[^/]+|[^/]+:\d+)\/([^:@]+):([\w.-]+)$/.exec(plain) ?? [];
  if (!host || !repository || !tag)
    throw new PlainError(`A base image is named <registry>/<name>:<version>, not ${image}`);
  return { host: host === 'docker.io' ? 'registry-1.docker.io' : host, repository, tag, plain };
}

/**
 * @param {string} url of a manifest
 * @returns {Promise<string>} such as `sha256:…`
 */
async function digestOf(url) {
  let response = await ask(url, { method: 'HEAD', headers: { accept: MANIFESTS } });
  if (response.status === 401) {
    const authorization = `Bearer ${await tokenFor(url, response.headers.get('www-authenticate') ?? '')}`;
    response = await ask(url, { method: 'HEAD', headers: { accept: MANIFESTS, authorization } });
  }
  const digest = response.headers.get('docker-content-digest') ?? '';
  if (response.ok && /^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  throw new PlainError(`${url}: HTTP ${response.status}, and no digest`);
}

/**
 * Public images too are given to those alone who ask for a token first.
 * @param {string} url
 * @param {string} challenge
 */
async function tokenFor(url, challenge) {
  const { realm, ...query } = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
  if (!challenge.startsWith('Bearer ') || !realm) throw new PlainError(`${url} asks for another sign-in: ${challenge}`);
  const response = await ask(`${realm}?${new URLSearchParams(query)}`);
  if (!response.ok) throw new PlainError(`${realm}: HTTP ${response.status}`);
  const answer = /** @type {{ token?: string, access_token?: string }} */ (await response.json());
  return answer.token ?? answer.access_token;
}

/**
 * @param {string} url
 * @param {RequestInit} [options]
 */
const ask = (url, options) =>
  fetch(url, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => {
    throw new PlainError(`${url}: ${error.cause?.message ?? error.message}`);
  });
