import { GLOBAL_TABLES, rpc } from '@crm/contracts';
import { catalogueProblems, Database, newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { RunService } from '../src/run/run.service.js';
import { WorkflowRepository } from '../src/workflow/workflow.repository.js';
import {
  BASE_URL,
  emit,
  newEvent,
  type Problem,
  record,
  type Tenant,
  task,
  useAutomations,
  wait,
} from './automations-service.js';

const { world, service, tenant } = useAutomations();

const hook = { type: 'webhook_received' };
const on = (event: string) => ({ type: 'event', event });
const pathOf = (hooked: { url: string } | undefined) => new URL(hooked?.url ?? '').pathname;
const statusOf = async (hooked: { url: string } | undefined) =>
  (await service.request('POST', pathOf(hooked), { body: {} })).status;

it('every table of automation-hooks is isolated by tenant or is on the list of global tables', async () => {
  const query = async <Row>(sql: string, parameters: readonly unknown[] = []) =>
    (await world.admin.query(sql, [...parameters])).rows as Row[];
  expect(await catalogueProblems({ query }, GLOBAL_TABLES['automation-hooks'])).toEqual([]);
});

describe('a workflow that a tenant creates', () => {
  it('is created, read, disabled and deleted by administrators', async () => {
    const input = { name: 'Inbound', trigger: hook, condition: 'a == 1', actions: [task()] };
    const { status, body } = await tenant.call<{ id: string; hookUrl: string }>('POST', '/workflows', input);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...input, enabled: true, appKey: null });
    expect(body.hookUrl).toContain(`/api/crm/automations/hooks/${body.id}/`);
    const { hookUrl, ...view } = body;
    expect((await tenant.call('GET', `/workflows/${body.id}`)).body).toEqual(view);
    expect((await tenant.call('GET', '/workflows')).body).toMatchObject({ data: [view], total: 1 });
    const disabled = await tenant.call('PATCH', `/workflows/${body.id}`, { enabled: false });
    expect(disabled.body).toMatchObject({ enabled: false });
    expect((await tenant.call('DELETE', `/workflows/${body.id}`)).status).toBe(204);
    expect((await tenant.call('GET', `/workflows/${body.id}`)).status).toBe(404);
    expect(await world.sql('SELECT 1 FROM hook WHERE workflow_id = $1', body.id)).toEqual([]);
  });

  it('is listed in pages, also by cursor, which is none of another list', async () => {
    for (let count = 0; count < 3; count += 1) await tenant.hooked();
    type List = { data: { id: string }[]; nextCursor: string | null; total: number };
    const list = (query: string) => tenant.call<List>('GET', `/workflows?${query}`);
    const all = (await list('')).body.data.map(({ id }) => id);
    const first = (await list('size=2')).body;
    expect(first).toMatchObject({ total: 3, hasMore: true });
    const second = (await list(`size=2&cursor=${first.nextCursor}`)).body;
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(all);
    expect(second.nextCursor).toBeNull();
    const runs = await tenant.call<Problem>('GET', `/runs?cursor=${first.nextCursor}`);
    expect([runs.status, runs.body.code]).toEqual([400, 'INVALID_QUERY']);
  });

  it('cannot be created with an Idempotency-Key, because the URL that starts it is a secret', async () => {
    const token = await world.tokens.sign({ tid: tenant.tenantId, roles: ['admin'] });
    const body = { name: 'Inbound', trigger: hook, actions: [task()] };
    const request = { token, body, headers: { 'idempotency-key': 'k' } };
    const answer = await service.request('POST', '/api/crm/automations/workflows', request);
    expect(answer).toMatchObject({ status: 400, body: { code: 'MALFORMED_REQUEST' } });
  });

  it('is shown in full to administrators only: others see the types and keys of its actions', async () => {
    const headers = { authorization: 'Bearer sk_header' };
    const request = { key: 'call', type: 'http_request', url: 'https://example.org/sk_url', headers };
    const actions = [{ ...request, body: { key: 'sk_body' } }, record('lead', { lastName: 'sk_value' })];
    const { id } = await tenant.hooked({ condition: 'token == "sk_condition"', actions });
    const shown = { id, actions: [{ key: 'call', headers }, {}] };
    expect((await tenant.call('GET', `/workflows/${id}`)).body).toMatchObject(shown);
    expect((await tenant.call('GET', '/workflows')).body).toMatchObject({ data: [shown] });
    const app = { sub: 'field-visits', installation_id: newId() };
    for (const call of [
      await tenant.as('viewer'),
      await tenant.as('member'),
      await tenant.as('app:field-visits', ['automations'], { act: app }),
      await tenant.as('admin', ['automations:read'], { embed: true, embed_app_id: 'portal', act: { sub: 'portal' } }),
    ]) {
      const one = await call<object>('GET', `/workflows/${id}`);
      const list = await call<{ data: object[] }>('GET', '/workflows');
      expect([one.status, list.status]).toEqual([200, 200]);
      expect(list.body.data).toEqual([one.body]);
      expect(one.body).toMatchObject({ actions: [{ key: 'call', type: 'http_request' }, { type: 'create_record' }] });
      expect(one.body).not.toHaveProperty('condition');
      expect(JSON.stringify(one.body)).not.toContain('sk_');
    }
  });

  it('is refused with all of its mistakes', async () => {
    const input = { name: 'x', trigger: hook, actions: [{ type: 'emit_event', name: 'x' }] };
    const body = { code: 'WORKFLOW_INVALID', errors: [{ pointer: '/actions/0/type', code: 'NOT_SUPPORTED' }] };
    expect(await tenant.call('POST', '/workflows', input)).toMatchObject({ status: 422, body });
    expect((await tenant.call<Problem>('POST', '/workflows', { trigger: 1 })).body.code).toBe('VALIDATION_FAILED');
  });
});

describe('the workflows of an app', () => {
  const automation = { key: 'inbound', name: 'Inbound visits', trigger: hook, actions: [task()] };
  let installationId: string;
  beforeEach(() => {
    installationId = newId();
  });
  const provision = (automations: object[], options?: Parameters<Tenant['provision']>[2]) =>
    tenant.provision(installationId, automations, options);

  type Listed = { data: { id: string; name: string; installationId: string }[] };
  const workflows = async () => (await tenant.call<Listed>('GET', '/workflows')).body.data;
  /** Those that were replaced and are kept. */
  const versions = async (): Promise<number[]> => {
    const statement = 'SELECT version FROM workflow_version WHERE tenant_id = $1 ORDER BY version';
    return (await world.sql<{ version: number }>(statement, tenant.tenantId)).map(({ version }) => version);
  };
  const sweepDefinitions = (olderThanSeconds: number) =>
    service.get(WorkflowRepository).sweepDefinitions(1_000, olderThanSeconds);

  it('are stored with hook URLs, and a repeated call changes nothing', async () => {
    const onLead = { key: 'welcome', trigger: on('lead.created'), actions: [task()] };
    const hooks = await provision([automation, onLead]);
    expect(hooks).toEqual([{ key: 'inbound', workflowId: expect.any(String), url: expect.any(String) }]);
    const address = `${BASE_URL}/api/crm/automations/hooks/${hooks[0]?.workflowId}`;
    expect(hooks[0]?.url).toMatch(new RegExp(`^${address}/[^/]+$`));
    expect(await provision([automation, onLead])).toEqual(hooks);
    const asAdministrator = { token: await world.internalToken(tenant) };
    const listed = await world.marketplace.call(rpc.automations.listHooks, { installationId }, asAdministrator);
    expect(listed.hooks).toEqual(hooks);
    const { body } = await tenant.call<{ total: number; data: { version: number }[] }>('GET', '/workflows');
    expect(body).toMatchObject({ total: 2, data: [{ version: 1 }, { version: 1 }] });
  });

  it('are stored all or none, and every mistake is reported', async () => {
    const bad = { key: 'bad', trigger: { type: 'schedule', cron: '* * * * *' }, actions: [{ type: 'emit_event' }] };
    const pointers = ['1/trigger/type', '1/actions/0/type', '2/key'].map((rest) => `/automations/${rest}`);
    await expect(provision([automation, bad, { ...automation }])).rejects.toMatchObject({
      code: 'WORKFLOW_INVALID',
      extra: { errors: pointers.map((pointer) => ({ pointer })) },
    });
    expect((await tenant.call<{ total: number }>('GET', '/workflows')).body.total).toBe(0);
  });

  it('follow a new version of the package: those that stay keep their URL, the URLs of others are dead', async () => {
    const [kept, gone] = await provision([automation, { ...automation, key: 'other' }]);
    const hooks = await provision([
      { ...automation, name: 'Renamed', actions: [task(), task()] },
      { ...automation, key: 'new' },
    ]);
    expect(hooks.find(({ key }) => key === 'inbound')).toEqual(kept);
    expect(hooks.map(({ key }) => key).sort()).toEqual(['inbound', 'new']);
    expect(await statusOf(gone)).toBe(404);
    expect(await statusOf(kept)).toBe(202);
  });

  it('get their URL from a repeated call after one that could store only half of the hook', async () => {
    const trigger = on('lead.created');
    await provision([{ ...automation, trigger }]);
    await world.sql('ALTER TABLE hook_secret ADD CONSTRAINT out_of_order CHECK (false) NOT VALID');
    await expect(provision([automation])).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await world.sql('ALTER TABLE hook_secret DROP CONSTRAINT out_of_order');
    expect(await world.sql('SELECT 1 FROM hook WHERE tenant_id = $1', tenant.tenantId)).toHaveLength(1);
    const [hooked] = await provision([automation]);
    expect(await statusOf(hooked)).toBe(202);
  });

  it('never take over the hook of another tenant', async () => {
    await provision([{ ...automation, trigger: on('lead.created') }]);
    const foreign = [(await workflows())[0]?.id, newId(), Buffer.from('hash')];
    await world.sql('INSERT INTO hook (workflow_id, tenant_id, secret_hash) VALUES ($1, $2, $3)', ...foreign);
    await expect(provision([automation])).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    const columns = 'workflow_id, tenant_id, secret_hash';
    const stored = await world.sql(`SELECT ${columns} FROM hook WHERE workflow_id = $1`, foreign[0]);
    expect(stored.map(Object.values)).toEqual([foreign]);
  });

  it('use the names of the package’s objects in the tenant, and the rights of the app', async () => {
    const visit = record('custom:site_visit', { place: '{{place}}' });
    const [hooked] = await provision([{ ...automation, actions: [visit] }]);
    expect((await tenant.ended(await tenant.start(pathOf(hooked), { place: 'Turin' }))).status).toBe('succeeded');
    expect(tenant.created()).toMatchObject([{ object: 'sbx_site_visit', values: { place: 'Turin' } }]);
    const { tenantId, userId } = tenant;
    const actor = { appKey: 'field-visits', installationId, scopes: ['custom_objects', 'tasks', 'automations'] };
    expect(world.minted.findLast((one) => one.tenantId === tenantId)).toEqual({ tenantId, userId, actor });
  });

  it('finish runs with the definition that these were accepted with, and with the rights of now', async () => {
    const visit = (place: string) => record('custom:site_visit', { place });
    const actions = [wait(86_400), visit('first {{n}}')];
    const [hooked] = await provision([{ ...automation, actions }]);
    const start = (n: number) => tenant.start(pathOf(hooked), { n });
    const underWay = await start(1);
    await waitUntil(async () => (await tenant.run(underWay)).steps.length > 0, { describe: 'the run to wait' });
    // Accepted, and not claimed before the workflow is changed.
    await world.sql("ALTER TABLE run_queue ALTER due_at SET DEFAULT now() + interval '1 day'");
    const queued = await start(2);
    await world.sql('ALTER TABLE run_queue ALTER due_at SET DEFAULT now()');
    await provision([{ ...automation, condition: 'n == 3', actions: [visit('second {{n}}')] }]);
    const narrowed = ['custom_objects', 'automations'];
    await provision([{ ...automation, actions: [visit('third {{n}}')] }], { scopes: narrowed });
    await sweepDefinitions(-1);
    expect(await versions()).toEqual([1, 2]);
    const makeDue = async (runId: string) => {
      for (const table of ['run_step', 'run_queue'])
        await world.sql(`UPDATE ${table} SET due_at = now() WHERE run_id = $1`, runId);
    };
    await makeDue(queued);
    await waitUntil(async () => (await tenant.run(queued)).steps.length > 0, { describe: 'the queued run to wait' });
    for (const runId of [underWay, queued]) {
      await makeDue(runId);
      expect((await tenant.ended(runId)).status).toBe('succeeded');
    }
    expect((await tenant.ended(await start(3))).status).toBe('succeeded');
    const places = tenant.created().map(({ values }) => values.place);
    expect(places).toEqual(['first 1', 'first 2', 'third 3']);
    expect(world.minted.findLast(({ tenantId }) => tenantId === tenant.tenantId)?.actor?.scopes).toEqual(narrowed);
    // Replaced definitions go when no unfinished run needs them, after a while.
    await sweepDefinitions(3_600);
    expect(await versions()).toEqual([1, 2]);
    await sweepDefinitions(-1);
    expect(await versions()).toEqual([]);
  });

  it('are started by events whose scope the app was granted, and by no others', async () => {
    const onLead = { key: 'on-lead', trigger: on('lead.created'), actions: [task()] };
    const onContact = { key: 'on-contact', trigger: on('contact.created'), actions: [task()] };
    const narrowed = installationId;
    const onUser = { key: 'on-user', trigger: on('user.created'), actions: [task()] };
    await provision([onLead, onContact], { scopes: ['automations', 'leads:read'] });
    await provision([onLead, onContact, onUser], { scopes: ['automations', 'contacts'] });
    installationId = newId();
    await provision([onLead], { scopes: ['automations', 'leads'] });
    const user = { userId: newId(), email: 'ada@example.com', name: 'Ada' };
    await emit('user.created', tenant.tenantId, user);
    await emit('lead.created', tenant.tenantId, { record: { lastName: 'Lovelace' } });
    await emit('contact.created', tenant.tenantId, { record: { lastName: 'Lovelace' } });
    await waitUntil(async () => (await tenant.runs()).length >= 2, { describe: 'runs of both events' });
    const all = await workflows();
    const started = (await tenant.runs()).map((run) => all.find(({ id }) => id === run.workflowId));
    const names = started.map((workflow) => `${workflow?.name} ${workflow?.installationId === narrowed}`);
    expect(names.sort()).toEqual(['on-contact true', 'on-lead false']);
  });

  it('are started by events of objects that the app sees, and by no others; those of the tenant by all', async () => {
    const onRecord = { trigger: on('record.created'), actions: [task()] };
    await provision([{ key: 'of the app', ...onRecord }]);
    await tenant.onEvent('record.created', { name: 'of the tenant' });
    const all = await workflows();
    const started = async (appkeys?: string, installationid?: string) => {
      const to = { ...(appkeys && { appkeys }), ...(installationid && { installationid }) };
      const event = { ...newEvent('record.created', tenant.tenantId, { record: {} }), ...to };
      await service.get(Database).transaction(tenant.tenantId, (tx) => service.get(RunService).acceptEvent(tx, event));
      const runs = await tenant.runs();
      for (const { input } of runs) expect(JSON.stringify(input)).not.toContain('appkeys');
      return runs.map((run) => all.find(({ id }) => id === run.workflowId)?.name).sort();
    };
    expect(await started('other-app')).toEqual(['of the tenant']);
    expect(await started()).toEqual(Array(2).fill('of the tenant'));
    // Runs of a sandbox of the same app.
    expect(await started('field-visits', newId())).toEqual(Array(3).fill('of the tenant'));
    expect(await started('other-app field-visits', newId())).toEqual(['of the app', ...Array(4).fill('of the tenant')]);
    const ofBoth = [...Array(2).fill('of the app'), ...Array(5).fill('of the tenant')];
    expect(await started('field-visits', installationId)).toEqual(ofBoth);
  });

  it('are removed with the installation, their runs are cancelled, and a repeated call removes nothing', async () => {
    const [hooked] = await provision([{ ...automation, actions: [wait(86_400)] }]);
    const runId = await tenant.start(pathOf(hooked));
    const { tenantId } = tenant;
    const remove = () => world.marketplace.call(rpc.automations.removeWorkflows, { tenantId, installationId });
    expect(await remove()).toEqual({ removed: 1 });
    expect(await tenant.run(runId)).toMatchObject({ status: 'cancelled', error: { code: 'WORKFLOW_DELETED' } });
    expect(await remove()).toEqual({ removed: 0 });
    expect(await statusOf(hooked)).toBe(404);
  });

  it('can be disabled but not deleted by the tenant', async () => {
    const [hooked] = await provision([automation]);
    expect((await tenant.call('DELETE', `/workflows/${hooked?.workflowId}`)).status).toBe(409);
    expect((await tenant.call('PATCH', `/workflows/${hooked?.workflowId}`, { enabled: false })).status).toBe(200);
    expect(await statusOf(hooked)).toBe(404);
  });

  it('are provisioned by administrators only and never shown to another tenant', async () => {
    await expect(provision([automation], { roles: ['member'] })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await provision([automation]);
    const tenantId = newId();
    const stranger = { token: await world.internalToken({ tenantId, userId: tenant.userId }) };
    const listed = await world.marketplace.call(rpc.automations.listHooks, { installationId }, stranger);
    const removed = await world.marketplace.call(rpc.automations.removeWorkflows, { tenantId, installationId });
    expect({ ...listed, ...removed }).toEqual({ hooks: [], removed: 0 });
  });
});
