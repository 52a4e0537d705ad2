// The cheapest authenticated request, next to what Fastify does with nothing on top; the check of its token; and what the
// gateway's extras cost: the same calls with API keys, with limits in Redis, and with TLS to the service.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { KeySource, makeApiKey, RevocationSource, TokenVerifier } from '@crm/access';
import { AUDIENCES } from '@crm/contracts';
import { newId } from '@crm/database';
import { accepts } from '../../scripts/processes/readiness.mjs';
import { certificateAuthority } from '../../scripts/servers/certificate-authority.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { redisProgram } from '../../scripts/servers/programs.mjs';
import { ISSUER } from '../lab.mjs';
import { compare, inTurn, requestText } from '../load.mjs';
import { BATCHES, median } from '../measure.mjs';

/** @typedef {import('../lab.mjs').Lab} Lab */

const TENANTS = 20;
const USERS_EACH = 10;
const CHECKS = 500;

/** The read that does nothing. @param {readonly string[]} credentials */
const readsWith = (credentials) => {
  const of = (/** @type {string} */ one) => `authorization: Bearer ${one}\r\n`;
  return inTurn(credentials.map((one) => requestText('GET', '/api/auth/constant?page=2&size=25', of(one))));
};

/** Of 200 users of 20 tenants. */
const tenantOfEachUser = () =>
  Array.from({ length: TENANTS }, newId).flatMap((tenant) => Array.from({ length: USERS_EACH }, () => tenant));

/** @param {Lab} lab */
async function floor(lab) {
  const bare = await lab.bare('constant', 'bare Fastify');
  const upstream = { UPSTREAM: `http://127.0.0.1:${bare.port}` };
  const proxy = await lab.bare('proxy', 'bare Fastify behind bare reply-from', upstream, bare.processes);
  const { port, url, process } = await lab.identity();
  const gateway = await lab.gateway({ IDENTITY_URL: url });
  const processes = [gateway.process, process];
  const next = readsWith([lab.sign()]);
  return compare('cheapest read, 32 connections', [
    { subject: bare, next },
    { subject: proxy, next },
    { subject: { name: 'service, direct', port, processes: [process] }, next, atLeast: 0.4 },
    { subject: { name: 'service, through the gateway', port: gateway.port, processes }, next, atLeast: 0.2 },
  ]);
}

class NothingRevoked extends RevocationSource {
  ready = true;

  isRevoked() {
    return false;
  }
}

/** The check of a token that was seen before, which is what nearly every request brings. @param {Lab} lab */
async function tokenCheck(lab) {
  const keySource = Object.assign(Object.create(KeySource.prototype), {
    getKeys: async () => ({ keys: [lab.publicKey] }),
  });
  const verifier = new TokenVerifier({ issuer: ISSUER, keySource, revocations: new NothingRevoked() });
  const tokens = tenantOfEachUser().map((tenant) => lab.sign(tenant));
  const times = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    // A header's text is a new one with every request, so it is here.
    const headers = Array.from({ length: CHECKS }, (_, index) => Buffer.from(`${tokens[index % tokens.length]}`));
    const begun = process.cpuUsage();
    for (const header of headers) await verifier.verify(header.toString('latin1'), [AUDIENCES.api]);
    const { user, system } = process.cpuUsage(begun);
    times.push((user + system) / CHECKS);
  }
  return [{ name: 'check of a token that was seen before', unit: 'µs', ours: median(times), atMost: 15 }];
}

/** A key is exchanged once a minute and otherwise hashed and looked up, so the calls should cost nearly the same. @param {Lab} lab */
async function apiKeys(lab) {
  const tenants = tenantOfEachUser();
  const service = await lab.identity();
  const gateway = await lab.gateway({ IDENTITY_URL: service.url });
  const subject = { port: gateway.port, processes: [gateway.process, service.process] };
  const keys = tenants.map((tenantId) => makeApiKey({ keyId: newId(), tenantId }));
  return compare('gateway, 32 connections', [
    { subject: { ...subject, name: 'access tokens' }, next: readsWith(tenants.map((tenant) => lab.sign(tenant))) },
    { subject: { ...subject, name: 'API keys' }, next: readsWith(keys), atLeast: 0.9 },
  ]);
}

/** Tokens of many users, whose limits are other keys; the Redis server takes its part of the same processors. @param {Lab} lab */
async function limitsInRedis(lab) {
  const [redisPort = 0] = await freePorts(1);
  const args = ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const redis = await lab.startProgram('redis', await redisProgram(), args, () => accepts(redisPort));
  const { url, process } = await lab.identity();
  const memory = await lab.gateway({ IDENTITY_URL: url, REDIS_URL: '' });
  const counted = await lab.gateway({ IDENTITY_URL: url, REDIS_URL: `redis://127.0.0.1:${redisPort}` });
  const next = readsWith(tenantOfEachUser().map((tenant) => lab.sign(tenant)));
  const processes = [counted.process, process, redis];
  return compare('gateway, 32 connections', [
    { subject: { name: 'limits in memory', port: memory.port, processes: [memory.process, process] }, next },
    { subject: { name: 'limits in Redis', port: counted.port, processes }, next, atLeast: 0.85 },
  ]);
}

/** Connections are kept: what counts is the encryption of requests and answers, not the handshakes. @param {Lab} lab */
async function tlsToServices(lab) {
  const { ca, sign } = await certificateAuthority();
  const { cert, key } = await sign(['localhost']);
  const file = async (/** @type {string} */ name, /** @type {string} */ content) => {
    await writeFile(path.join(lab.folder, name), content);
    return path.join(lab.folder, name);
  };
  const serving = { TLS_CERT_FILE: await file('tls.crt', cert), TLS_KEY_FILE: await file('tls.key', key) };
  const trusting = { UPSTREAM_CA_FILE: await file('ca.crt', ca) };
  const upstreams = ['IDENTITY', 'CUSTOM_OBJECTS', 'MARKETPLACE', 'AUTOMATIONS', 'WEBHOOKS'];
  const sides = [];
  for (const [name, scheme, ofService, ofGateway] of /** @type {const} */ ([
    ['plain HTTP to the service', 'http', {}, {}],
    ['TLS to the service', 'https', serving, trusting],
  ])) {
    const service = await lab.identity(ofService);
    const urls = upstreams.map((upstream) => [`${upstream}_URL`, `${scheme}://localhost:${service.port}`]);
    const { port, process } = await lab.gateway({ ...Object.fromEntries(urls), ...ofGateway });
    sides.push({ subject: { name, port, processes: [process, service.process] }, next: readsWith([lab.sign()]) });
  }
  return compare('gateway, 32 connections', sides);
}

export const suites = [
  { cases: { floor } },
  { cases: { 'token-check': tokenCheck } },
  { cases: { 'api-keys': apiKeys } },
  { cases: { 'limits-in-redis': limitsInRedis } },
  { cases: { 'tls-to-services': tlsToServices } },
];
