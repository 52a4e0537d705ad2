import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../scripts/demo/client.mjs';
import { REVIEW_PACKET } from '../scripts/demo/packages.mjs';
import { type Account, admin, api, newWorkspace, operatorToken } from './platform/accounts.js';
import { addresses } from './platform/addresses.js';
import { mailsTo } from './platform/mails.js';

/** A name that leads nowhere, of each app another: deliveries are attempted and wait for their next attempt. */
const urlOf = (key: string) => `https://${key}.acme.example.com/events`;
const WAITS = ['pending', 'retrying'];

/** An app of which something of every kind is in use. */
const dispatch = (key: string) => ({
  key,
  name: 'Dispatch',
  version: '1.0.0',
  kind: 'industry_app',
  permissions: ['custom_objects', 'automations', 'tasks', 'leads:read'],
  objects: [
    { apiName: 'job', label: 'Job', nameField: 'title', fields: [{ apiName: 'title', label: 'Title', type: 'text' }] },
  ],
  automations: [
    {
      key: 'incoming',
      name: 'Incoming',
      trigger: { type: 'webhook_received', payload: [{ name: 'title', type: 'text' }] },
      actions: [
        { type: 'wait', seconds: 1 },
        { type: 'create_record', object: 'job', values: { title: '{{title}}' } },
      ],
    },
    {
      key: 'on-lead',
      name: 'On a lead',
      trigger: { type: 'event', event: 'lead.created' },
      actions: [{ type: 'create_task', title: 'Call' }],
    },
  ],
  webhooks: [{ events: ['lead.created'], url: urlOf(key), description: 'leads' }],
});

/** What is seen of an app from outside, a second after an act. */
interface InUse {
  readonly token: number;
  readonly mint: number;
  readonly hook: number;
  /** True when a lead starts a run, and has a delivery. */
  readonly run: boolean;
  readonly delivery: boolean;
  /** A run that waits, and a delivery that waits for its next attempt. */
  readonly waitingRun: string;
  readonly queued: string;
  readonly newInstallation: number;
  readonly appStatus: string;
}

const GOES_ON: InUse = {
  token: 200,
  mint: 200,
  hook: 202,
  run: true,
  delivery: true,
  waitingRun: 'succeeded',
  queued: 'waits',
  newInstallation: 201,
  appStatus: 'published',
};
const ENDS: InUse = {
  token: 401,
  mint: 401,
  hook: 404,
  run: false,
  delivery: false,
  waitingRun: 'cancelled',
  queued: 'held',
  newInstallation: 409,
  appStatus: 'revoked',
};

/** The table of docs/operations/operators.md, "What an act ends". */
const TABLE: readonly [act: string, after: InUse, reinstated: InUse | null][] = [
  ['suspend', { ...GOES_ON, newInstallation: 409, appStatus: 'suspended' }, GOES_ON],
  ['revoke', ENDS, null],
  // The rest of what was queued is given up; the app may be installed by others.
  ['uninstall', { ...ENDS, queued: 'failed', newInstallation: 201, appStatus: 'published' }, null],
];

describe('what an act ends', () => {
  let developer: Account;
  let operator: string;
  beforeAll(async () => {
    [developer, operator] = [await newWorkspace(), await operatorToken()];
  });

  async function published(): Promise<string> {
    const appKey = `acme-ends-${randomBytes(4).toString('hex')}`;
    const { body } = await api('POST', '/api/marketplace/developer/apps/submit', {
      token: developer.token,
      body: { manifest: dispatch(appKey), reviewPacket: REVIEW_PACKET },
      expect: 201,
    });
    const publish = `/api/admin/submissions/${body.submissionId}/publish`;
    await admin('POST', publish, { token: operator, body: { reason: 'Reviewed' }, expect: 200 });
    return appKey;
  }

  async function installed(appKey: string) {
    const customer = await newWorkspace();
    const call = (method: string, path: string, body?: object) =>
      api(method, path, { token: customer.token, ...(body && { body }) });
    const { body } = await call('POST', '/api/marketplace/installs', { appKey });
    const { body: secret } = await call('POST', `/api/marketplace/installs/${body.id}/oauth-credentials`, {});
    const mint = async () => {
      const response = await fetch(`${addresses.baseUrl}/api/auth/oauth/token`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${secret.clientId}:${secret.clientSecret}`).toString('base64')}`,
        },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      return { status: response.status, token: ((await response.json()) as { access_token?: string }).access_token };
    };
    const hook = new URL(body.hooks[0].url).pathname;
    const post = () => api('POST', hook, { body: { title: 'A job' } });
    const lead = async () => (await call('POST', '/api/crm/leads', { lastName: 'Lovelace' })).body.id as string;
    const runs = async () => (await call('GET', '/api/crm/automations/runs?size=200')).body.data as { id: string }[];
    const deliveries = async () => {
      const path = `/api/webhooks/deliveries?subscriptionId=${body.subscriptions[0].id}`;
      return (await call('GET', path)).body.data as { id: string; status: string }[];
    };
    return { id: body.id as string, customer, call, mint, post, lead, runs, deliveries };
  }

  /** Something of each kind that is in use before an act. */
  async function inUse(app: Awaited<ReturnType<typeof installed>>) {
    const { token } = await app.mint();
    const own = await app.call('POST', '/api/webhooks/subscriptions', {
      events: ['lead.created'],
      url: 'https://hooks.customer.example.com/',
    });
    const before = (await app.runs()).length;
    await app.lead();
    const [queued] = await eventually(async () => {
      const found = await app.deliveries();
      return WAITS.includes(found[0]?.status ?? '') ? found : undefined;
    }, 'a delivery that waits');
    await eventually(async () => (await app.runs()).length > before, 'the run of the lead');
    return { token, own: own.body.id as string, queued: queued?.id, waiting: (await app.post()).body.runId as string };
  }

  async function seen(
    appKey: string,
    app: Awaited<ReturnType<typeof installed>>,
    { token, own, queued, waiting }: Awaited<ReturnType<typeof inUse>>,
  ): Promise<InUse> {
    const status = (await api('GET', '/api/crm/leads', { ...(token && { token }) })).status;
    const [mint, hook] = [(await app.mint()).status, (await app.post()).status];
    const before = { runs: (await app.runs()).length, deliveries: (await app.deliveries()).length };
    const events = async () =>
      (await app.call('GET', `/api/webhooks/deliveries?subscriptionId=${own}`)).body.data.length;
    const count = await events();
    await app.lead();
    // The event has been handled when the workspace's own subscription has it, and for runs when the waiting one has ended.
    await eventually(async () => (await events()) > count, 'a delivery of the lead');
    const run = await eventually(async () => {
      const { body } = await app.call('GET', `/api/crm/automations/runs/${waiting}`);
      return ['succeeded', 'failed', 'cancelled'].includes(body.status) ? body : undefined;
    }, 'the end of the run');
    const delivery = await app.call('GET', `/api/webhooks/deliveries/${queued}`);
    const customer = await newWorkspace();
    const installs = '/api/marketplace/installs';
    const other = await api('POST', installs, { token: customer.token, body: { appKey } });
    const installation = await app.call('GET', `${installs}/${app.id}`);
    return {
      token: status,
      mint,
      hook,
      run: (await app.runs()).length > before.runs,
      delivery: (await app.deliveries()).length > before.deliveries,
      waitingRun: run.status,
      queued: WAITS.includes(delivery.body.status) ? 'waits' : delivery.body.status,
      newInstallation: other.status,
      appStatus: installation.body.appStatus,
    };
  }

  it.each(TABLE)('%s', async (act, after, reinstated) => {
    const appKey = await published();
    const app = await installed(appKey);
    const used = await inUse(app);
    const decide = (decision: string) =>
      admin('POST', `/api/admin/apps/${appKey}/${decision}`, {
        token: operator,
        body: { reason: 'For the test' },
        expect: 200,
      });
    if (act === 'uninstall') await app.call('DELETE', `/api/marketplace/installs/${app.id}`);
    else await decide(act);
    // Within a second: anyone who sees something else asks again until then.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const shown = await seen(appKey, app, used);
    expect(shown).toEqual(after);
    if (act !== 'uninstall') {
      const subject = act === 'suspend' ? 'was suspended' : 'was revoked';
      const mails = await eventually(async () => {
        const found = (await mailsTo(app.customer.email)).filter((mail) => JSON.stringify(mail).includes(subject));
        return found.length > 0 ? found : undefined;
      }, 'a mail to the workspace');
      expect(mails).toHaveLength(1);
    }
    if (!reinstated) return;
    await decide('reinstate');
    expect(await seen(appKey, app, { ...used, ...(await inUse(app)) })).toEqual(reinstated);
  });
});
