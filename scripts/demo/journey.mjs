import { randomBytes } from 'node:crypto';
import { verifyWebhook } from '@crm/sdk';
import { client, eventually } from './client.mjs';
import { brokenPackage, embeddingPackage, examplePackage, REVIEW_PACKET, threeObjectPackage } from './packages.mjs';

/** @typedef {import('../platform/addresses.mjs').Addresses} Addresses */
/** @typedef {Awaited<ReturnType<typeof import('./receiver.mjs').startDemoReceiver>>} DemoReceiver */
/** @typedef {(what: string, answer: { status: number, body: any }) => void} Show */

/** Also that of the seeded operator. */
const PASSWORD = 'correct-horse-battery-staple';
const OPERATOR = 'operator@platform.test';

/** The platform's main job in eight steps, through public addresses only. It can be walked again and again.
 * @param {Addresses} addresses @param {DemoReceiver} receiver
 * @param {{ step: (number: number, title: string) => void, show: Show }} output
 * @returns what came back, for anyone who wants to judge it (e2e/journey.spec.ts), and what the tenant has after it */
export async function walkJourney(addresses, receiver, { step, show }) {
  const suffix = randomBytes(4).toString('hex');
  const [api, admin, embed] = [addresses.baseUrl, addresses.adminUrl, addresses.embedApiUrl].map(client);
  if (!api || !admin || !embed) throw new Error('Three addresses are called');
  /** @type {(token?: string, call?: ReturnType<typeof client>, tell?: Show) => (method: string, path: string, expect: number, body?: unknown) => ReturnType<ReturnType<typeof client>>} */
  const as =
    (token, call = api, tell = show) =>
    async (method, path, expect, body) => {
      const answer = await call(method, path, { token, body, expect });
      tell(`${method} ${path}`, answer);
      return answer;
    };
  const anybody = as();
  /** @param {string} email */
  const signIn = async (email, call = api) =>
    (await as(undefined, call)('POST', '/api/auth/login', 200, { email, password: PASSWORD })).body.accessToken;
  /** @param {string} email @param {{ name: string, plan?: string }} workspace */
  const register = (email, workspace) =>
    anybody('POST', '/api/auth/register', 201, {
      email,
      password: PASSWORD,
      name: email.split('@')[0],
      workspace: { timeZone: 'Europe/Berlin', country: 'DE', ...workspace },
    });

  step(1, 'A developer registers a workspace, signs in and refreshes');
  const email = `dev-${suffix}@acme.test`;
  await register(email, { name: `Acme ${suffix}` });
  const login = await anybody('POST', '/api/auth/login', 200, { email, password: PASSWORD });
  const refreshed = await anybody('POST', '/api/auth/refresh', 200, { refreshToken: login.body.refreshToken });
  const developerToken = refreshed.body.accessToken;
  const developer = as(developerToken);

  step(2, 'The developer certifies a package, then submits it');
  const ofDeveloper = '/api/marketplace/developer';
  const appKey = `acme-visits-${suffix}`;
  const { manifest, reviewPacket } = await examplePackage(appKey);
  const certification = await developer('POST', `${ofDeveloper}/certifications`, 200, { manifest });
  /** @param {object} submitted */
  const submit = (submitted, packet = REVIEW_PACKET, expect = 201) =>
    developer('POST', `${ofDeveloper}/apps/submit`, expect, { manifest: submitted, reviewPacket: packet });
  const submission = await submit(manifest, reviewPacket);
  // An unknown scope, a private target and an unknown key.
  const refused = await submit(brokenPackage(`broken-${suffix}`), REVIEW_PACKET, 422);
  const own = await developer('GET', `${ofDeveloper}/apps`, 200);

  step(3, 'An operator publishes it');
  const operatorToken = await signIn(OPERATOR, admin);
  const operator = as(operatorToken, admin);
  /** @param {string} submissionId */
  const publish = (submissionId) =>
    operator('POST', `/api/admin/submissions/${submissionId}/publish`, 200, { reason: 'Reviewed for the demo' });
  const queue = await operator('GET', '/api/admin/submissions?status=in_review', 200);
  await publish(submission.body.submissionId);

  step(4, 'A tenant installs it');
  const adminEmail = `admin-${suffix}@globex.test`;
  const { body: workspace } = await register(adminEmail, { name: `Globex ${suffix}`, plan: 'business' });
  const tenantAdmin = await signIn(adminEmail);
  const tenant = as(tenantAdmin);
  await tenant('GET', `/api/marketplace/apps/${appKey}`, 200);
  const installs = '/api/marketplace/installs';
  const sandbox = await developer('POST', installs, 201, { appKey, sandbox: true });
  const install = await tenant('POST', installs, 201, { appKey });
  // A package with more objects than the plan allows.
  await publish((await submit(threeObjectPackage(`acme-three-${suffix}`))).body.submissionId);
  const overLimit = await tenant('POST', installs, 409, { appKey: `acme-three-${suffix}` });
  const objects = await tenant('GET', '/api/crm/custom', 200);

  step(5, 'The tenant works with records');
  const records = `/api/crm/custom/${install.body.objects[0].apiName}/records`;
  const record = await tenant('POST', records, 201, { title: 'Roof of the town hall', hours: 3, hourly_rate: 80 });
  const user = { email: `member-${suffix}@globex.test`, name: 'Member', password: PASSWORD, roles: ['member'] };
  await tenant('POST', '/api/tenant/users', 201, user);
  const member = as(await signIn(user.email));
  const address = `${records}/${record.body.id}`;
  const read = await member('GET', address, 200);
  // Members may not write that field.
  const denied = await member('PATCH', address, 403, { hourly_rate: 1 });
  await member('PATCH', address, 200, { hours: 4 });
  const list = await member('GET', `${records}?q=town`, 200);
  await member('DELETE', address, 204);

  step(6, 'A lead is created and its event is delivered');
  const target = { events: ['lead.created'], url: `${addresses.demoReceiver.url}/demo`, description: 'the demo' };
  const subscription = await tenant('POST', '/api/webhooks/subscriptions', 201, target);
  const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@analytical.example.com' };
  const lead = await member('POST', '/api/crm/leads', 201, { ...ada, companyName: 'Analytical Engines' });
  const isAboutLead = (/** @type {{ body: string }} */ { body }) => JSON.parse(body).data.id === lead.body.id;
  const request = await eventually(async () => receiver.received.find(isAboutLead), 'the delivery');
  const event = verifyWebhook(request.body, request.headers, subscription.body.secret);
  show('received over https, signature verified', { status: 204, body: event });
  // What is asked for again and again is not shown.
  const waiting = as(tenantAdmin, api, () => undefined);
  const ledger = await eventually(async () => {
    const { body } = await waiting('GET', `/api/webhooks/deliveries?subscriptionId=${subscription.body.id}`, 200);
    return body.data.find((/** @type {any} */ delivery) => delivery.status === 'delivered');
  }, 'the ledger entry');
  const delivery = await tenant('GET', `/api/webhooks/deliveries/${ledger.id}`, 200);

  step(7, 'An upstream system calls the inbound hook');
  const { pathname: hook } = new URL(install.body.hooks[0].url);
  const [workflowId = '', hookSecret = ''] = hook.split('/').slice(-2);
  const accepted = await anybody('POST', hook, 202, { subject: 'Leaking pipe', hours: 2 });
  const run = await eventually(async () => {
    const { body } = await waiting('GET', `/api/crm/automations/runs/${accepted.body.runId}`, 200);
    return ['succeeded', 'failed'].includes(body.status) && body;
  }, 'the run');
  show('GET /api/crm/automations/runs/{runId}', { status: 200, body: run });
  const made = await member('GET', `${records}?q=leaking`, 200);
  const wrongSecret = await anybody('POST', hook.replace(hookSecret, 'A'.repeat(22)), 404, {});
  const wrongId = await anybody('POST', hook.replace(workflowId, crypto.randomUUID()), 404, {});

  step(8, 'A host embeds the CRM');
  const embedding = embeddingPackage(`acme-embed-${suffix}`);
  await publish((await submit(embedding)).body.submissionId);
  const credentials = await developer('POST', `${ofDeveloper}/apps/${embedding.key}/embed-credentials`, 201);
  const { clientId, clientSecret } = credentials.body;
  const minted = await embed('POST', '/api/auth/v1/embed/sessions', {
    headers: { 'x-embed-key': clientId, 'x-embed-secret': clientSecret },
    body: {
      sub: `host-${suffix}`,
      email: `host-${suffix}@host.test`,
      name: 'Host User',
      scopes: ['leads', 'custom_objects'],
    },
    expect: 201,
  });
  const embedToken = minted.body.embed_token;
  show('POST /api/auth/v1/embed/sessions', minted);
  const ofSandbox = `/api/crm/custom/${sandbox.body.objects[0].apiName}/records`;
  const embedded = await as(embedToken)('GET', ofSandbox, 200);

  return {
    /** The answers of the platform in the order of the steps. */
    answers: {
      certification,
      submission,
      refused,
      own,
      queue,
      sandbox,
      install,
      overLimit,
      objects,
      record,
      read,
      denied,
      list,
      accepted,
      made,
      wrongSecret,
      wrongId,
      minted,
      embedded,
    },
    /** What was waited for: the event of the delivery, which the receiver verified, and the run as it ended. */
    delivered: { event, leadId: lead.body.id },
    run,
    appKey,
    tenantId: workspace.tenant.id,
    tenantAdmin,
    /** Everything of the tenant that has an address of its own. */
    resources: [
      `${records}/${made.body.data[0].id}`,
      `/api/crm/leads/${lead.body.id}`,
      `/api/marketplace/installs/${install.body.id}`,
      `/api/webhooks/subscriptions/${subscription.body.id}`,
      `/api/webhooks/deliveries/${delivery.body.id}`,
      `/api/crm/automations/workflows/${workflowId}`,
      `/api/crm/automations/runs/${accepted.body.runId}`,
    ],
    /** What must be written down nowhere in the clear. */
    secrets: [
      PASSWORD,
      developerToken,
      tenantAdmin,
      operatorToken,
      refreshed.body.refreshToken,
      hookSecret,
      subscription.body.secret,
      clientSecret,
      embedToken,
    ],
  };
}
