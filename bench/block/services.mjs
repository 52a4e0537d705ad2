// What one workspace can make of the other services, each with a table of its calls.
import { rpc, SCOPE_NAMES, TENANT_ROLES } from '@crm/contracts';
import { newId } from '@crm/database';
import { CREDENTIALS_BODY_LIMIT, DEFAULT_BODY_LIMIT, MAX_PAGE_SIZE } from '@crm/http';
import { LONGEST_AUTOMATION } from '@crm/manifest';
import { inRoot } from '../../scripts/root.mjs';
import { startSource } from '../webhook-source.mjs';
import { blockRows, caller, watched } from './blocks.mjs';
import { limitOf } from './limits.mjs';
import { choice, formula, largestPackage, longestCondition, plain } from './packages.mjs';

/** @typedef {import('../lab.mjs').Lab} Lab */
/** @typedef {import('./blocks.mjs').Calls} Calls */

/** Below the longest body, for what is around the part that grows. */
const LONG_BODY = DEFAULT_BODY_LIMIT - 20_000;
const UNBOUNDED = {
  RATE_LIMIT_PRINCIPAL: '1000000',
  HOOK_CALLS_PER_TEN_SECONDS: '1000000',
  RUNS_PER_MINUTE: '1000000',
};
const times = (/** @type {number} */ count, /** @type {(index: number) => unknown} */ make) =>
  Array.from({ length: count }, (_, index) => make(index));
/** @param {string} start of each name @param {number} count @param {unknown} value */
const namedBy = (start, count, value) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${start}${index}`, value]));
/** @param {string} path @param {unknown} body @param {number} [status] */
const post = (path, body, status) => ({ method: 'POST', path, body, status });

/** @param {Lab} lab */
export async function otherServices(lab) {
  await lab.playIdentity();
  const rows = [];
  for (const rowsOf of [certification, automations, webhooks, gateway, identity]) rows.push(...(await rowsOf(lab)));
  return rows;
}

/** @param {Lab} lab */
export async function certification(lab) {
  const { environment } = await lab.database('marketplace-certification');
  await lab.answer(rpc.identity.mintInternalToken, () => ({ token: lab.sign(), expiresIn: 60 }));
  for (const contract of [rpc.identity.updateOAuthApp, rpc.identity.registerOAuthInstallation]) {
    await lab.answer(contract, () => ({}));
  }
  const named = (/** @type {{ apiName: string }} */ { apiName }) => ({ declaredApiName: apiName, apiName });
  await lab.answer(rpc.customObjects.provisionObjects, ({ objects }) => ({ objects: objects.map(named) }));
  await lab.answer(rpc.automations.listHooks, () => ({ hooks: [] }));
  const service = await watched(lab, 'marketplace-certification', environment);
  const send = caller(lab);
  const [developer, installs] = ['/api/marketplace/developer', '/api/marketplace/installs'];
  const attested = { demoVideo: 'https://acme.example/demo', sandboxAttestation: 'Tried in a sandbox.' };
  const reviewPacket = {
    ...attested,
    securityQuestionnaire: { storesPersonalData: 'no' },
    testInstructions: 'Make a record.',
  };
  const wrong = (/** @type {number} */ index) => ({ apiName: `f${index}`, type: `t${index}`, expression: '((' });
  const key = (/** @type {string} */ what) => `large-${what}`;
  /** @type {Record<string, Calls[string]>} */
  const calls = {};
  for (const [what, field] of /** @type {const} */ ([
    ['formulas', formula],
    ['fields', plain],
    ['options', choice],
  ])) {
    calls[`the most ${what} certified`] = () =>
      post(`${developer}/certifications`, { manifest: largestPackage(field, key(what)) });
    calls[`the most ${what} submitted`] = (round) =>
      post(`${developer}/apps/submit`, {
        manifest: { ...largestPackage(field, key(what)), version: `1.${round}.0` },
        reviewPacket,
      });
    calls[`a version of the most ${what}`] = () => ({ path: `${developer}/apps/${key(what)}/versions/1.1.0` });
    calls[`the most ${what} installed`] = (round) =>
      post(installs, { appKey: key(what), version: `1.${round}.0`, sandbox: true });
  }
  return blockRows(service, send, {
    ...calls,
    'the most wrong fields certified': () =>
      post(`${developer}/certifications`, { manifest: largestPackage(wrong, key('wrong')) }),
    'apps listed': () => ({ path: `${developer}/apps` }),
    'installations listed': () => ({ path: installs }),
  });
}

/** @param {Lab} lab */
export async function automations(lab) {
  const { environment } = await lab.database('automation-hooks');
  const limit = (/** @type {string} */ file, /** @type {string} */ name) =>
    limitOf(`automation-hooks/src/${file}`, name);
  const actionCount = await limit('workflow/workflow-validation.ts', 'MAX_ACTIONS');
  const keyCount = await limit('workflow/workflow-validation.ts', 'MAX_PAYLOAD_KEYS');
  const hookBytes = await limit('hook-call/hook-call.controller.ts', 'MAX_BODY_BYTES');
  const workflowCount = await limit('config.ts', "WORKFLOWS_PER_TENANT', { default");
  await lab.answer(rpc.customObjects.createRecord, () => ({ id: newId() }));
  const service = await watched(lab, 'automation-hooks', { ...environment, ...UNBOUNDED });
  const send = caller(lab);
  const [workflows, runs] = ['/api/crm/automations/workflows', '/api/crm/automations/runs'];
  /** @param {string} text of each value @param {number} [characters] */
  const actions = (text, characters = LONGEST_AUTOMATION - 12_000) => {
    const count = Math.floor(characters / actionCount / (text.length + 12));
    const values = namedBy('v', count, text);
    return times(actionCount, () => ({ type: 'create_record', object: 'lead', values }));
  };
  const payload = times(keyCount, (index) => ({ name: `key_${index}`, type: 'text' }));
  const trigger = { type: 'webhook_received', payload };
  const condition = longestCondition('key_0');
  const large = { name: 'Large', trigger, condition, actions: actions('{{key_0}} {{key_1}}') };
  const { hookUrl } = await send(service, post(workflows, { ...large, actions: actions('{{key_0.a}}') }));
  for (let count = 1; count < workflowCount - 10; count += 1) {
    await send(service, post(workflows, { ...large, name: `Workflow ${count}` }));
  }
  const hook = new URL(hookUrl).pathname;
  const body = {
    key_0: 'x'.repeat(1000),
    rest: namedBy('k', hookBytes / 14, 1),
  };
  return blockRows(service, send, {
    'a workflow of the most actions and values': () => post(workflows, large),
    'a workflow of nothing but mistakes': () => post(workflows, { ...large, actions: actions('{{') }, 422),
    'the most workflows listed': () => ({ path: `${workflows}?size=${MAX_PAGE_SIZE}` }),
    'a hook call of the most keys, and its run': () => post(hook, body),
    'a hook call of the longest text': () => post(hook, { key_0: 'x'.repeat(hookBytes - 100) }),
    'runs listed': () => ({ path: `${runs}?size=${MAX_PAGE_SIZE}` }),
  });
}

/** @param {Lab} lab */
export async function webhooks(lab) {
  const { environment, admin } = await lab.database('webhook-dispatcher');
  const limit = (/** @type {string} */ file, /** @type {string} */ name) =>
    limitOf(`webhook-dispatcher/src/${file}`, name);
  const subscriptionCount = await limit('config.ts', "SUBSCRIPTIONS_PER_TENANT', { default");
  const headerCount = await limit('subscriptions/custom-headers.ts', 'MAX_HEADERS');
  const headerBytes = await limit('subscriptions/custom-headers.ts', 'MAX_TOTAL_BYTES');
  const source = await startSource(lab);
  source.startRelay();
  const service = await watched(lab, 'webhook-dispatcher', environment);
  const tenantId = newId();
  const send = caller(lab, tenantId);
  const path = '/api/webhooks/subscriptions';
  const value = 'x'.repeat(headerBytes / headerCount - 20);
  const headers = Object.fromEntries(times(headerCount, (index) => `x-header-${index}`).map((name) => [name, value]));
  const filter = longestCondition('status').replace('>', '<');
  const events = (await send(service, { path: '/api/webhooks/event-types' })).data.map(
    (/** @type {{ name: string }} */ { name }) => name,
  );
  let id = '';
  for (let count = 0; count < subscriptionCount; count += 1) {
    ({ id } = await send(
      service,
      post(path, { events: ['lead.*'], url: `https://hooks.acme-dispatch.com/${count}`, filter, headers }),
    ));
  }
  await admin.query(
    `INSERT INTO delivery (tenant_id, id, subscription_id, event_id, event, url, status, attempts)
     SELECT $1, uuidv7(), $2, uuidv7(), 'lead.created', 'https://hooks.acme-dispatch.com/' || repeat('x', 2000), 'delivered', 1 FROM generate_series(1, $3)`,
    [tenantId, id, MAX_PAGE_SIZE],
  );
  return blockRows(service, send, {
    'a subscription to all events, the longest filter': (round) => ({
      method: 'PATCH',
      path: `${path}/${id}`,
      body: { events, filter: filter.replace('1+', `${round}+`), headers },
    }),
    'the most subscriptions listed': () => ({ path: `${path}?size=${MAX_PAGE_SIZE}` }),
    'event types listed': () => ({ path: '/api/webhooks/event-types' }),
    'deliveries listed': () => ({ path: `/api/webhooks/deliveries?size=${MAX_PAGE_SIZE}` }),
    'deliveries counted': () => ({ path: '/api/webhooks/stats' }),
    'fifty events to the most subscriptions with filters': () => ({ act: () => source.commitAll([tenantId], 50) }),
  });
}

/** @param {Lab} lab */
export async function identity(lab) {
  const { environment, admin } = await lab.database('identity');
  const service = await watched(lab, 'identity', { ...environment, ...UNBOUNDED });
  const person = { email: 'owner@bench.test', password: 'tidal-lantern-orbits-quietly' };
  let token = '';
  const send = caller(lab, undefined, () => token);
  await send(service, post('/api/auth/register', { ...person, name: 'Ada Lovelace', workspace: { name: 'Bench' } }));
  await admin.query("UPDATE tenant SET verified_at = now(), plan = 'enterprise'");
  ({ accessToken: token } = await send(service, post('/api/auth/login', person)));
  const { tenantId } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(), (key, value) =>
    key === '' ? { tenantId: value.tid } : value,
  );
  const roles = times(20, (index) => `role_${index}`.padEnd(40, 'x'));
  await admin.query(
    `INSERT INTO app_user (tenant_id, id, email, name, roles, status, origin)
     SELECT $1, uuidv7(), 'user-' || i || '@bench.test', repeat('x', 200), $2, 'active', 'administrator' FROM generate_series(1, 5000) i`,
    [tenantId, roles],
  );
  const ids = (await admin.query('SELECT id FROM app_user LIMIT $1', [MAX_PAGE_SIZE])).rows.map((row) => row.id);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const parameters = times(CREDENTIALS_BODY_LIMIT / 4 - 10, (index) => `${index % 10}=1`).join('&');
  const provider = {
    name: 'x'.repeat(60),
    issuer: `https://${'x'.repeat(60)}.example/${'x'.repeat(400)}`,
    scopes: times(20, (index) => `s${index}`.padEnd(100, 'x')),
  };
  return blockRows(service, send, {
    'a user of the most roles added': (round) =>
      post('/api/tenant/users', {
        email: `new-${round}@bench.test`,
        name: 'x'.repeat(200),
        roles: [TENANT_ROLES.at(-1), ...roles.slice(1)],
      }),
    'users listed': () => ({ path: `/api/tenant/users?size=${MAX_PAGE_SIZE}` }),
    'the most users by their ids': () => ({
      path: `/api/tenant/users?size=${MAX_PAGE_SIZE}&${ids.map((id) => `ids=${id}`).join('&')}`,
    }),
    'users searched': () => ({ path: `/api/tenant/users?size=${MAX_PAGE_SIZE}&q=${'x'.repeat(100)}` }),
    'an API key of the most scopes': (round) =>
      post('/api/auth/api-keys', { name: `Key ${round}`, scopes: SCOPE_NAMES }),
    'an identity provider of the longest texts': () => post('/api/tenant/identity-providers', provider, 422),
    'the sign-in policy': () => ({ path: '/api/tenant/sign-in-policy' }),
    'a sign-in': () => post('/api/auth/login', person),
    'a token asked for with the most parameters': () => ({
      ...post('/api/auth/oauth/token', parameters, 400),
      headers: form,
    }),
    'the session that a page has': () => ({ path: '/api/auth/me' }),
    'the audit trail listed': () => ({ path: `/api/admin/audit?size=${MAX_PAGE_SIZE}` }),
    'the audit trail exported': () => ({
      path: `/api/admin/audit/export?from=${new Date(Date.now() - 86_400_000).toISOString()}&to=${new Date().toISOString()}&format=csv`,
      status: 200,
    }),
    'the usage': () => ({ path: '/api/tenant/usage', status: 503 }),
  });
}

/** @param {Lab} lab */
export async function gateway(lab) {
  const upstream = await lab.constantService();
  const environment = {
    IDENTITY_URL: upstream.url,
    CUSTOM_OBJECTS_URL: upstream.url,
    AUTOMATIONS_URL: upstream.url,
    CONSOLE_DIR: inRoot('apps', 'console', 'dist'),
  };
  const service = await watched(lab, 'gateway', { ...environment, ...UNBOUNDED, RATE_LIMIT_TENANT: '1000000' });
  const send = caller(lab);
  const body = JSON.stringify({ text: 'x'.repeat(LONG_BODY) });
  const most = times(200, (index) => [`x-header-${index}`, 'x'.repeat(40)]);
  return blockRows(service, send, {
    'the longest body': () => ({ ...post('/api/auth/constant', body, 405) }),
    'the longest body of a record': () => ({ ...post('/api/crm/leads', body, 404) }),
    'the longest body of a hook': () => ({
      ...post(`/api/crm/automations/hooks/${newId()}/${'x'.repeat(43)}`, { text: 'x'.repeat(200_000) }, 404),
    }),
    'the longest cookies': () => ({
      path: '/api/auth/session',
      headers: { cookie: times(1_000, (index) => `c${index}=x`).join('; ') },
      status: 404,
    }),
    'the most headers': () => ({
      path: '/api/auth/constant',
      headers: Object.fromEntries(/** @type {[string, string][]} */ (most)),
    }),
    'the longest query': () => ({ path: `/api/auth/constant?size=25&${'x'.repeat(8_000)}`, status: 400 }),
  });
}
