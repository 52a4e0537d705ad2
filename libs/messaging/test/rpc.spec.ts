import { PlatformError, type RpcContract, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { headers } from '@nats-io/nats-core';
import { type CallOptions, type NatsConnection, Rpc, type RpcContext, RpcServer } from '../src/index.js';
import { type Broker, gate, startBroker, succeeds, until } from './fixture.js';

const { getTenant, mintEmbedToken } = rpc.identity;
const TENANT = { name: 'Acme', plan: 'business' as const, timeZone: 'UTC', country: null };
const TRACEPARENT = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
const tokenFor = (sub: string) => ({ embedToken: `token of ${sub}`, expiresIn: 900 });
const subs = (count: number, prefix = 'sub') => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

describe('calls between services', () => {
  let broker: Broker;
  let identity: NatsConnection;
  let customObjects: NatsConnection;
  let edge: NatsConnection;
  let server: RpcServer;

  beforeAll(async () => {
    broker = await startBroker();
    [identity, customObjects, edge] = await Promise.all([
      broker.service('identity'),
      broker.service('custom-objects'),
      broker.service('embed-gateway'),
    ]);
  });
  beforeEach(async () => {
    await server?.drain();
    server = new RpcServer(identity);
  });
  afterAll(() => broker.stop());

  const serve = async (contract: RpcContract, method: (request: never, context: RpcContext) => Promise<unknown>) => {
    server.add(contract, method as never);
    server.start();
    await identity.flush();
  };
  const serveTenants = async () => {
    const served: { id: string; context: RpcContext }[] = [];
    await serve(getTenant, async ({ tenantId: id }: { tenantId: string }, context) => {
      served.push({ id, context });
      return { id, ...TENANT };
    });
    return served;
  };
  /** A call that travels alone. */
  const call = (id = newId(), options: CallOptions = {}, contract = getTenant) =>
    new Rpc(customObjects).call(contract, { tenantId: id }, options);
  const serveTokens = (method: (sub: string, context: RpcContext) => unknown = tokenFor) =>
    serve(mintEmbedToken, async ({ sub }: { sub: string }, context) => method(sub, context));
  /** Calls whose contract lets them travel together. */
  const callsOf = (connection: NatsConnection, contract = mintEmbedToken) => {
    const calls = new Rpc(connection);
    return (sub: string, options?: CallOptions) => {
      const request = { clientId: 'c', fingerprint: 'a'.repeat(64), sub, email: 'a@b.test', name: 'Ada' };
      return calls.call(contract, request, options);
    };
  };
  const callTogether = (all: readonly string[]) => {
    const calls = callsOf(edge);
    return Promise.allSettled(all.map((sub) => calls(sub)));
  };

  it('return the result of the handler, and pass on request id and trace', async () => {
    const served = await serveTenants();
    const id = newId();
    expect(await call(id, { requestId: 'r-1', traceparent: TRACEPARENT })).toEqual({ id, ...TENANT });
    expect(served[0]?.context).toMatchObject({ callContext: { requestId: 'r-1' }, caller: 'custom-objects' });
    expect(served[0]?.context.callContext.traceparent).toContain('1'.repeat(32));
  });

  it('throw the error of the handler with all its members', async () => {
    const extra = {
      errors: [{ pointer: '/a', code: 'X', detail: 'wrong' }],
      members: { limit: 3 },
      retryAfterSeconds: 7,
    };
    await serve(getTenant, async () => {
      throw new PlatformError('VALIDATION_FAILED', 'No such thing', extra);
    });
    await expect(call()).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message: 'No such thing', extra });
  });

  it('are refused before the handler if they are not JSON', async () => {
    const served = await serveTenants();
    const raw = await customObjects.connection.request(getTenant.subject, '{broken', { timeout: 2_000 });
    expect(raw.json()).toMatchObject({ ok: false, code: 'MALFORMED_REQUEST' });
    expect(served).toEqual([]);
  });

  const WAYS: [string, RpcContract, number, () => Promise<PromiseSettledResult<unknown>[]>][] = [
    ['alone', getTenant, 1, () => Promise.allSettled([call()])],
    ['together', mintEmbedToken, 3, () => callTogether(subs(3))],
  ];
  it.each(WAYS)(
    'that travel %s fail at once with SERVICE_UNAVAILABLE if no server is available',
    async (_how, contract, _count, calling) => {
      const started = Date.now();
      for (const outcome of await calling()) {
        const reason = { code: 'SERVICE_UNAVAILABLE', extra: { retryAfterSeconds: 1 } };
        expect(outcome).toMatchObject({ status: 'rejected', reason });
      }
      expect(Date.now() - started).toBeLessThan(contract.timeoutMs);
    },
  );

  it('fail with DEADLINE_EXCEEDED if the reply does not arrive in time', async () => {
    const held = gate();
    await serve(getTenant, () => held.passed);
    const late = call(newId(), {}, { ...getTenant, timeoutMs: 80 });
    await expect(late).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    held.open();
  });

  it('fail with PAYLOAD_TOO_LARGE if the request exceeds the size of a message', async () => {
    const large = new Rpc(edge).call(rpc.identity.getEmbedOrigins, { clientId: 'x'.repeat(2_000_000) });
    await expect(large).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('are dropped if the reply would not go to the inbox of a caller of the contract', async () => {
    const served = await serveTenants();
    const body = JSON.stringify({ tenantId: newId() });
    for (const reply of ['events.lead.created.1', '_INBOX_gateway.x', undefined]) {
      customObjects.connection.publish(getTenant.subject, body, { reply, headers: headers() });
    }
    await call();
    expect(served).toHaveLength(1);
  });

  it.each(WAYS)(
    'that travel %s are answered even if they arrived just before the server drains',
    async (_how, contract, count, calling) => {
      const held = gate();
      const started: object[] = [];
      await serve(contract, async () => {
        const answer = { place: started.length };
        started.push(answer);
        await held.passed;
        return answer;
      });
      const answers = calling();
      await until(() => started.length === count, 'the calls are being answered');
      const drained = jest.fn();
      const draining = server.drain().then(drained);
      // The broker has handled what the server sent before this: that it takes no more calls.
      await identity.flush();
      const refused = { status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } };
      expect(await calling()).toMatchObject(Array.from({ length: count }, () => refused));
      expect(drained).not.toHaveBeenCalled();
      held.open();
      expect(await answers).toEqual(started.map((value) => ({ status: 'fulfilled', value })));
      await draining;
    },
  );

  it('work again after a lost connection', async () => {
    await serveTenants();
    broker.proxy.cut();
    const loss = () => expect(customObjects.flush()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await until(() => succeeds(loss()), 'the loss is seen', 15_000);
    broker.proxy.mend();
    await until(() => succeeds(call()), 'calls are answered again', 15_000);
  }, 60_000);

  it('are served by one handler of the service of the contract only', () => {
    const other = { ...getTenant, subject: 'rpc.custom-objects.x.y', server: 'custom-objects' as const };
    expect(() => server.add(other, async () => undefined)).toThrow('is not served by identity');
    server.add(getTenant, async () => undefined);
    expect(() => server.add(getTenant, async () => undefined)).toThrow('two handlers');
  });

  describe('that travel together', () => {
    it('share a message with those of the same turn, and are answered each for itself', async () => {
      await serveTokens((sub) => {
        if (sub === 'sub-3') throw new PlatformError('EMBED_USER_DISABLED', 'No longer', { members: { since: 1 } });
        if (sub === 'sub-5') throw new Error('password=hunter2');
        return tokenFor(sub);
      });
      const calls = callsOf(edge);
      const before = edge.connection.stats();
      const outcomes = await Promise.allSettled(subs(20).map((sub) => calls(sub)));
      const { outMsgs, inMsgs } = edge.connection.stats();
      expect([outMsgs - before.outMsgs, inMsgs - before.inMsgs]).toEqual([1, 1]);
      expect(JSON.stringify(outcomes)).not.toContain('hunter2');
      const expected: object[] = subs(20).map((sub) => ({ status: 'fulfilled', value: tokenFor(sub) }));
      expected[3] = {
        status: 'rejected',
        reason: { code: 'EMBED_USER_DISABLED', message: 'No longer', extra: { members: { since: 1 } } },
      };
      expected[5] = { status: 'rejected', reason: { code: 'INTERNAL_ERROR' } };
      expect(outcomes).toMatchObject(expected);
    });

    it('keep their own request ids and traces', async () => {
      const seen = new Map<string, RpcContext>();
      await serveTokens((sub, context) => {
        seen.set(sub, context);
        return tokenFor(sub);
      });
      const calls = callsOf(edge);
      const traceOf = (digit: string) => TRACEPARENT.replaceAll('1'.repeat(32), digit.repeat(32));
      const digits = ['3', '4'];
      await Promise.all(digits.map((digit) => calls(digit, { requestId: `r-${digit}`, traceparent: traceOf(digit) })));
      for (const digit of digits) {
        const context = seen.get(digit);
        expect(context).toMatchObject({ caller: 'embed-gateway', callContext: { requestId: `r-${digit}` } });
        expect(context?.callContext.traceparent).toContain(digit.repeat(32));
      }
    });

    it('neither wait for a slow one among them nor fail with one that is not answered in time', async () => {
      const [held, never] = [gate(), gate()];
      await serveTokens(async (sub) => {
        if (sub === 'slow') await held.passed;
        if (sub === 'stuck') await never.passed;
        return tokenFor(sub);
      });
      const calls = callsOf(edge, { ...mintEmbedToken, timeoutMs: 1_000 });
      const [stuck, slow, quick] = [calls('stuck'), calls('slow'), calls('quick')];
      const failure = expect(stuck).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
      expect(await quick).toEqual(tokenFor('quick'));
      held.open();
      expect(await slow).toEqual(tokenFor('slow'));
      await failure;
      never.open();
    });

    it('fail with SERVICE_UNAVAILABLE when the connection closes', async () => {
      const held = gate();
      let received = false;
      await serveTokens(async () => {
        received = true;
        await held.passed;
      });
      const closing = await broker.service('embed-gateway');
      const outcome = callsOf(closing)('x').catch((error: unknown) => error);
      await until(() => received, 'the call has arrived');
      await closing.connection.close();
      expect(await outcome).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      await expect(closing.flush()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      held.open();
    });

    it('are spread over messages that the broker takes; one that it does not take fails alone', async () => {
      await serveTokens();
      const before = edge.connection.stats().outMsgs;
      const all = [...subs(200), 'x'.repeat(2_000_000), ...subs(6, 'é'.repeat(100_000))];
      const outcomes = await callTogether(all);
      expect(edge.connection.stats().outMsgs - before).toBe(4 + 3);
      const [refused] = outcomes.splice(200, 1);
      expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'PAYLOAD_TOO_LARGE' } });
      const taken = all.toSpliced(200, 1);
      expect(outcomes).toEqual(taken.map((sub) => ({ status: 'fulfilled', value: tokenFor(sub) })));
    });

    it('fail alone when the reply is larger than a message', async () => {
      await serveTokens((sub) => tokenFor(sub === 'large' ? 'x'.repeat(2_000_000) : sub));
      const calls = callsOf(edge);
      const [large, small] = await Promise.allSettled([calls('large'), calls('small')]);
      expect(large).toMatchObject({ status: 'rejected', reason: { code: 'PAYLOAD_TOO_LARGE' } });
      expect(small).toMatchObject({ status: 'fulfilled' });
    });

    it('are refused together by a server that does not know of batches', async () => {
      const earlier = await broker.user('identity');
      const reply = JSON.stringify({ ok: false, code: 'VALIDATION_FAILED' });
      const served = earlier.subscribe(mintEmbedToken.subject, {
        callback: (_error, message) => void message.respond(reply),
      });
      await earlier.flush();
      const refused = { status: 'rejected', reason: { code: 'VALIDATION_FAILED' } };
      expect(await callTogether(subs(3))).toMatchObject([refused, refused, refused]);
      served.unsubscribe();
    });

    it.each(['[', '[null]', '[1]', '["x"]'])(
      'are refused, and nothing else happens, when they are %s',
      async (body) => {
        const served: string[] = [];
        await serveTokens((sub) => {
          served.push(sub);
          return tokenFor(sub);
        });
        const raw = await edge.connection.request(mintEmbedToken.subject, body, { timeout: 2_000 });
        expect(raw.json()).toMatchObject({ ok: false, code: 'MALFORMED_REQUEST' });
        expect(await callsOf(edge)('after')).toEqual(tokenFor('after'));
        expect(served).toEqual(['after']);
      },
    );
  });
});
