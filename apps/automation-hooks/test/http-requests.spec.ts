import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { HOOK_PATH } from '@crm/contracts';
import { type Receiver, startReceiver, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emit, gate, useAutomations, wait } from './automations-service.js';

/** Passes connections on to a receiver; the next `resets` of them are reset as soon as the handshake begins. */
async function startResettingProxy(target: string) {
  const state = { url: '', resets: 0, close: () => void server.close() };
  const server = createServer((client) => {
    client.once('data', (hello) => {
      if (state.resets > 0) {
        state.resets -= 1;
        client.resetAndDestroy();
        return;
      }
      const upstream = connect({ host: '127.0.0.1', port: Number(new URL(target).port) });
      upstream.write(hello);
      pipeline(client, upstream, client, () => undefined);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  state.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

/** Stands where the platform does. */
let receiver: Receiver;
/** The same, reached in another way: to workflows it is an address outside. */
let outside: Awaited<ReturnType<typeof startResettingProxy>>;
beforeAll(async () => {
  receiver = await startReceiver({ tls: true });
  outside = await startResettingProxy(receiver.url);
});
const { world, service, tenant, newTenant } = useAutomations(() => {
  const allow = [receiver, outside].map(({ url }) => ({ host: '127.0.0.1', port: Number(new URL(url).port) }));
  return [{}, { egress: { allow, ca: receiver.ca }, hooks: { baseUrl: receiver.url, callsPerTenSeconds: 10_000 } }];
});
beforeEach(() => receiver.respondWith(() => ({ status: 200 })));
afterAll(() => receiver?.close());
afterAll(() => outside?.close());

/** An action that calls the receiver. @param rest of its URL, and other members */
const request = (rest: string, members: object = {}) => {
  return { type: 'http_request', url: `${receiver.url}${rest}`, ...members };
};

describe('an action http_request', () => {
  it('fills in templates in path, query, headers and body, and sends an idempotency key', async () => {
    const body = { place: '{{place}}', n: '{{n}}', list: ['{{n}}!'] };
    const put = request('/visits/{{place}}?n={{n}}', { method: 'PUT', headers: { 'X-Place': 'at {{n}}' }, body });
    expect((await tenant.runOf([put], { place: '../a b&c', n: 7 })).status).toBe('succeeded');
    const sent = receiver.requests.at(-1);
    const key = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const headers = { 'content-type': 'application/json', 'x-place': 'at 7', 'idempotency-key': key };
    expect(sent).toMatchObject({ method: 'PUT', path: '/visits/..%2Fa%20b%26c?n=7', headers });
    expect(JSON.parse(sent?.body ?? '')).toEqual({ place: '../a b&c', n: 7, list: ['7!'] });
  });

  it('leaves slots for quick runs when the endpoints of many tenants are slow', async () => {
    const { opened: answered, open: answer } = gate();
    receiver.respondWith(async ({ path }) => {
      if (path === '/slow') await answered;
      return { status: 200 };
    });
    const runs: Promise<unknown>[] = [];
    try {
      for (let slowTenant = 0; slowTenant < 6; slowTenant += 1) {
        const slow = await newTenant();
        const { path } = await slow.hooked({ actions: [request('/slow')] });
        for (let n = 0; n < 8; n += 1) runs.push(slow.start(path).then((id) => ({ slow, id })));
      }
      await Promise.all(runs);
      for (let n = 0; n < 3; n += 1) expect((await tenant.runOf([request('/quick')])).status).toBe('succeeded');
    } finally {
      answer();
    }
    for (const run of (await Promise.all(runs)) as { slow: typeof tenant; id: string }[]) {
      expect((await run.slow.ended(run.id)).status).toBe('succeeded');
    }
  });

  it('makes its answer available to later steps', async () => {
    const made = { status: 201, headers: { 'content-type': 'application/json' }, body: '{"ticket":{"id":42}}' };
    receiver.respondWith(({ path }) => (path === '/first' ? made : { status: 200 }));
    const run = await tenant.runOf([
      request('/first', { key: 'made', body: {} }),
      request('/tickets/{{made.body.ticket.id}}?was={{made.status}}'),
    ]);
    expect(run.status).toBe('succeeded');
    expect(receiver.requests.at(-1)).toMatchObject({ method: 'GET', path: '/tickets/42?was=201' });
  });

  it('is repeated with the same key after a temporary error', async () => {
    let tries = 0;
    receiver.respondWith(() => {
      tries += 1;
      return { status: tries === 1 ? 503 : 200 };
    });
    const before = receiver.requests.length;
    expect((await tenant.runOf([request('/again')])).status).toBe('succeeded');
    const keys = receiver.requests.slice(before).map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('is repeated after its connection was reset while it was being opened', async () => {
    outside.resets = 1;
    const run = await tenant.runOf([{ type: 'http_request', url: `${outside.url}/opened` }]);
    expect([run.status, outside.resets]).toEqual(['succeeded', 0]);
  });

  it.each([429, 503])('is not repeated before the time that an answer %d names', async (status) => {
    receiver.respondWith(() => ({ status, headers: { 'retry-after': '3600' } }));
    const runId = await tenant.start((await tenant.hooked({ actions: [request('/later')] })).path);
    const due = `SELECT round(extract(epoch FROM due_at - now()) / 60)::int AS minutes
                   FROM run_step WHERE run_id = $1 AND attempts = 1`;
    const waits = () => world.sql<{ minutes: number }>(due, runId);
    await waitUntil(async () => (await waits()).length > 0, { describe: 'the step to wait' });
    expect(await waits()).toEqual([{ minutes: 60 }]);
  });

  it.each([404, 302])('fails after the answer %d and follows no redirect', async (status) => {
    receiver.respondWith(() => ({ status, headers: { location: '/elsewhere' } }));
    const before = receiver.requests.length;
    const run = await tenant.runOf([request('/x')]);
    expect(run).toMatchObject({ status: 'failed', steps: [{ status: 'failed', error: { code: 'HTTP_STATUS' } }] });
    expect(receiver.requests.length).toBe(before + 1);
  });

  it('is not sent when the payload puts a line break into a header', async () => {
    const before = receiver.requests.length;
    const action = request('/x', { headers: { 'x-name': '{{name}}' } });
    const run = await tenant.runOf([action], { name: 'a\r\nx-evil: 1' });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'TEMPLATE' } });
    expect(receiver.requests.length).toBe(before);
  });

  it('is refused when its address is internal', async () => {
    const actions = [{ type: 'http_request', url: 'https://127.0.0.1:1/' }];
    const input = { name: 'x', trigger: { type: 'webhook_received' }, actions };
    const body = { code: 'WORKFLOW_INVALID', errors: [{ pointer: '/actions/0/url', code: 'TARGET_REFUSED' }] };
    expect(await tenant.call('POST', '/workflows', input)).toMatchObject({ status: 422, body });
  });
});

describe('a request to the platform', () => {
  /** The receiver stands where the gateway does: it passes calls of hooks on to the service. */
  const passOn = () =>
    receiver.respondWith(async ({ method, path, headers, body }) => {
      if (!path.startsWith(HOOK_PATH)) return { status: 200 };
      const { host: _host, 'content-length': _length, connection: _connection, ...others } = headers;
      const answer = await service.request(method, path, { body, headers: others });
      const contentType = { 'content-type': 'application/json' };
      return { status: answer.status, headers: contentType, body: JSON.stringify(answer.body) };
    });

  const statusOf = async (path: string, depth: string) => {
    const options = { body: {}, headers: { 'workflow-depth': depth } };
    const { body } = await service.request<{ runId: string }>('POST', path, options);
    return (await tenant.ended(body.runId)).status;
  };

  /** Six runs have succeeded, and the next one was cancelled; no other follows. */
  const endsCircle = async (...tenants: (typeof tenant)[]) => {
    const runs = async () => (await Promise.all(tenants.map((one) => one.runs('size=50')))).flat();
    const has = async (...wanted: string[]) => (await runs()).some(({ status }) => wanted.includes(status));
    await waitUntil(() => has('cancelled'), { timeoutMs: 15_000, describe: 'the end of the circle' });
    await waitUntil(async () => !(await has('queued', 'running')), { timeoutMs: 15_000 });
    const all = await runs();
    expect(all.map(({ status }) => status).sort()).toEqual(['cancelled', ...Array(6).fill('succeeded')]);
    const stopped = { error: { code: 'LOOP_STOPPED' }, steps: [] };
    expect(all.find(({ status }) => status === 'cancelled')).toMatchObject(stopped);
  };

  it('to hooks ends a circle of workflows, also one of two tenants, after five runs', async () => {
    passOn();
    const other = await newTenant();
    // Each calls the other: the first is told where the second is by what it is called with.
    const body = { to: '{{from}}', toSecret: '{{fromSecret}}', from: '{{to}}', fromSecret: '{{toSecret}}' };
    const back = request(`${HOOK_PATH}/{{to}}/{{toSecret}}`, { body });
    const [one, two] = [await tenant.hooked({ actions: [back] }), await other.hooked({ actions: [back] })];
    const [oneId, oneSecret] = one.path.split('/').slice(-2);
    const [twoId, twoSecret] = two.path.split('/').slice(-2);
    await tenant.start(one.path, { to: twoId, toSecret: twoSecret, from: oneId, fromSecret: oneSecret });
    await endsCircle(tenant, other);
  });

  it('or to its API with a key of the tenant ends a circle too', async () => {
    // This is what custom-objects does for a task that someone with the key creates, in the trace of the call.
    receiver.respondWith(async ({ headers }) => {
      const { traceparent } = headers;
      await emit('task.created', tenant.tenantId, { record: { title: 'x' } }, { traceparent: traceparent as string });
      return { status: 201 };
    });
    const headers = { authorization: 'Bearer crmk_key' };
    const call = request('/api/crm/tasks', { method: 'POST', headers, body: { title: 'x' } });
    await tenant.onEvent('task.created', { actions: [call] });
    await emit('task.created', tenant.tenantId, { record: { title: 'x' } });
    await endsCircle(tenant);
  });

  it('carries the depth of its run, which the author of the workflow cannot change; no other request does', async () => {
    passOn();
    const headers = { 'Workflow-Depth': '0', 'workflow-depth': '0' };
    const { path: target } = await tenant.hooked({ condition: 'FALSE', actions: [wait(1)] });
    const actions = [
      request(target, { method: 'POST', headers, body: {} }),
      { type: 'http_request', url: `${outside.url}/elsewhere` },
    ];
    const { path } = await tenant.hooked({ actions });
    expect(await statusOf(path, '2')).toBe('succeeded');
    const headersTo = (path: string) => receiver.requests.findLast((sent) => sent.path === path)?.headers;
    expect(headersTo(target)?.['workflow-depth']).toBe('3');
    for (const name of ['workflow-depth', 'traceparent']) expect(headersTo('/elsewhere')).not.toHaveProperty(name);
  });

  it('that claims a depth only shortens its own chain', async () => {
    const { path } = await tenant.hooked({ condition: 'FALSE', actions: [wait(1)] });
    const statuses: string[] = [];
    for (const depth of ['4', '5', '-7']) statuses.push(await statusOf(path, depth));
    expect(statuses).toEqual(['skipped', 'cancelled', 'skipped']);
  });
});
