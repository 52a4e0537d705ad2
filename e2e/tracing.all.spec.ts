import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import path from 'node:path';
import { PLATFORM_VERSION, SERVICES } from '@crm/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inRoot } from '../scripts/root.mjs';
import { type Account, api, newWorkspace } from './platform/accounts.js';
import { addresses } from './platform/addresses.js';
import { newTrace, spans, traceWith } from './platform/traces.js';

const LEADS = '/api/crm/leads';
/** What must be found in no span. */
const PERSON = `Lovelace-${randomBytes(6).toString('hex')}`;

/** Fails the first attempt of each delivery. */
async function startReceiver(): Promise<{ server: Server; headers: Record<string, unknown>[] }> {
  const { port, keyFile, certFile } = addresses.demoReceiver;
  const headers: Record<string, unknown>[] = [];
  const seen = new Set<unknown>();
  const server = createServer({ key: await readFile(keyFile), cert: await readFile(certFile) }, (request, response) => {
    headers.push(request.headers);
    request.resume();
    response.writeHead(seen.has(request.headers['webhook-id']) ? 204 : 500).end();
    seen.add(request.headers['webhook-id']);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, headers };
}

describe('tracing', () => {
  let owner: Account;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeAll(async () => {
    receiver = await startReceiver();
    owner = await newWorkspace();
    await api('POST', '/api/webhooks/subscriptions', {
      token: owner.token,
      body: { events: ['lead.created', 'task.created'], url: `${addresses.demoReceiver.url}/${PERSON}` },
      expect: 201,
    });
  });
  afterAll(() => {
    receiver.server.close();
    receiver.server.closeAllConnections();
  });

  it('shows the way of a lead as one trace, from the gateway to each attempt of its webhook', async () => {
    const { traceId, spanId, headers } = newTrace();
    const body = { lastName: PERSON };
    await api('POST', LEADS, { token: owner.token, body, headers, expect: 201 });

    const gateway = 'gateway POST /api/crm/leads > gateway POST custom-objects';
    const record = `${gateway} > custom-objects POST /api/crm/leads`;
    const event = `${record} > custom-objects send events.lead.created`;
    const handled = `${event} > webhook-dispatcher process events.lead.created`;
    const attempt = `${handled} > webhook-dispatcher POST`;
    const expected = [`${record} > custom-objects transaction custom_objects`, attempt];
    const trace = await traceWith(traceId, expected);
    expect(trace.of('gateway POST /api/crm/leads')).toMatchObject([
      { parentId: spanId, version: PLATFORM_VERSION, attributes: { 'http.route': '/api/crm/leads' } },
    ]);
    expect(trace.of(event)).toMatchObject([{ kind: 4, attributes: { 'messaging.system': 'nats' } }]);
    expect(trace.of(handled)).toMatchObject([{ kind: 5, isFailed: false }]);

    const attempts = await secondOf(traceId, attempt);
    expect(attempts.map(({ attributes }) => attributes['http.response.status_code']).sort()).toEqual([204, 500]);
    const failed = attempts.find(({ isFailed }) => isFailed);
    expect(failed?.attributes).toMatchObject({ 'error.type': 'http_5xx', 'http.response.status_code': 500 });
    // Anyone who receives a webhook is no part of the platform.
    expect(receiver.headers.length).toBeGreaterThan(0);
    for (const received of receiver.headers) expect(received).not.toHaveProperty('traceparent');
  });

  it('shows the call of a hook, its run, the step and what that does as one trace without the secret', async () => {
    const { body: workflow } = await api('POST', '/api/crm/automations/workflows', {
      token: owner.token,
      body: {
        name: 'Traced',
        trigger: { type: 'webhook_received' },
        actions: [{ type: 'create_task', title: '{{ title }}' }],
      },
      expect: 201,
    });
    const { traceId, headers } = newTrace();
    const hook = new URL(workflow.hookUrl).pathname;
    await api('POST', hook, { body: { title: PERSON }, headers, expect: 202 });

    const route = '/api/crm/automations/hooks/:workflowId/:secret';
    const run = `automation-hooks POST ${route} > automation-hooks run`;
    const call = `${run} > automation-hooks step create_task > automation-hooks rpc.custom-objects.records.create`;
    const event = `custom-objects rpc.custom-objects.records.create > custom-objects send events.task.created`;
    const attempt = `${event} > webhook-dispatcher process events.task.created > webhook-dispatcher POST`;
    const gateway = 'gateway POST /api/crm/automations/hooks/* > gateway POST automation-hooks';
    await traceWith(traceId, [`${gateway} > ${call} > ${attempt}`]);

    const secret = hook.split('/').at(-1) as string;
    expect(secret.length).toBeGreaterThan(20);
    const everything = JSON.stringify(await spans());
    for (const hidden of [secret, PERSON, owner.token, owner.email]) expect(everything).not.toContain(hidden);
  });

  it('is not even loaded by a service that does not trace', async () => {
    for (const service of SERVICES) {
      const folder = inRoot('apps', service, 'dist');
      const loaded = await loadedAtStart(path.join(folder, 'main.js'));
      const sources = loaded.map(({ source }) => source).join('\n');
      expect([service, /BatchSpanProcessor|OTLPExporter/.test(sources)]).toEqual([service, false]);
      // It is there for those that do.
      expect([service, /import\(["']\.[^"']*open-telemetry[^"']*["']\)/.test(sources)]).toEqual([service, true]);
    }
  });
});

/** The attempts of a delivery, once there are two. */
async function secondOf(traceId: string, attempt: string) {
  for (;;) {
    const attempts = (await traceWith(traceId, [attempt])).of(attempt);
    if (attempts.length >= 2) return attempts;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A bundled program with every chunk that it imports before it runs. */
async function loadedAtStart(file: string, known = new Set<string>()): Promise<{ file: string; source: string }[]> {
  if (known.has(file)) return [];
  known.add(file);
  const source = await readFile(file, 'utf8');
  const imported = [...source.matchAll(/^(?:import|export)\b[^;]*?["'](\.[^"']+)["'];/gm)].map(([, relative]) =>
    path.join(path.dirname(file), relative as string),
  );
  const below = await Promise.all(imported.filter(existsSync).map((one) => loadedAtStart(one, known)));
  return [{ file, source }, ...below.flat()];
}
