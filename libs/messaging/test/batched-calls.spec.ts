import { PlatformError, rpc } from '@crm/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type NatsConnection, Rpc, type RpcContext, RpcServer } from '../src/index.js';
import { type Broker, gate, startBroker, until } from './fixture.js';

const { mintEmbedToken } = rpc.identity;
const request = (sub: string) => ({ clientId: 'c', fingerprint: 'a'.repeat(64), sub, email: 'a@b.test', name: 'Ada' });
const tokenFor = (sub: string) => ({ embedToken: `token of ${sub}`, expiresIn: 900 });

describe('calls that travel together', () => {
  let broker: Broker;
  let identity: NatsConnection;
  let edge: NatsConnection;
  let server: RpcServer;

  beforeAll(async () => {
    broker = await startBroker();
    [identity, edge] = await Promise.all([broker.service('identity'), broker.service('embed-gateway')]);
  });
  beforeEach(async () => {
    await server?.drain();
    server = new RpcServer(identity);
  });
  afterAll(() => broker.stop());

  const serve = async (method: (request: { sub: string }, context: RpcContext) => Promise<unknown>) => {
    server.add(mintEmbedToken, method as never);
    server.start();
    await identity.ping();
  };
  const rpcOfEdge = () => new Rpc(edge);
  const subs = (count: number, prefix = 'sub') => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

  it('share a message with those of the same turn, and are answered each for itself', async () => {
    await serve(async ({ sub }) => {
      if (sub === 'sub-3') throw new PlatformError('EMBED_USER_DISABLED', 'No longer', { members: { since: 1 } });
      if (sub === 'sub-5') throw new Error('password=hunter2');
      return tokenFor(sub);
    });
    const calls = rpcOfEdge();
    const before = [edge.connection.stats().outMsgs, edge.connection.stats().inMsgs];
    const outcomes = await Promise.allSettled(subs(20).map((sub) => calls.call(mintEmbedToken, request(sub))));
    const { outMsgs, inMsgs } = edge.connection.stats();
    expect([outMsgs - Number(before[0]), inMsgs - Number(before[1])]).toEqual([1, 1]);
    for (const [index, outcome] of outcomes.entries()) {
      if (index === 3) {
        const reason = { code: 'EMBED_USER_DISABLED', message: 'No longer', extra: { members: { since: 1 } } };
        expect(outcome).toMatchObject({ status: 'rejected', reason });
      } else if (index === 5) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'INTERNAL_ERROR' } });
        expect(JSON.stringify(outcome)).not.toContain('hunter2');
      } else expect(outcome).toEqual({ status: 'fulfilled', value: tokenFor(`sub-${index}`) });
    }
  });

  it('keep their own request ids and traces', async () => {
    const seen = new Map<string, RpcContext>();
    await serve(async ({ sub }, context) => {
      seen.set(sub, context);
      return tokenFor(sub);
    });
    const calls = rpcOfEdge();
    const trace = (digit: string) => `00-${digit.repeat(32)}-${'a'.repeat(16)}-01`;
    await Promise.all(
      ['1', '2'].map((digit) =>
        calls.call(mintEmbedToken, request(digit), { requestId: `r-${digit}`, traceparent: trace(digit) }),
      ),
    );
    for (const digit of ['1', '2']) {
      const context = seen.get(digit);
      expect(context).toMatchObject({ caller: 'embed-gateway', callContext: { requestId: `r-${digit}` } });
      expect(context?.callContext.traceparent).toContain(digit.repeat(32));
    }
  });

  it('do not wait for a slow one among them', async () => {
    const held = gate();
    await serve(async ({ sub }) => {
      if (sub === 'slow') await held.passed;
      return tokenFor(sub);
    });
    const calls = rpcOfEdge();
    const slow = calls.call(mintEmbedToken, request('slow'));
    expect(await calls.call(mintEmbedToken, request('quick'))).toEqual(tokenFor('quick'));
    held.open();
    expect(await slow).toEqual(tokenFor('slow'));
  });

  it('fail with DEADLINE_EXCEEDED each for itself', async () => {
    const held = gate();
    await serve(async ({ sub }) => {
      if (sub === 'slow') await held.passed;
      return tokenFor(sub);
    });
    const hurried = { ...mintEmbedToken, timeoutMs: 1_000 };
    const calls = rpcOfEdge();
    const [slow, quick] = await Promise.allSettled([
      calls.call(hurried, request('slow')),
      calls.call(hurried, request('quick')),
    ]);
    expect(slow).toMatchObject({ status: 'rejected', reason: { code: 'DEADLINE_EXCEEDED' } });
    expect(quick).toMatchObject({ status: 'fulfilled' });
    held.open();
  });

  it('fail at once with SERVICE_UNAVAILABLE if no server is available', async () => {
    const started = Date.now();
    const calls = rpcOfEdge();
    const outcomes = await Promise.allSettled(subs(3).map((sub) => calls.call(mintEmbedToken, request(sub))));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } });
    }
    expect(Date.now() - started).toBeLessThan(mintEmbedToken.timeoutMs);
  });

  it('fail with SERVICE_UNAVAILABLE when the connection closes', async () => {
    const held = gate();
    let received = false;
    await serve(async () => {
      received = true;
      await held.passed;
    });
    const closing = await broker.service('embed-gateway');
    const outcome = new Rpc(closing).call(mintEmbedToken, request('x')).catch((error: unknown) => error);
    await until(() => received, 'the call has arrived');
    await closing.connection.close();
    expect(await outcome).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    held.open();
  });

  it('of many are spread over messages that the broker takes; one that it does not take fails alone', async () => {
    await serve(async ({ sub }) => tokenFor(sub));
    const calls = rpcOfEdge();
    const before = edge.connection.stats().outMsgs;
    const large = subs(6, 'é'.repeat(100_000));
    const all = [...subs(200), 'x'.repeat(2_000_000), ...large];
    const outcomes = await Promise.allSettled(all.map((sub) => calls.call(mintEmbedToken, request(sub))));
    expect(edge.connection.stats().outMsgs - before).toBe(4 + 3);
    for (const [index, outcome] of outcomes.entries()) {
      if (index === 200) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'PAYLOAD_TOO_LARGE' } });
      } else expect(outcome).toEqual({ status: 'fulfilled', value: tokenFor(all[index] as string) });
    }
  });

  it('fail alone when the reply is larger than a message', async () => {
    await serve(async ({ sub }) => tokenFor(sub === 'large' ? 'x'.repeat(2_000_000) : sub));
    const calls = rpcOfEdge();
    const [large, small] = await Promise.allSettled([
      calls.call(mintEmbedToken, request('large')),
      calls.call(mintEmbedToken, request('small')),
    ]);
    expect(large).toMatchObject({ status: 'rejected', reason: { code: 'PAYLOAD_TOO_LARGE' } });
    expect(small).toMatchObject({ status: 'fulfilled' });
  });

  it('are refused together by a server that does not know of batches', async () => {
    const earlier = await broker.user('identity');
    const reply = JSON.stringify({ ok: false, code: 'VALIDATION_FAILED' });
    const served = earlier.subscribe(mintEmbedToken.subject, {
      callback: (_error, message) => {
        message.respond(reply);
      },
    });
    await earlier.flush();
    const calls = rpcOfEdge();
    const outcomes = await Promise.allSettled(subs(3).map((sub) => calls.call(mintEmbedToken, request(sub))));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'VALIDATION_FAILED' } });
    }
    served.unsubscribe();
  });

  it('are answered even if they arrived just before the server drains', async () => {
    const held = gate();
    let started = 0;
    await serve(async ({ sub }) => {
      started += 1;
      await held.passed;
      return tokenFor(sub);
    });
    const calls = rpcOfEdge();
    const answers = Promise.all(subs(2).map((sub) => calls.call(mintEmbedToken, request(sub))));
    await until(() => started === 2, 'the calls are being answered');
    const drained = server.drain();
    held.open();
    await drained;
    expect(await answers).toEqual(subs(2).map(tokenFor));
  });

  it.each(['[', '[null]', '[1]', '["x"]'])('are refused, and nothing else happens, when they are %s', async (body) => {
    let calls = 0;
    await serve(async ({ sub }) => {
      calls += 1;
      return tokenFor(sub);
    });
    const raw = await edge.connection.request(mintEmbedToken.subject, body, { timeout: 2_000 });
    expect(raw.json()).toMatchObject({ ok: false, code: 'MALFORMED_REQUEST' });
    expect(calls).toBe(0);
    expect(await rpcOfEdge().call(mintEmbedToken, request('after'))).toEqual(tokenFor('after'));
  });
});
