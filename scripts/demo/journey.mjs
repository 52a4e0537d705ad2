import { randomBytes } from 'node:crypto';
import { verifyWebhook } from '@crm/sdk';
import { client, eventually } from './client.mjs';
import { brokenPackage, embeddingPackage, examplePackage, REVIEW_PACKET, threeObjectPackage } from './packages.mjs';

/** @typedef {import('../platform/addresses.mjs').Addresses} Addresses */
/** @typedef {Awaited<ReturnType<typeof import('./receiver.mjs').startDemoReceiver>>} DemoReceiver */
/** @typedef {(what: string, answer: { status: number, body: any }, shown?: unknown) => void} Show */

const PASSWORD = 'correct-horse-battery-staple';
const OPERATOR = 'operator@platform.test';
/** The seeded password of the development profile. */
const OPERATOR_PASSWORD = PASSWORD;

/**
 * The platform's main job in eight steps, through public addresses only. It can be walked again and again.
 * @param {Addresses} addresses @param {DemoReceiver} receiver
 * @param {{ step: (number: number, title: string) => void, show: Show }} output
 * @returns what came back, for whoever wants to judge it (e2e/journey.spec.ts), and what the tenant has after it
 */
export async function walkJourney(addresses, receiver, { step, show }) {
  const suffix = randomBytes(4).toString('hex');
  const api = client(addresses.baseUrl);
  const admin = client(addresses.adminUrl);
  const embed = client(addresses.embedApiUrl);

  /** @param {string} email */
  const signIn = async (email) =>
    (await api('POST', '/api/auth/login', { body: { email, password: PASSWORD }, expect: 200 })).body.accessToken;
  /** @param {string} email @param {{ name: string, plan?: string }} workspace */
  const register = (email, workspace) =>
    api('POST', '/api/auth/register', {
      body: {
        email,
        password: PASSWORD,
        name: email.split('@')[0],
        workspace: { timeZone: 'Europe/Berlin', country: 'DE', ...workspace },
      },
      expect: 201,
    });

  step(1, 'A developer registers a workspace, signs in and refreshes');
  const developerEmail = `dev-${suffix}@acme.test`;
  show('POST /api/auth/register', await register(developerEmail, { name: `Acme ${suffix}` }));
  const login = await api('POST', '/api/auth/login', {
    body: { email: developerEmail, password: PASSWORD },
    expect: 200,
  });
  show('POST /api/auth/login', login, shortTokens(login.body));
  const refreshed = await api('POST', '/api/auth/refresh', {
    body: { refreshToken: login.body.refreshToken },
    expect: 200,
  });
  show('POST /api/auth/refresh', refreshed, shortTokens(refreshed.body));
  const developer = refreshed.body.accessToken;

  step(2, 'The developer certifies a package, then submits it');
  const appKey = `acme-visits-${suffix}`;
  const { manifest, reviewPacket } = await examplePackage(appKey);
  const certification = await api('POST', '/api/marketplace/developer/certifications', {
    token: developer,
    body: { manifest },
    expect: 200,
  });
  show('POST /api/marketplace/developer/certifications', certification, {
    passed: certification.body.passed,
    summary: certification.body.summary,
  });
  /** @param {object} submitted @param {object} [packet] */
  const submit = (submitted, packet = REVIEW_PACKET) =>
    api('POST', '/api/marketplace/developer/apps/submit', {
      token: developer,
      body: { manifest: submitted, reviewPacket: packet },
      expect: 201,
    });
  const submission = await submit(manifest, reviewPacket);
  show('POST /api/marketplace/developer/apps/submit', submission, { ...submission.body, certification: '…' });
  const refused = await api('POST', '/api/marketplace/developer/apps/submit', {
    token: developer,
    body: { manifest: brokenPackage(`broken-${suffix}`), reviewPacket: REVIEW_PACKET },
    expect: 422,
  });
  const findings = failing(refused.body.certification);
  show('POST …/submit (unknown scope, private target, unknown key)', refused, {
    accepted: refused.body.accepted,
    failing: findings.map((check) => check.id),
  });
  const own = await api('GET', '/api/marketplace/developer/apps', { token: developer, expect: 200 });
  show('GET /api/marketplace/developer/apps', own);

  step(3, 'An operator publishes it');
  const operator = (
    await admin('POST', '/api/auth/login', { body: { email: OPERATOR, password: OPERATOR_PASSWORD }, expect: 200 })
  ).body.accessToken;
  /** @param {string} submissionId */
  const publish = (submissionId) =>
    admin('POST', `/api/admin/submissions/${submissionId}/publish`, {
      token: operator,
      body: { reason: 'Reviewed for the demo' },
      expect: 200,
    });
  const queue = await admin('GET', '/api/admin/submissions?status=in_review', { token: operator, expect: 200 });
  const published = await publish(submission.body.submissionId);
  show('POST /api/admin/submissions/{id}/publish', published, { ...published.body, certification: '…' });

  step(4, 'A tenant installs it');
  const adminEmail = `admin-${suffix}@globex.test`;
  const tenant = await register(adminEmail, { name: `Globex ${suffix}`, plan: 'business' });
  const tenantAdmin = await signIn(adminEmail);
  const listing = await api('GET', `/api/marketplace/apps/${appKey}`, { token: tenantAdmin, expect: 200 });
  show(`GET /api/marketplace/apps/${appKey}`, listing);
  const sandbox = await api('POST', '/api/marketplace/installs', {
    token: developer,
    body: { appKey, sandbox: true },
    expect: 201,
  });
  show('POST /api/marketplace/installs (sandbox)', sandbox, { objects: sandbox.body.objects });
  const install = await api('POST', '/api/marketplace/installs', { token: tenantAdmin, body: { appKey }, expect: 201 });
  show('POST /api/marketplace/installs', install, redacted(install.body));
  const tooLarge = await submit(threeObjectPackage(`acme-three-${suffix}`));
  await publish(tooLarge.body.submissionId);
  const overLimit = await api('POST', '/api/marketplace/installs', {
    token: tenantAdmin,
    body: { appKey: `acme-three-${suffix}` },
    expect: 409,
  });
  show('POST /api/marketplace/installs (over the plan)', overLimit);
  const objects = await api('GET', '/api/crm/custom', { token: tenantAdmin, expect: 200 });
  show(
    'GET /api/crm/custom',
    objects,
    objects.body.data.map((/** @type {any} */ object) => object.apiName),
  );

  step(5, 'The tenant works with records');
  const { apiName } = install.body.objects[0];
  const records = `/api/crm/custom/${apiName}/records`;
  const record = await api('POST', records, {
    token: tenantAdmin,
    body: { title: 'Roof of the town hall', hours: 3, hourly_rate: 80 },
    expect: 201,
  });
  show(`POST ${records}`, record);
  const memberEmail = `member-${suffix}@globex.test`;
  await api('POST', '/api/tenant/users', {
    token: tenantAdmin,
    body: { email: memberEmail, name: 'Member', password: PASSWORD, roles: ['member'] },
    expect: 201,
  });
  const member = await signIn(memberEmail);
  const read = await api('GET', `${records}/${record.body.id}`, { token: member, expect: 200 });
  show(`GET ${records}/{id} (as member)`, read);
  const denied = await api('PATCH', `${records}/${record.body.id}`, {
    token: member,
    body: { hourly_rate: 1 },
    expect: 403,
  });
  show(`PATCH ${records}/{id} (hourly_rate, as member)`, denied);
  show(
    `PATCH ${records}/{id}`,
    await api('PATCH', `${records}/${record.body.id}`, { token: member, body: { hours: 4 }, expect: 200 }),
  );
  const list = await api('GET', `${records}?q=town`, { token: member, expect: 200 });
  show(`GET ${records}?q=town`, list);
  show(`DELETE ${records}/{id}`, await api('DELETE', `${records}/${record.body.id}`, { token: member, expect: 204 }));

  step(6, 'A lead is created and its event is delivered');
  const subscription = await api('POST', '/api/webhooks/subscriptions', {
    token: tenantAdmin,
    body: { events: ['lead.created'], url: `${addresses.demoReceiver.url}/demo`, description: 'the demo' },
    expect: 201,
  });
  show('POST /api/webhooks/subscriptions', subscription, { ...subscription.body, secret: 'whsec_…' });
  const lead = await api('POST', '/api/crm/leads', {
    token: member,
    body: {
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@analytical.example.com',
      companyName: 'Analytical Engines',
    },
    expect: 201,
  });
  show('POST /api/crm/leads', lead);
  const request = await eventually(
    async () => receiver.received.find(({ body }) => JSON.parse(body).data.id === lead.body.id),
    'the delivery',
  );
  const event = verifyWebhook(request.body, request.headers, subscription.body.secret);
  show('received over https, signature verified', { status: 204, body: event });
  const ledger = await eventually(async () => {
    const { body } = await api('GET', `/api/webhooks/deliveries?subscriptionId=${subscription.body.id}`, {
      token: tenantAdmin,
      expect: 200,
    });
    return body.data.find((/** @type {any} */ delivery) => delivery.status === 'delivered');
  }, 'the ledger entry');
  const delivery = await api('GET', `/api/webhooks/deliveries/${ledger.id}`, { token: tenantAdmin, expect: 200 });
  show('GET /api/webhooks/deliveries/{id}', delivery);

  step(7, 'An upstream system calls the inbound hook');
  const hook = new URL(install.body.hooks[0].url);
  const accepted = await api('POST', hook.pathname, { body: { subject: 'Leaking pipe', hours: 2 }, expect: 202 });
  show('POST {hook URL}', accepted);
  const run = await eventually(async () => {
    const { body } = await api('GET', `/api/crm/automations/runs/${accepted.body.runId}`, {
      token: tenantAdmin,
      expect: 200,
    });
    return ['succeeded', 'failed'].includes(body.status) && body;
  }, 'the run');
  show('GET /api/crm/automations/runs/{runId}', { status: 200, body: run });
  const made = await api('GET', `${records}?q=leaking`, { token: member, expect: 200 });
  show(`GET ${records}?q=leaking`, made);
  const [workflowId] = hook.pathname.split('/').slice(-2);
  const wrongSecret = await api('POST', hook.pathname.replace(/[^/]+$/, 'A'.repeat(22)), { body: {}, expect: 404 });
  const wrongId = await api('POST', hook.pathname.replace(String(workflowId), crypto.randomUUID()), {
    body: {},
    expect: 404,
  });
  show('POST with a wrong secret, and with a wrong id', wrongSecret);

  step(8, 'A host embeds the CRM');
  const embedding = embeddingPackage(`acme-embed-${suffix}`);
  await publish((await submit(embedding)).body.submissionId);
  const credentials = await api('POST', `/api/marketplace/developer/apps/${embedding.key}/embed-credentials`, {
    token: developer,
    expect: 201,
  });
  show(`POST …/apps/${embedding.key}/embed-credentials`, credentials, {
    clientId: credentials.body.clientId,
    clientSecret: '…',
  });
  const minted = await embed('POST', '/api/auth/v1/embed/sessions', {
    headers: { 'x-embed-key': credentials.body.clientId, 'x-embed-secret': credentials.body.clientSecret },
    body: {
      sub: `host-${suffix}`,
      email: `host-${suffix}@host.test`,
      name: 'Host User',
      scopes: ['leads', 'custom_objects'],
    },
    expect: 201,
  });
  show('POST {embed} /api/auth/v1/embed/sessions', minted, {
    ...minted.body,
    embed_token: `${minted.body.embed_token.slice(0, 16)}…`,
  });
  const embedded = await api('GET', `/api/crm/custom/${sandbox.body.objects[0].apiName}/records`, {
    token: minted.body.embed_token,
    expect: 200,
  });
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
    tenantId: tenant.body.tenant.id,
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
      developer,
      tenantAdmin,
      operator,
      refreshed.body.refreshToken,
      hook.pathname.slice(hook.pathname.lastIndexOf('/') + 1),
      subscription.body.secret,
      credentials.body.clientSecret,
      minted.body.embed_token,
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
