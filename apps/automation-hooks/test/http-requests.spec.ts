import { HOOK_PATH } from '@crm/contracts';
import { type Receiver, startReceiver, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { gate, useAutomations, wait } from './automations-service.js';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver({ tls: true });
});
const { service, tenant, newTenant } = useAutomations(() => {
  const { hostname, port } = new URL(receiver.url);
  const egress = { allow: [{ host: hostname, port: Number(port) }], ca: receiver.ca };
  return [{}, { egress, hooks: { baseUrl: receiver.url, callsPerTenSeconds: 10_000 } }];
});
beforeEach(() => receiver.respondWith(() => ({ status: 200 })));
afterAll(() => receiver?.close());

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
    expect(sent).toMatchObject({ method: 'PUT', path: '/visits/..%2Fa%20b%26c?n=7' });
    expect(sent?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-place': 'at 7',
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(JSON.parse(sent?.body ?? '')).toEqual({ place: '../a b&c', n: 7, list: ['7!'] });
  });

  it('does not delay the runs of other tenants when it is slow', async () => {
    const { opened: answered, open: answer } = gate();
    receiver.respondWith(async ({ path }) => {
      if (path === '/slow') await answered;
      return { status: 200 };
    });
    const slow = await tenant.hooked({ actions: [request('/slow')] });
    const runs: string[] = [];
    for (let index = 0; index < 12; index += 1) runs.push(await tenant.start(slow.path));
    await receiver.waitFor(({ path }) => path === '/slow');

    expect((await (await newTenant()).runOf([request('/quick')])).status).toBe('succeeded');
    answer();
    for (const run of runs) expect((await tenant.ended(run)).status).toBe('succeeded');
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

  it.each([404, 302])('fails after the answer %d and follows no redirect', async (status) => {
    const error = { code: 'HTTP_STATUS' };
    receiver.respondWith(() => ({ status, headers: { location: '/elsewhere' } }));
    const before = receiver.requests.length;
    const run = await tenant.runOf([request('/x')]);
    expect(run).toMatchObject({ status: 'failed', steps: [{ status: 'failed', error }] });
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

describe('a request to a hook of the platform', () => {
  /** The receiver stands where the gateway does: it passes calls of hooks on to the service. */
  const passOn = () =>
    receiver.respondWith(async ({ method, path, headers, body }) => {
      if (!path.startsWith(HOOK_PATH)) return { status: 200 };
      const { host: _host, 'content-length': _length, connection: _connection, ...others } = headers;
      const answer = await service.request(method, path, { body, headers: others });
      const contentType = { 'content-type': 'application/json' };
      return { status: answer.status, headers: contentType, body: JSON.stringify(answer.body) };
    });

  /** Of the run that a call starts which carries a depth. */
  const statusOf = async (path: string, depth: string) => {
    const options = { body: {}, headers: { 'workflow-depth': depth } };
    const { body } = await service.request<{ runId: string }>('POST', path, options);
    return (await tenant.ended(body.runId)).status;
  };

  it('ends a circle of workflows, also one of two tenants, after five runs', async () => {
    passOn();
    const other = await newTenant();
    // Each calls the other: the first is told where the second is by what it is called with.
    const body = { to: '{{from}}', toSecret: '{{fromSecret}}', from: '{{to}}', fromSecret: '{{toSecret}}' };
    const back = request(`${HOOK_PATH}/{{to}}/{{toSecret}}`, { body });
    const [one, two] = [await tenant.hooked({ actions: [back] }), await other.hooked({ actions: [back] })];
    const [oneId, oneSecret] = one.path.split('/').slice(-2);
    const [twoId, twoSecret] = two.path.split('/').slice(-2);
    await tenant.start(one.path, { to: twoId, toSecret: twoSecret, from: oneId, fromSecret: oneSecret });
    const runs = async () => [...(await tenant.runs('size=50')), ...(await other.runs('size=50'))];
    const has = async (...wanted: string[]) => (await runs()).some(({ status }) => wanted.includes(status));
    await waitUntil(() => has('cancelled'), { timeoutMs: 15_000, describe: 'the end of the circle' });
    await waitUntil(async () => !(await has('queued', 'running')), { timeoutMs: 15_000 });
    const all = await runs();
    expect(all.filter(({ status }) => status === 'succeeded')).toHaveLength(6);
    expect(all.filter(({ status }) => status === 'cancelled')).toMatchObject([
      { error: { code: 'LOOP_STOPPED' }, steps: [] },
    ]);
  });

  it('carries the depth of its run, which the author of the workflow cannot change; no other request does', async () => {
    passOn();
    const headers = { 'Workflow-Depth': '0', 'workflow-depth': '0' };
    const { path: target } = await tenant.hooked({ condition: 'FALSE', actions: [wait(1)] });
    const actions = [request(target, { method: 'POST', headers, body: {} }), request('/elsewhere')];
    const { path } = await tenant.hooked({ actions });
    expect(await statusOf(path, '2')).toBe('succeeded');
    const headersTo = (path: string) => receiver.requests.findLast((sent) => sent.path === path)?.headers;
    expect(headersTo(target)?.['workflow-depth']).toBe('3');
    expect(headersTo('/elsewhere')).not.toHaveProperty('workflow-depth');
  });

  it('that claims a depth only shortens its own chain', async () => {
    const { path } = await tenant.hooked({ condition: 'FALSE', actions: [wait(1)] });
    const statuses: string[] = [];
    for (const depth of ['4', '5', '-7']) statuses.push(await statusOf(path, depth));
    expect(statuses).toEqual(['skipped', 'cancelled', 'skipped']);
  });
});
