import { randomBytes } from 'node:crypto';
import { verifyWebhook } from '@crm/sdk';
import { client, eventually } from './client.mjs';
import { brokenPackage, embeddingPackage, examplePackage, REVIEW_PACKET, threeObjectPackage } from './packages.mjs';

/** @typedef {import('../platform/addresses.mjs').Addresses} Addresses */
/** @typedef {Awaited<ReturnType<typeof import('./receiver.mjs').startDemoReceiver>>} DemoReceiver */
/** @typedef {(what: string, answer: { status: number, body: any }, shown?: unknown) => void} Show */

/** Also that of the seeded operator. */
const PASSWORD = 'correct-horse-battery-staple';
const OPERATOR = 'operator@platform.test';

/** The platform's main job in eight steps, through public addresses only. It can be walked again and again.
 * @param {Addresses} addresses @param {DemoReceiver} receiver
 * @param {{ step: (number: number, title: string) => void, show: Show }} output
 * @returns what came back, for whoever wants to judge it (e2e/journey.spec.ts), and what the tenant has after it */
export async function walkJourney(addresses, receiver, { step, show }) {
  const suffix = randomBytes(4).toString('hex');
  const [api, admin, embed] = [addresses.baseUrl, addresses.adminUrl, addresses.embedApiUrl].map(client);
  if (!api || !admin || !embed) throw new Error('Three addresses are called');
  /** @type {(token?: string, call?: ReturnType<typeof client>) => (method: string, path: string, expect: number, body?: unknown) => ReturnType<ReturnType<typeof client>>} */
  const as =
    (token, call = api) =>
    (method, path, expect, body) =>
      call(method, path, { token, body, expect });
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
  show('POST /api/auth/register', await register(email, { name: `Acme ${suffix}` }));
  const login = await anybody('POST', '/api/auth/login', 200, { email, password: PASSWORD });
  show('POST /api/auth/login', login, shortTokens(login.body));
  const refreshed = await anybody('POST', '/api/auth/refresh', 200, { refreshToken: login.body.refreshToken });
  show('POST /api/auth/refresh', refreshed, shortTokens(refreshed.body));
  const developerToken = refreshed.body.accessToken;
  const developer = as(developerToken);

  step(2, 'The developer certifies a package, then submits it');
  const ofDeveloper = '/api/marketplace/developer';
  const appKey = `acme-visits-${suffix}`;
  const { manifest, reviewPacket } = await examplePackage(appKey);
  const certification = await developer('POST', `${ofDeveloper}/certifications`, 200, { manifest });
  const { passed, summary } = certification.body;
  show(`POST ${ofDeveloper}/certifications`, certification, { passed, summary });
  /** @param {object} submitted */
  const submit = (submitted, packet = REVIEW_PACKET, expect = 201) =>
    developer('POST', `${ofDeveloper}/apps/submit`, expect, { manifest: submitted, reviewPacket: packet });
  const submission = await submit(manifest, reviewPacket);
  show(`POST ${ofDeveloper}/apps/submit`, submission, { ...submission.body, certification: '…' });
  const refused = await submit(brokenPackage(`broken-${suffix}`), REVIEW_PACKET, 422);
  const { accepted: isAccepted, certification: findings } = refused.body;
  show('POST …/submit (unknown scope, private target, unknown key)', refused, {
    accepted: isAccepted,
    failing: failing(findings).map(({ id }) => id),
  });
  const own = await developer('GET', `${ofDeveloper}/apps`, 200);
  show(`GET ${ofDeveloper}/apps`, own);

  step(3, 'An operator publishes it');
  const operatorToken = await signIn(OPERATOR, admin);
  const operator = as(operatorToken, admin);
  /** @param {string} submissionId */
  const publish = (submissionId) =>
    operator('POST', `/api/admin/submissions/${submissionId}/publish`, 200, { reason: 'Reviewed for the demo' });
  const queue = await operator('GET', '/api/admin/submissions?status=in_review', 200);
  const published = await publish(submission.body.submissionId);
  show('POST /api/admin/submissions/{id}/publish', published, { ...published.body, certification: '…' });

  step(4, 'A tenant installs it');
  const adminEmail = `admin-${suffix}@globex.test`;
  const { body: workspace } = await register(adminEmail, { name: `Globex ${suffix}`, plan: 'business' });
  const tenantAdmin = await signIn(adminEmail);
  const tenant = as(tenantAdmin);
  show(`GET /api/marketplace/apps/${appKey}`, await tenant('GET', `/api/marketplace/apps/${appKey}`, 200));
  const installs = '/api/marketplace/installs';
  const sandbox = await developer('POST', installs, 201, { appKey, sandbox: true });
  show(`POST ${installs} (sandbox)`, sandbox, { objects: sandbox.body.objects });
  const install = await tenant('POST', installs, 201, { appKey });
  show(`POST ${installs}`, install, redacted(install.body));
  await publish((await submit(threeObjectPackage(`acme-three-${suffix}`))).body.submissionId);
  const overLimit = await tenant('POST', installs, 409, { appKey: `acme-three-${suffix}` });
  show(`POST ${installs} (over the plan)`, overLimit);
  const objects = await tenant('GET', '/api/crm/custom', 200);
  const namesOf = (/** @type {any[]} */ all) => all.map((object) => object.apiName);
  show('GET /api/crm/custom', objects, namesOf(objects.body.data));

  step(5, 'The tenant works with records');
  const records = `/api/crm/custom/${install.body.objects[0].apiName}/records`;
  const record = await tenant('POST', records, 201, { title: 'Roof of the town hall', hours: 3, hourly_rate: 80 });
  show(`POST ${records}`, record);
  const user = { email: `member-${suffix}@globex.test`, name: 'Member', password: PASSWORD, roles: ['member'] };
  await tenant('POST', '/api/tenant/users', 201, user);
  const member = as(await signIn(user.email));
  const address = `${records}/${record.body.id}`;
  const read = await member('GET', address, 200);
  show(`GET ${records}/{id} (as member)`, read);
  const denied = await member('PATCH', address, 403, { hourly_rate: 1 });
  show(`PATCH ${records}/{id} (hourly_rate, as member)`, denied);
  show(`PATCH ${records}/{id}`, await member('PATCH', address, 200, { hours: 4 }));
  const list = await member('GET', `${records}?q=town`, 200);
  show(`GET ${records}?q=town`, list);
  show(`DELETE ${records}/{id}`, await member('DELETE', address, 204));

  step(6, 'A lead is created and its event is delivered');
  const target = { events: ['lead.created'], url: `${addresses.demoReceiver.url}/demo`, description: 'the demo' };
  const subscription = await tenant('POST', '/api/webhooks/subscriptions', 201, target);
  show('POST /api/webhooks/subscriptions', subscription, { ...subscription.body, secret: 'whsec_…' });
  const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@analytical.example.com' };
  const lead = await member('POST', '/api/crm/leads', 201, { ...ada, companyName: 'Analytical Engines' });
  show('POST /api/crm/leads', lead);
  const isAboutLead = (/** @type {{ body: string }} */ { body }) => JSON.parse(body).data.id === lead.body.id;
  const request = await eventually(async () => receiver.received.find(isAboutLead), 'the delivery');
  const event = verifyWebhook(request.body, request.headers, subscription.body.secret);
  show('received over https, signature verified', { status: 204, body: event });
  const ledger = await eventually(async () => {
    const { body } = await tenant('GET', `/api/webhooks/deliveries?subscriptionId=${subscription.body.id}`, 200);
    return body.data.find((/** @type {any} */ delivery) => delivery.status === 'delivered');
  }, 'the ledger entry');
  const delivery = await tenant('GET', `/api/webhooks/deliveries/${ledger.id}`, 200);
  show('GET /api/webhooks/deliveries/{id}', delivery);

  step(7, 'An upstream system calls the inbound hook');
  const { pathname: hook } = new URL(install.body.hooks[0].url);
  const [workflowId = '', hookSecret = ''] = hook.split('/').slice(-2);
  const accepted = await anybody('POST', hook, 202, { subject: 'Leaking pipe', hours: 2 });
  show('POST {hook URL}', accepted);
  const run = await eventually(async () => {
    const { body } = await tenant('GET', `/api/crm/automations/runs/${accepted.body.runId}`, 200);
    return ['succeeded', 'failed'].includes(body.status) && body;
  }, 'the run');
  show('GET /api/crm/automations/runs/{runId}', { status: 200, body: run });
  const made = await member('GET', `${records}?q=leaking`, 200);
  show(`GET ${records}?q=leaking`, made);
  const wrongSecret = await anybody('POST', hook.replace(hookSecret, 'A'.repeat(22)), 404, {});
  const wrongId = await anybody('POST', hook.replace(workflowId, crypto.randomUUID()), 404, {});
  show('POST with a wrong secret, and with a wrong id', wrongSecret);

  step(8, 'A host embeds the CRM');
  const embedding = embeddingPackage(`acme-embed-${suffix}`);
  await publish((await submit(embedding)).body.submissionId);
  const credentials = await developer('POST', `${ofDeveloper}/apps/${embedding.key}/embed-credentials`, 201);
  const { clientId, clientSecret } = credentials.body;
  show(`POST …/apps/${embedding.key}/embed-credentials`, credentials, { clientId, clientSecret: '…' });
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
  show('POST {embed} /api/auth/v1/embed/sessions', minted, {
    ...minted.body,
    embed_token: `${embedToken.slice(0, 16)}…`,
  });
  const ofSandbox = `/api/crm/custom/${sandbox.body.objects[0].apiName}/records`;
  const embedded = await as(embedToken)('GET', ofSandbox, 200);
  show('GET records with the embed token', embedded);

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

/** @param {{ checks: { id: string, status: string, severity: string }[] }} certification */
const failing = (certification) =>
  certification.checks.filter(({ status, severity }) => status === 'fail' && severity === 'blocker');

/** @param {Record<string, unknown>} body */
const shortTokens = (body) => ({
  ...body,
  accessToken: `${String(body.accessToken).slice(0, 16)}…`,
  refreshToken: `${String(body.refreshToken).slice(0, 6)}…`,
});

/** The secret in a hook's address is not for a screen. @param {any} install */
const redacted = (install) => ({
  ...install,
  hooks: install.hooks.map((/** @type {any} */ hook) => ({ ...hook, url: hook.url.replace(/[^/]+$/, '…') })),
});
