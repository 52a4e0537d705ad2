// The cheapest authenticated request, next to what Fastify does with nothing on top; the check of its token; and what the
// gateway's extras cost: the same calls with API keys, with limits in Redis, and with TLS to the service.
import { makeApiKey, RevocationSource, TokenVerifier } from '@crm/access';
import { AUDIENCES } from '@crm/contracts';
import { newId } from '@crm/database';
import { demoReceiverCertificate } from '../../scripts/platform/demo-receiver.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { redisProgram } from '../../scripts/servers/programs.mjs';
import { block } from '../block/block.mjs';
import { ISSUER } from '../lab.mjs';
import { compare, inTurn, requestText } from '../load.mjs';
import { BATCHES, inRounds, median, processorClock } from '../measure.mjs';

/** @typedef {import('../lab.mjs').Lab} Lab */

const TENANTS = 20;
const USERS_EACH = 10;
const CHECKS = 500;
const CONSTANT = '/api/auth/constant?page=2&size=25';

/** The read that does nothing. @param {readonly string[]} credentials */
const readsWith = (credentials) =>
  inTurn(credentials.map((one) => requestText('GET', CONSTANT, `authorization: Bearer ${one}\r\n`)));

/** Makes tokens for 200 users of 20 tenants. */
const tenantOfEachUser = () =>
  Array.from({ length: TENANTS }, newId).flatMap((tenant) => Array.from({ length: USERS_EACH }, () => tenant));

/** @param {Lab} lab */
async function floor(lab) {
  const bare = await lab.server('bare', { BARE: 'constant' });
  const proxy = await lab.server('bare', { BARE: 'proxy', UPSTREAM: bare.url }, [bare]);
  const service = await lab.constantService();
  const gateway = await lab.gateway({ IDENTITY_URL: service.url }, [service]);
  const next = readsWith([lab.sign()]);
  return compare('cheapest read, 32 connections', [
    { ...bare, name: 'bare Fastify', next },
    { ...proxy, name: 'bare Fastify behind bare reply-from', next },
    { ...service, name: 'service, direct', next, atLeast: 0.4 },
    { ...gateway, name: 'service, through the gateway', next, atLeast: 0.2 },
  ]);
}

/** The check of a token that was seen before, which is what nearly every request brings. @param {Lab} lab */
async function tokenCheck(lab) {
  const keySource = { getKeys: async () => ({ keys: [lab.publicKey] }) };
  const revocations = Object.assign(Object.create(RevocationSource.prototype), { ready: true, isRevoked: () => false });
  const verifier = new TokenVerifier({ issuer: ISSUER, keySource, revocations });
  const tokens = tenantOfEachUser().map((tenant) => lab.sign(tenant));
  const times = await inRounds(BATCHES, async () => {
    // A header's text is a new one with every request, so it is here.
    const headers = Array.from({ length: CHECKS }, (_, index) => Buffer.from(`${tokens[index % tokens.length]}`));
    const spent = processorClock();
    for (const header of headers) await verifier.verify(header.toString('latin1'), [AUDIENCES.api]);
    return spent() / CHECKS;
  });
  return [{ name: 'check of a token that was seen before', unit: 'µs', ours: median(times), atMost: 15 }];
}

/** A key is exchanged once a minute and otherwise hashed and looked up, so the calls should cost nearly the same. @param {Lab} lab */
async function apiKeys(lab) {
  const tenants = tenantOfEachUser();
  const service = await lab.constantService();
  const gateway = await lab.gateway({ IDENTITY_URL: service.url }, [service]);
  const keys = tenants.map((tenantId) => makeApiKey({ keyId: newId(), tenantId }));
  return compare('gateway, 32 connections', [
    { ...gateway, name: 'access tokens', next: readsWith(tenants.map((tenant) => lab.sign(tenant))) },
    { ...gateway, name: 'API keys', next: readsWith(keys), atLeast: 0.9 },
  ]);
}

/** Tokens of many users, whose limits are other keys; the Redis server takes its part of the same processors. @param {Lab} lab */
async function limitsInRedis(lab) {
  const [port = 0] = await freePorts(1);
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const redis = await lab.start({ name: 'redis', port, command: await redisProgram(), args });
  const service = await lab.constantService();
  const upstream = { IDENTITY_URL: service.url };
  const memory = await lab.gateway({ ...upstream, REDIS_URL: '' }, [service]);
  const counted = await lab.gateway({ ...upstream, REDIS_URL: `redis://127.0.0.1:${port}` }, [service, redis]);
  const next = readsWith(tenantOfEachUser().map((tenant) => lab.sign(tenant)));
  return compare('gateway, 32 connections', [
    { ...memory, name: 'limits in memory', next },
    { ...counted, name: 'limits in Redis', next, atLeast: 0.85 },
  ]);
}

/** Connections are kept: what counts is the encryption of requests and answers, not the handshakes. @param {Lab} lab */
async function tlsToServices(lab) {
  const { caFile, certFile, keyFile } = await demoReceiverCertificate((await lab.servers()).folder);
  const next = readsWith([lab.sign()]);
  const sides = [];
  for (const [name, scheme, ofService, ofGateway] of /** @type {const} */ ([
    ['plain HTTP to the service', 'http', {}, {}],
    ['TLS to the service', 'https', { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }, { UPSTREAM_CA_FILE: caFile }],
  ])) {
    const service = await lab.constantService(ofService);
    const upstreams = ['IDENTITY', 'CUSTOM_OBJECTS', 'MARKETPLACE', 'AUTOMATIONS', 'WEBHOOKS'];
    const urls = upstreams.map((upstream) => [`${upstream}_URL`, `${scheme}://localhost:${service.port}`]);
    const gateway = await lab.gateway({ ...Object.fromEntries(urls), ...ofGateway }, [service]);
    sides.push({ ...gateway, name, next });
  }
  return compare('gateway, 32 connections', sides);
}

export const suites = [
  { cases: { floor } },
  { cases: { 'token-check': tokenCheck } },
  { cases: { 'api-keys': apiKeys } },
  { cases: { 'limits-in-redis': limitsInRedis } },
  { cases: { 'tls-to-services': tlsToServices } },
  { cases: { block } },
];
