import { HOOK_PATH } from '@crm/contracts';
import { type Receiver, startReceiver, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type RunBody, type Service, startWorld, type Tenant, tenantOn, type World } from './automations-service.js';

let receiver: Receiver;
let world: World;
let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  receiver = await startReceiver({ tls: true });
  const { hostname, port } = new URL(receiver.url);
  world = await startWorld({ allow: [{ host: hostname, port: Number(port) }], ca: receiver.ca });
  service = await world.start({}, 10_000, 200, { hooks: { baseUrl: receiver.url, callsPerTenSeconds: 10_000 } });
});
beforeEach(async () => {
  tenant = await tenantOn(world, service);
  receiver.respondWith(() => ({ status: 200 }));
});
afterAll(async () => {
  await service.close();
  await world.close();
  await receiver.close();
});

/** Runs a workflow with these actions and waits until it has ended. */
async function runOf(actions: object[], payload: object = {}): Promise<RunBody> {
  const { path } = await tenant.hooked({ actions });
  const { body } = await service.request<{ runId: string }>('POST', path, { body: payload });
  return tenant.ended(body.runId);
}

describe('an action http_request', () => {
  it('fills in templates in path, query, headers and body, and sends an idempotency key', async () => {
    const run = await runOf(
      [
        {
          type: 'http_request',
          url: `${receiver.url}/visits/{{place}}?n={{n}}`,
          method: 'PUT',
          headers: { 'X-Place': 'at {{n}}' },
          body: { place: '{{place}}', n: '{{n}}', list: ['{{n}}!'] },
        },
      ],
      { place: '../a b&c', n: 7 },
    );
    expect(run.status).toBe('succeeded');
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
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    receiver.respondWith(async ({ path }) => {
      if (path === '/slow') await answered;
      return { status: 200 };
    });
    const slow = await tenant.hooked({ actions: [{ type: 'http_request', url: `${receiver.url}/slow` }] });
    const runs: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      runs.push((await service.request<{ runId: string }>('POST', slow.path, { body: {} })).body.runId);
    }
    await receiver.waitFor(({ path }) => path === '/slow');

    const other = await tenantOn(world, service);
    const quick = await other.hooked({ actions: [{ type: 'http_request', url: `${receiver.url}/quick` }] });
    const { body } = await service.request<{ runId: string }>('POST', quick.path, { body: {} });
    expect((await other.ended(body.runId)).status).toBe('succeeded');

    answer();
    for (const run of runs) expect((await tenant.ended(run)).status).toBe('succeeded');
  });

  it('makes its answer available to later steps', async () => {
    receiver.respondWith(({ path }) =>
      path === '/first'
        ? { status: 201, headers: { 'content-type': 'application/json' }, body: '{"ticket":{"id":42}}' }
        : { status: 200 },
    );
    const run = await runOf([
      { key: 'made', type: 'http_request', url: `${receiver.url}/first`, body: {} },
      { type: 'http_request', url: `${receiver.url}/tickets/{{made.body.ticket.id}}?was={{made.status}}` },
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
    expect((await runOf([{ type: 'http_request', url: `${receiver.url}/again` }])).status).toBe('succeeded');
    const keys = receiver.requests.slice(before).map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it.each([
    [404, 'HTTP_STATUS'],
    [302, 'HTTP_STATUS'],
  ])('fails after the answer %d and follows no redirect', async (status, code) => {
    receiver.respondWith(() => ({ status, headers: { location: '/elsewhere' } }));
    const before = receiver.requests.length;
    const run = await runOf([{ type: 'http_request', url: `${receiver.url}/x` }]);
    expect(run).toMatchObject({ status: 'failed', steps: [{ status: 'failed', error: { code } }] });
    expect(receiver.requests.length).toBe(before + 1);
  });

  it('is not sent when the payload puts a line break into a header', async () => {
    const before = receiver.requests.length;
    const headers = { 'x-name': '{{name}}' };
    const run = await runOf([{ type: 'http_request', url: `${receiver.url}/x`, headers }], { name: 'a\r\nx-evil: 1' });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'TEMPLATE' } });
    expect(receiver.requests.length).toBe(before);
  });

  it('is refused when its address is internal', async () => {
    const input = {
      name: 'x',
      trigger: { type: 'webhook_received' },
      actions: [{ type: 'http_request', url: 'https://127.0.0.1:1/' }],
    };
    expect(await tenant.call('POST', '/workflows', input)).toMatchObject({
      status: 422,
      body: { code: 'WORKFLOW_INVALID', errors: [{ pointer: '/actions/0/url', code: 'TARGET_REFUSED' }] },
    });
  });
});

describe('a request to a hook of the platform', () => {
  /** The receiver stands where the gateway does: it passes calls of hooks on to the service. */
  const passOn = () =>
    receiver.respondWith(async ({ method, path, headers, body }) => {
      if (!path.startsWith(HOOK_PATH)) return { status: 200 };
      const { host: _host, 'content-length': _length, connection: _connection, ...others } = headers;
      const answer = await service.request(method, path, { body, headers: others });
      return {
        status: answer.status,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(answer.body),
      };
    });
  const hooksOf = (of: Tenant) =>
    of.call<{ data: RunBody[] }>('GET', '/runs?size=50').then(({ body }) => body.data.toReversed());

  it('ends a circle of workflows, also one of two tenants, after five runs', async () => {
    passOn();
    const other = await tenantOn(world, service);
    // Each calls the other: the first is told where the second is by what it is called with.
    const call = { type: 'http_request', url: `${receiver.url}${HOOK_PATH}/{{to}}/{{toSecret}}` };
    const back = {
      ...call,
      body: { to: '{{from}}', toSecret: '{{fromSecret}}', from: '{{to}}', fromSecret: '{{toSecret}}' },
    };
    const [one, two] = [await tenant.hooked({ actions: [back] }), await other.hooked({ actions: [back] })];
    const [oneId, oneSecret] = one.path.split('/').slice(-2);
    const [twoId, twoSecret] = two.path.split('/').slice(-2);
    await service.request('POST', one.path, {
      body: { to: twoId, toSecret: twoSecret, from: oneId, fromSecret: oneSecret },
    });
    const statuses = async () => [...(await hooksOf(tenant)), ...(await hooksOf(other))].map(({ status }) => status);
    await waitUntil(async () => (await statuses()).includes('cancelled'), {
      timeoutMs: 15_000,
      describe: 'the end of the circle',
    });
    await waitUntil(async () => !(await statuses()).some((status) => ['queued', 'running'].includes(status)), {
      timeoutMs: 15_000,
    });
    const all = [...(await hooksOf(tenant)), ...(await hooksOf(other))];
    expect(all.filter(({ status }) => status === 'succeeded')).toHaveLength(6);
    expect(all.filter(({ status }) => status === 'cancelled')).toMatchObject([
      { error: { code: 'LOOP_STOPPED' }, steps: [] },
    ]);
  });

  it('carries the depth of its run, which the author of the workflow cannot change; no other request does', async () => {
    passOn();
    const headers = { 'Workflow-Depth': '0', 'workflow-depth': '0' };
    const { path: target } = await tenant.hooked({ condition: 'FALSE', actions: [{ type: 'wait', seconds: 1 }] });
    const actions = [
      { type: 'http_request', method: 'POST', url: `${receiver.url}${target}`, headers, body: {} },
      { type: 'http_request', url: `${receiver.url}/elsewhere` },
    ];
    const { path } = await tenant.hooked({ actions });
    const { body } = await service.request<{ runId: string }>('POST', path, {
      body: {},
      headers: { 'workflow-depth': '2' },
    });
    expect((await tenant.ended(body.runId)).status).toBe('succeeded');
    expect(receiver.requests.findLast((request) => request.path === target)?.headers['workflow-depth']).toBe('3');
    expect(receiver.requests.findLast((request) => request.path === '/elsewhere')?.headers).not.toHaveProperty(
      'workflow-depth',
    );
  });

  it('that claims a depth only shortens its own chain', async () => {
    const { path } = await tenant.hooked({ condition: 'FALSE', actions: [{ type: 'wait', seconds: 1 }] });
    const statusOf = async (depth: string) => {
      const { body } = await service.request<{ runId: string }>('POST', path, {
        body: {},
        headers: { 'workflow-depth': depth },
      });
      return (await tenant.ended(body.runId)).status;
    };
    expect([await statusOf('4'), await statusOf('5'), await statusOf('-7')]).toEqual([
      'skipped',
      'cancelled',
      'skipped',
    ]);
  });
});
