import { PlatformError, type RpcContract, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { headers } from '@nats-io/nats-core';
import { type NatsConnection, Rpc, type RpcContext, RpcServer } from '../src/index.js';
import { type Broker, gate, startBroker, until } from './fixture.js';

const { getTenant } = rpc.identity;
const tenantView = (id: string) => ({ id, name: 'Acme', plan: 'business' as const, timeZone: 'UTC', country: null });

describe('a call between services', () => {
  let broker: Broker;
  let identity: NatsConnection;
  let customObjects: NatsConnection;
  let server: RpcServer;

  beforeAll(async () => {
    broker = await startBroker();
    [identity, customObjects] = await Promise.all([broker.service('identity'), broker.service('custom-objects')]);
  });
  beforeEach(async () => {
    await server?.drain();
    server = new RpcServer(identity);
  });
  afterAll(() => broker.stop());

  const serve = async (contract: RpcContract, method: (request: never, context: RpcContext) => Promise<unknown>) => {
    server.add(contract, method as never);
    server.start();
    await identity.ping();
  };
  const call = (tenantId = newId(), options = {}) => new Rpc(customObjects).call(getTenant, { tenantId }, options);

  it('returns the result of the handler, and passes on request id and trace', async () => {
    let context: RpcContext | undefined;
    await serve(getTenant, async ({ tenantId }: { tenantId: string }, received) => {
      context = received;
      return tenantView(tenantId);
    });
    const id = newId();
    const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    const answer = await call(id, { requestId: 'r-1', traceparent });
    expect(answer).toEqual(tenantView(id));
    expect(context).toMatchObject({ callContext: { requestId: 'r-1' }, caller: 'custom-objects' });
    expect(context?.callContext.traceparent).toContain('1'.repeat(32));
  });

  it('throws the error of the handler with all its members', async () => {
    await serve(getTenant, async () => {
      throw new PlatformError('VALIDATION_FAILED', 'No such thing', {
        errors: [{ pointer: '/a', code: 'X', detail: 'wrong' }],
        members: { limit: 3 },
        retryAfterSeconds: 7,
      });
    });
    await expect(call()).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: 'No such thing',
      extra: { errors: [{ pointer: '/a', code: 'X', detail: 'wrong' }], members: { limit: 3 }, retryAfterSeconds: 7 },
    });
  });

  it('is refused before the handler if it is not JSON', async () => {
    let calls = 0;
    await serve(getTenant, async () => {
      calls += 1;
      return tenantView(newId());
    });
    const raw = await customObjects.connection.request(getTenant.subject, '{broken', { timeout: 2_000 });
    expect(raw.json()).toMatchObject({ ok: false, code: 'MALFORMED_REQUEST' });
    expect(calls).toBe(0);
  });

  it('fails at once with SERVICE_UNAVAILABLE if no server is available', async () => {
    const started = Date.now();
    await expect(call()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', extra: { retryAfterSeconds: 1 } });
    expect(Date.now() - started).toBeLessThan(getTenant.timeoutMs);
  });

  it('fails with DEADLINE_EXCEEDED if the reply does not arrive in time', async () => {
    const held = gate();
    await serve(getTenant, () => held.passed);
    const hurried = { ...getTenant, timeoutMs: 80 };
    await expect(new Rpc(customObjects).call(hurried, { tenantId: newId() })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    held.open();
  });

  it('fails with PAYLOAD_TOO_LARGE if the request exceeds the size of a message', async () => {
    const request = { clientId: 'x'.repeat(2_000_000) };
    const embed = await broker.service('embed-gateway');
    await expect(new Rpc(embed).call(rpc.identity.getEmbedOrigins, request)).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
  });

  it('is dropped if the reply would not go to the inbox of a caller of the contract', async () => {
    let calls = 0;
    await serve(getTenant, async ({ tenantId }: { tenantId: string }) => {
      calls += 1;
      return tenantView(tenantId);
    });
    const body = JSON.stringify({ tenantId: newId() });
    for (const reply of ['events.lead.created.1', '_INBOX_gateway.x', undefined]) {
      customObjects.connection.publish(getTenant.subject, body, { reply, headers: headers() });
    }
    await call();
    expect(calls).toBe(1);
  });

  it('is answered even if it arrived just before the server drains', async () => {
    const held = gate();
    let started = false;
    await serve(getTenant, async ({ tenantId }: { tenantId: string }) => {
      started = true;
      await held.passed;
      return tenantView(tenantId);
    });
    const answer = call();
    await until(() => started, 'the call is being answered');
    let drained = false;
    const draining = server.drain().then(() => {
      drained = true;
    });
    // The broker has handled what the server sent before this: that it takes no more calls.
    await identity.ping();
    await expect(call()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(drained).toBe(false);
    held.open();
    await expect(answer).resolves.toMatchObject({ name: 'Acme' });
    await draining;
  });

  it('works again after a lost connection', async () => {
    await serve(getTenant, async ({ tenantId }: { tenantId: string }) => tenantView(tenantId));
    broker.proxy.cut();
    await until(
      () =>
        customObjects.ping().then(
          () => false,
          () => true,
        ),
      'the loss is seen',
      15_000,
    );
    broker.proxy.mend();
    await until(
      () =>
        call().then(
          () => true,
          () => false,
        ),
      'calls are answered again',
      15_000,
    );
  }, 60_000);

  it('can be served by one handler of the service of the contract only', () => {
    const other = { ...getTenant, subject: 'rpc.custom-objects.x.y', server: 'custom-objects' as const };
    expect(() => server.add(other, async () => undefined)).toThrow('is not served by identity');
    server.add(getTenant, async () => undefined);
    expect(() => server.add(getTenant, async () => undefined)).toThrow('two handlers');
  });
});
