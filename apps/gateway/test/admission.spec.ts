import type { Server } from 'node:http';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { makeApiKey } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { rateLimited } from '@crm/limits';
import { waitUntil } from '@crm/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { v7 } from 'uuid';
import { BodyBudget, ProxyService } from '../src/admission/proxy.service.js';
import { RateLimitService } from '../src/admission/rate-limit.service.js';
import { Edge, TENANT, TestIssuer, tokenOf } from './harness.js';

const edge = Edge.single();
const issuer = new TestIssuer();
const missed: unknown[] = [];
const onMissed = (reason: unknown) => missed.push(reason);
beforeEach(async () => {
  missed.length = 0;
  process.on('unhandledRejection', onMissed);
  await edge.start({}, issuer);
});
afterEach(() => {
  process.off('unhandledRejection', onMissed);
  jest.restoreAllMocks();
});

const KEY = () => `Bearer ${makeApiKey({ keyId: v7(), tenantId: TENANT })}`;
const refusal = () => Promise.reject(rateLimited([]));
const defect = (): never => {
  throw new Error('A step that throws');
};
const of = <T>(type: abstract new (...values: never[]) => T): T => edge.gateway.app.get(type as never);
const limits = () => jest.spyOn(of(RateLimitService), 'admit');
const budget = () => jest.spyOn(of(BodyBudget), 'take');

describe('a step of an admission that is refused later', () => {
  // What each does, and the answer: the first refusal, whatever the step behind it does.
  const held: [what: string, prepare: () => void, authorization: () => string, length: number, status: number][] = [
    ['a limit, before a body that is too long', () => limits().mockImplementation(refusal), KEY, 2 ** 21, 429],
    [
      'a limit, before a budget that fails',
      () => {
        limits().mockImplementation(refusal);
        budget().mockImplementation(defect);
      },
      KEY,
      9,
      429,
    ],
    ['a token, before a limit that fails', () => limits().mockImplementation(defect), () => 'Bearer a.b.c', 9, 401],
    [
      'a key, before a limit that fails',
      () => {
        issuer.answer = () => Promise.reject(new PlatformError('INVALID_API_KEY'));
        limits().mockImplementation(defect);
      },
      KEY,
      9,
      401,
    ],
    ['a budget, before nothing', () => budget().mockReturnValue(undefined), KEY, 9, 503],
    ['a budget that fails', () => budget().mockImplementation(defect), KEY, 9, 500],
    [
      'what is counted after the answer',
      () => jest.spyOn(of(ProxyService) as unknown as { settle(): unknown }, 'settle').mockImplementation(refusal),
      KEY,
      9,
      200,
    ],
    [
      'what is counted after the answer, at once',
      () => jest.spyOn(of(ProxyService) as unknown as { settle(): unknown }, 'settle').mockImplementation(defect),
      KEY,
      9,
      200,
    ],
  ];

  it.each(held)('%s', async (_what, prepare, authorization, length, status) => {
    issuer.answer = async ({ keyId }) => ({
      token: await tokenOf({ sid: keyId, api_key: true, scopes: ['leads'] }),
      expiresIn: 120,
    });
    prepare();
    const path = '/api/crm/leads';
    const measured = `http_request_duration_seconds_count{method="POST",route="[^"]*",status="${status}"`;
    const before = (await edge.metric(measured)) || 0;
    const headers = { authorization: authorization(), 'content-type': 'text/plain' };
    const answer = await edge.call(path, { method: 'POST', headers, body: 'x'.repeat(length) });
    await setImmediate();
    expect([answer.status, missed]).toEqual([status, []]);
    expect(await edge.metric(measured)).toBe(before + 1);
    jest.restoreAllMocks();
    expect((await edge.call(path, { headers: { authorization: `Bearer ${await tokenOf()}` } })).status).toBe(200);
  });
});

it('anyone who leaves while their key is exchanged uses no budget for their body', async () => {
  let exchange: () => void = () => undefined;
  issuer.answer = ({ keyId }) =>
    new Promise((resolve, reject) => {
      const token = tokenOf({ sid: keyId, api_key: true, scopes: ['leads'] });
      exchange = () => token.then((text) => resolve({ token: text, expiresIn: 120 }), reject);
    });
  const presented = issuer.presented.length;
  const { hostname, port } = new URL(edge.gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write(`POST /api/crm/leads HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY()}\r\nContent-Length: 1000\r\n\r\n`);
  await waitUntil(async () => issuer.presented.length > presented);
  const counted = limits();
  socket.destroy();
  await waitUntil(async () => (await connectionsOf(edge.gateway.app.getHttpServer() as Server)) === 0);
  exchange();
  await waitUntil(async () => counted.mock.calls.length > 0);
  expect(await edge.metric('gateway_body_bytes{sender="tenant"')).toBe(0);
});

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
