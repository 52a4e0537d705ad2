import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { verifyWebhook } from '@crm/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../scripts/demo/client.mjs';
import { REVIEW_PACKET } from '../scripts/demo/packages.mjs';
import { USERS_NODE } from '../scripts/setup/node.mjs';
import { type Account, api, newWorkspace } from './platform/accounts.js';
import { addresses, pidOf } from './platform/addresses.js';

const PROGRAM = path.join(import.meta.dirname, '../apps/cli/bin/crm-dev.mjs');

/** A run of the command as a developer starts it. */
class Run {
  out = '';
  err = '';
  readonly child: ChildProcess;
  /** The exit status. */
  readonly ended: Promise<number>;

  constructor(token: string, args: readonly string[]) {
    this.child = spawn(USERS_NODE, [PROGRAM, ...args], {
      env: { ...process.env, NODE_OPTIONS: '', CRM_BASE_URL: addresses.baseUrl, CRM_TOKEN: token },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.out += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.err += text;
    });
    this.ended = once(this.child, 'close').then(([status]) => status as number);
  }
}

describe('crm-dev listen and trigger', () => {
  const appKey = `acme-listen-${randomBytes(4).toString('hex')}`;
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const local = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(204).end();
  });
  let developer: Account;
  let secret: string;
  let listening: Run;

  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      local.listen(0, '127.0.0.1', resolve);
    });
    developer = await newWorkspace('developer');
    const { token } = developer;
    const manifest = {
      key: appKey,
      name: 'Listens',
      version: '1.0.0',
      kind: 'event_service',
      permissions: [{ scope: 'leads:read', purpose: 'greets new leads' }],
      // Nothing answers there: while an app is written there is no endpoint yet.
      webhooks: [{ events: ['lead.*'], url: 'https://hooks.acme.example.com/leads', description: 'new leads' }],
    };
    const call = { token, expect: 201 };
    await api('POST', '/api/marketplace/developer/apps/submit', {
      ...call,
      body: { manifest, reviewPacket: REVIEW_PACKET },
    });
    await api('POST', '/api/marketplace/installs', { ...call, body: { appKey, sandbox: true } });
    const rotated = await api('POST', `/api/marketplace/developer/apps/${appKey}/webhook-secret`, call);
    secret = rotated.body.secret;
    const target = `http://127.0.0.1:${(local.address() as AddressInfo).port}/hooks`;
    listening = new Run(token, ['listen', appKey, '--forward', target]);
    await eventually(async () => listening.err.includes('Listening for'), 'the session begins');
  });
  afterAll(async () => {
    listening?.child.kill('SIGKILL');
    local.closeAllConnections();
    local.close();
  });

  const createLead = async (lastName: string): Promise<string> =>
    (await api('POST', '/api/crm/leads', { token: developer.token, body: { lastName }, expect: 201 })).body.id;
  /** The event of a lead, when the local program has it. */
  const forwarded = async (leadId: string) => {
    const find = () => received.find(({ body }) => body.includes(leadId));
    await eventually(async () => find() !== undefined, `the event of ${leadId} is forwarded`);
    const { body, headers } = find() as (typeof received)[number];
    return verifyWebhook(body, headers, secret);
  };

  it('brings the events of the workspace to a program on the developer’s machine, signed', async () => {
    const leadId = await createLead('Lovelace');
    expect(await forwarded(leadId)).toMatchObject({ type: 'lead.created', data: { id: leadId } });
    await eventually(async () => /lead\.created \S+ → 204 \(\d+ ms\)\n/.test(listening.out), 'the answer is printed');
  });

  it('goes on by itself after the dispatcher was killed, without a gap', async () => {
    process.kill(await pidOf('webhook-dispatcher'), 'SIGKILL');
    const leadId = await createLead('Hopper');
    expect(await forwarded(leadId)).toMatchObject({ data: { id: leadId } });
  });

  it('brings a sample event, which becomes no record and whose endpoint does not answer', async () => {
    const trigger = new Run(developer.token, ['trigger', 'lead.deleted', appKey]);
    expect([await trigger.ended, trigger.err]).toEqual([1, '']);
    expect(trigger.out).toMatch(/^lead\.deleted \S+ → https:\/\/hooks\.acme\.example\.com\/leads failed: dns, /);
    const eventId = trigger.out.split(' ')[1] as string;
    await eventually(async () => listening.out.includes(`lead.deleted ${eventId} → 204`), 'it is forwarded');
    const sent = received.find(({ headers }) => headers['webhook-id'] === eventId);
    expect(verifyWebhook(sent?.body ?? '', sent?.headers ?? {}, secret)).toMatchObject({
      type: 'lead.deleted',
      tenantId: developer.tenantId,
    });
  });

  it('is for the publisher of the app', async () => {
    const stranger = await newWorkspace('developer');
    for (const args of [
      ['listen', appKey],
      ['trigger', 'lead.created', appKey],
    ]) {
      const run = new Run(stranger.token, args);
      expect([await run.ended, run.out, run.err]).toEqual([2, '', expect.stringContaining('returned 404')]);
    }
  });

  it('ends at Ctrl-C', async () => {
    listening.child.kill('SIGINT');
    expect(await listening.ended).toBe(0);
    expect(listening.err).toMatch(/Stopped\.\n$/);
  });
});
