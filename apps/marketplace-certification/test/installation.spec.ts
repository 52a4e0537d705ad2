import { RevocationSource } from '@crm/access';
import { rpc } from '@crm/contracts';
import { NatsConnection, Rpc } from '@crm/messaging';
import { suspendTenant, testNats, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  type Caller,
  developer,
  marketplace,
  neighbours,
  refused,
  refusedWith,
  tenant,
  useMarketplace,
} from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

useMarketplace();

const published = (changes?: object) => marketplace.published(developer, changes);
/** With an Idempotency-Key. */
const install = (caller: Caller, appKey: string, more: object = {}, key = 'k') =>
  marketplace.post(caller, '/installs', { appKey, ...more }, { 'idempotency-key': key });
const eventNames = async () => (await marketplace.events(tenant.tenantId)).map(({ name }) => name);
const installCount = async (key: string) => (await marketplace.get(developer, `/apps/${key}`)).body.installCount;

describe('installing', () => {
  it('provisions objects, workflows and subscriptions', async () => {
    const key = await published();
    const { status, body } = await marketplace.install(tenant, key);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      state: 'active',
      appKey: key,
      version: '1.0.0',
      sandbox: false,
      grantedScopes: ['custom_objects', 'automations', 'leads:read'],
      objects: [{ declaredApiName: 'work_order', apiName: 'work_order' }],
      hooks: [{ key: 'incoming', workflowId: expect.any(String), url: expect.stringContaining('/hooks/') }],
      subscriptions: [
        { id: expect.any(String), url: 'https://hooks.acme-dispatch.com/leads', events: ['lead.created'] },
      ],
      steps: [
        { name: 'objects', state: 'done' },
        { name: 'workflows', state: 'done' },
        { name: 'subscriptions', state: 'done' },
      ],
    });
    expect(neighbours.holds(body.id)).toEqual(['objects', 'workflows', 'subscriptions']);
    const minted = neighbours.callsTo(rpc.identity.mintInternalToken);
    expect(minted).toEqual(Array(3).fill({ tenantId: tenant.tenantId, userId: tenant.userId }));
    const provisions = neighbours.calls.filter(({ name }) => name.endsWith('.provision'));
    expect(provisions.map(({ principal }) => principal)).toEqual(
      Array(3).fill({ kind: 'internal', userId: tenant.userId, tenantId: tenant.tenantId }),
    );
    expect(await marketplace.events(tenant.tenantId)).toEqual([
      {
        name: 'app.installed',
        data: {
          installationId: body.id,
          appKey: key,
          version: '1.0.0',
          sandbox: false,
          requestedBy: tenant.userId,
        },
      },
    ]);
    expect(await installCount(key)).toBe(1);
  });

  it('passes the names of the objects in the workspace to the workflows', async () => {
    const key = await published();
    const { body } = await marketplace.install(tenant, key, { sandbox: true });
    expect(body.objects).toEqual([{ declaredApiName: 'work_order', apiName: 'sbx_work_order' }]);
    expect(neighbours.callsTo(rpc.automations.provisionWorkflows)[0]).toMatchObject({
      objectNames: { work_order: 'sbx_work_order' },
      grantedScopes: ['custom_objects', 'automations', 'leads:read'],
    });
    expect(await installCount(key)).toBe(0);
  });

  it('has only the steps that the package needs', async () => {
    const key = await published({ objects: undefined, automations: undefined, kind: 'event_service' });
    const { body } = await marketplace.install(tenant, key);
    expect(body.steps).toEqual([{ name: 'subscriptions', state: 'done' }]);
  });

  it('continues after the answer when it takes long, and is returned meanwhile when it is repeated', async () => {
    const key = await published();
    jest.replaceProperty(marketplace.config.installation, 'answerWithinMs', 100);
    const gate = neighbours.holdWorkflows();
    const { status, body } = await install(tenant, key);
    expect([status, body.state, body.hooks]).toEqual([202, 'installing', []]);
    expect(await install(tenant, key)).toMatchObject({ status: 202, body: { id: body.id, state: 'installing' } });
    const found = async () => (await marketplace.get(tenant, `/installs/${body.id}`)).body;
    await waitUntil(async () => (await found()).steps.map(({ state }) => state).join() === 'done,running,pending');
    gate.open();
    await marketplace.settled(tenant, body.id, 'active');
    expect((await found()).hooks[0]?.url).toContain('/hooks/');
    expect((await install(tenant, key)).status).toBe(201);
  });
});

describe('an install is refused', () => {
  it('for an app that is unknown or not published', async () => {
    expect((await marketplace.install(tenant, newKey())).body.code).toBe('NOT_FOUND');
    expect((await marketplace.install(tenant, 'a\u0000b')).status).toBe(422);
    const { key } = await marketplace.submitted(developer);
    expect((await marketplace.install(tenant, key, { sandbox: true })).body.code).toBe('NOT_FOUND');
    expect((await marketplace.install(developer, key)).body.code).toBe('APP_NOT_INSTALLABLE');
    const tried = await marketplace.install(developer, key, { sandbox: true });
    expect([tried.status, tried.body.objects[0]?.apiName]).toEqual([201, 'sbx_work_order']);
  });

  it('for a version that another one has replaced', async () => {
    const key = await published();
    await marketplace.publish(developer, key, { version: '1.1.0' });
    await refused(marketplace.install(tenant, key, { version: '1.0.0' }), 409, 'APP_NOT_INSTALLABLE');
    expect((await marketplace.install(tenant, key)).body.version).toBe('1.1.0');
  });

  it('with scopes that the app does not request, and with an invalid body', async () => {
    const appKey = await published();
    const more = await marketplace.install(tenant, appKey, { grantedScopes: ['custom_objects', 'leads'] });
    expect([more.status, more.body.code]).toEqual([422, 'SCOPE_NOT_REQUESTED']);
    expect(more.body.errors[0]?.pointer).toBe('/grantedScopes/1');
    for (const body of [{}, { appKey: 5 }, { appKey, sandbox: 'yes' }, { appKey, grantedScopes: [1] }]) {
      await refused(marketplace.post(tenant, '/installs', body), 422, 'VALIDATION_FAILED');
    }
    expect((await marketplace.get(tenant, '/installs?state=all')).body.data).toEqual([]);
  });

  it('for an app that is installed already', async () => {
    const key = await published();
    const first = await marketplace.install(tenant, key);
    const second = await marketplace.install(tenant, key);
    const conflict = { code: 'ALREADY_INSTALLED', installationId: first.body.id };
    expect(second).toMatchObject({ status: 409, body: conflict });
    for (let count = 0; count < 2; count += 1) {
      expect((await marketplace.install(tenant, key, { sandbox: true })).status).toBe(201);
    }
  });

  it('for an app that another administrator installs at the same moment', async () => {
    const key = await published();
    const answers = await Promise.all(Array.from({ length: 6 }, () => marketplace.install(tenant, key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(neighbours.callsTo(rpc.customObjects.provisionObjects)).toHaveLength(1);
    expect(await installCount(key)).toBe(1);
  });
});

describe('reading installations', () => {
  it('shows the addresses of hooks to administrators, and records who saw them', async () => {
    const key = await published();
    const { body: installed } = await marketplace.install(tenant, key);
    const member = await marketplace.caller('member', tenant.tenantId);
    const colleague = await marketplace.caller('admin', tenant.tenantId);
    const seen = await marketplace.get(member, `/installs/${installed.id}`);
    expect(seen.body.hooks).toEqual([{ key: 'incoming', workflowId: installed.hooks[0]?.workflowId }]);
    expect((await marketplace.get(member, '/installs')).body.data[0]?.hooks[0]?.url).toBeUndefined();
    for (const path of [`/installs/${installed.id}`, '/installs']) {
      const { body } = await marketplace.get(colleague, path);
      expect((body.data?.[0] ?? body).hooks).toEqual(installed.hooks);
    }
    const sql = 'select action, user_id as "user" from install_audit where tenant_id = $1 order by at, id';
    expect(await marketplace.queryOf(tenant, sql, [tenant.tenantId])).toEqual([
      { action: 'install_requested', user: tenant.userId },
      { action: 'hook_urls_shown', user: tenant.userId },
      { action: 'hook_urls_shown', user: colleague.userId },
      { action: 'hook_urls_shown', user: colleague.userId },
    ]);
  });

  it('does not store the addresses of hooks', async () => {
    const { body } = await marketplace.install(tenant, await published());
    const sql = 'select to_jsonb(installation) as row from installation where id = $1';
    const rows = await marketplace.queryOf(tenant, sql, [body.id]);
    expect(JSON.stringify(rows)).not.toContain('/secret');
  });

  it('leaves the addresses of hooks out while automation-hooks is away', async () => {
    const { body: installed } = await marketplace.install(tenant, await published());
    neighbours.refuse(rpc.automations.listHooks, 'INTERNAL_ERROR');
    const { status, body } = await marketplace.get(tenant, `/installs/${installed.id}`);
    expect([status, body.hooks[0]?.url]).toEqual([200, undefined]);
  });
});

describe('uninstalling', () => {
  it('removes everything, last step first, and keeps the records', async () => {
    const key = await published();
    const { body: installed } = await marketplace.install(tenant, key);
    neighbours.calls.length = 0;
    const colleague = await marketplace.caller('owner', tenant.tenantId);
    const { status, body } = await marketplace.delete(colleague, `/installs/${installed.id}`);
    expect([status, body.state, body.objects, body.hooks]).toEqual([200, 'uninstalled', [], []]);
    expect(neighbours.holds(installed.id)).toEqual([]);
    const removals = neighbours.calls.filter(({ name }) => name.endsWith('.remove'));
    const request = { tenantId: tenant.tenantId, installationId: installed.id };
    expect(removals).toEqual([
      { name: rpc.webhooks.removeSubscriptions.subject, request: { ...request, discard: false } },
      { name: rpc.automations.removeWorkflows.subject, request },
      { name: rpc.customObjects.removeObjects.subject, request: { ...request, discard: false } },
    ]);
    expect(neighbours.callsTo(rpc.identity.mintInternalToken)).toEqual([]);
    expect(await eventNames()).toEqual(['app.installed', 'app.uninstalled']);
    expect(await installCount(key)).toBe(0);
    expect((await marketplace.get(tenant, '/installs')).body.data).toEqual([]);
  });

  it('happens once, however often it is requested', async () => {
    const key = await published();
    const { body: installed } = await marketplace.install(tenant, key);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => marketplace.delete(tenant, `/installs/${installed.id}`)),
    );
    for (const { status, body } of answers) {
      expect([200, 202]).toContain(status);
      expect(['uninstalling', 'uninstalled']).toContain(body.state);
    }
    await marketplace.settled(tenant, installed.id, 'uninstalled');
    expect(await installCount(key)).toBe(0);
    expect(await eventNames()).toEqual(['app.installed', 'app.uninstalled']);
    const again = await marketplace.delete(tenant, `/installs/${installed.id}`);
    expect([again.status, again.body.state]).toEqual([200, 'uninstalled']);
    expect((await marketplace.install(tenant, key)).status).toBe(201);
  });
});

describe('an installation with an Idempotency-Key', () => {
  it('is made once, and repeated calls return its present state', async () => {
    const key = await published();
    const first = await install(tenant, key);
    expect(first).toMatchObject({ status: 201, body: { state: 'active' } });
    const again = await install(tenant, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    await refused(install(tenant, key, { sandbox: true }), 422, 'IDEMPOTENCY_KEY_REUSED');
    expect((await marketplace.install(tenant, key)).body.code).toBe('ALREADY_INSTALLED');
    await marketplace.delete(tenant, `/installs/${first.body.id}`);
    expect((await install(tenant, key)).body).toMatchObject({ id: first.body.id, state: 'uninstalled' });
  });

  it('fails again in the same way after it failed', async () => {
    const key = await published();
    neighbours.refuse(rpc.customObjects.provisionObjects, 'OBJECT_LIMIT_EXCEEDED');
    const first = await install(tenant, key);
    expect([first.status, first.body.code]).toEqual([409, 'OBJECT_LIMIT_EXCEEDED']);
    neighbours.reset();
    const failure = { code: 'OBJECT_LIMIT_EXCEEDED', installation: { id: first.body.installation.id } };
    expect((await install(tenant, key)).body).toMatchObject(failure);
    expect((await install(tenant, key, {}, 'another')).status).toBe(201);
  });
});

describe('lists', () => {
  it('of apps and of installations continue by cursor, and refuse the cursor of another list', async () => {
    const keys = [await published(), await published(), await published()];
    for (const key of keys) await marketplace.install(tenant, key);
    for (const path of ['/apps', '/installs']) {
      const list = async (query: string) => (await marketplace.get(tenant, `${path}?${query}`)).body;
      const all = await list('size=200');
      const seen: unknown[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: typeof all = await list(`size=2${cursor && `&cursor=${cursor}`}`);
        // Later pages are not counted again.
        expect(page.total).toBe(cursor === '' ? all.total : null);
        seen.push(...page.data);
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(all.data);
      expect(seen.length).toBeGreaterThanOrEqual(3);
    }
    const { nextCursor } = (await marketplace.get(tenant, '/apps?size=1')).body;
    const stranger = await marketplace.caller();
    for (const [caller, path] of [
      [tenant, '/installs?'],
      [tenant, '/apps?q=field&'],
      [stranger, '/apps?'],
    ] as const) {
      await refused(marketplace.get(caller, `${path}cursor=${nextCursor}`), 400, 'INVALID_QUERY');
    }
  });
});

const CALLERS = ['custom-objects', 'identity', 'webhook-dispatcher'] as const;
const connections = new Map<string, NatsConnection>();
beforeAll(async () => {
  const { url, passwords } = testNats();
  for (const service of CALLERS) {
    const connection = NatsConnection.open({ url, user: service, password: passwords[service], service });
    connections.set(service, await connection);
  }
});
afterAll(() => Promise.all([...connections.values()].map((nats) => nats.close())));
const callsOf = (service: (typeof CALLERS)[number]) => new Rpc(connections.get(service) as NatsConnection);

const isKnown = async (appKey: string, { token }: Caller) =>
  (await callsOf('custom-objects').call(rpc.marketplace.isAppKnown, { appKey }, { token })).known;

describe('an app', () => {
  it('is known to everybody once a version was published, and before that to its publisher alone', async () => {
    const known = async (key: string) => [await isKnown(key, developer), await isKnown(key, tenant)];
    expect(await known(newKey())).toEqual([false, false]);
    expect(await known((await marketplace.submitted(developer)).key)).toEqual([true, false]);
    expect(await known(await published())).toEqual([true, true]);
  });

  it('that is private is known to its publisher, and to a workspace that had installed it before', async () => {
    const key = await published();
    const { body } = await marketplace.install(tenant, key);
    await marketplace.publish(developer, key, { version: '1.1.0', listing: { visibility: 'private' } });
    const stranger = await marketplace.caller();
    const known = async () => [await isKnown(key, developer), await isKnown(key, tenant), await isKnown(key, stranger)];
    expect(await known()).toEqual([true, true, false]);
    await marketplace.delete(tenant, `/installs/${body.id}`);
    await marketplace.settled(tenant, body.id, 'uninstalled');
    expect(await known()).toEqual([true, true, false]);
  });

  it('is asked about with any text, and by administrators only', async () => {
    for (const text of ['', 'no key', 'x'.repeat(300), "'--", '\u0000'])
      expect(await isKnown(text, tenant)).toBe(false);
    const member = await marketplace.caller('member', tenant.tenantId);
    await refusedWith('FORBIDDEN', isKnown(newKey(), member));
  });
});

const list = async (appKey: string, { token }: Caller = developer) =>
  (await callsOf('webhook-dispatcher').call(rpc.marketplace.listSandboxes, { appKey }, { token })).installationIds;
const sandbox = async (caller: Caller, key: string) => (await marketplace.install(caller, key, { sandbox: true })).body;

describe('the sandboxes of an app', () => {
  it('are those in the workspace of its publisher, newest first, before publication too', async () => {
    const { key } = await marketplace.submitted(developer);
    expect(await list(key)).toEqual([]);
    const first = await sandbox(developer, key);
    const second = await sandbox(developer, key);
    expect(await list(key)).toEqual([second.id, first.id]);
    await marketplace.delete(developer, `/installs/${first.id}`);
    await marketplace.settled(developer, first.id, 'uninstalled');
    expect(await list(key)).toEqual([second.id]);
  });

  it('are neither live installations nor those of other workspaces or apps', async () => {
    const [key, other] = [await published(), await published()];
    await marketplace.install(developer, key);
    await sandbox(developer, other);
    expect((await sandbox(tenant, key)).state).toBe('active');
    expect(await list(key)).toEqual([]);
  });

  it('are shown to administrators of the publisher only', async () => {
    const key = await published();
    await sandbox(tenant, key);
    await refusedWith('NOT_FOUND', list(key, tenant));
    await refusedWith('NOT_FOUND', list(newKey()));
    await refusedWith('NOT_FOUND', list('no key', developer));
    const member = await marketplace.caller('member', developer.tenantId);
    await refusedWith('FORBIDDEN', list(key, member));
  });
});

describe('the roles that apps bring', () => {
  it('are those of what is installed, sandboxes too, each with its app, until the app is gone', async () => {
    const admin = await marketplace.caller();
    const rolesOf = async ({ tenantId }: Caller) =>
      (await callsOf('identity').call(rpc.marketplace.listRoles, { tenantId })).roles;
    const withRoles = async (...roles: object[]) => {
      const key = newKey();
      await marketplace.publish(developer, key, { ...fieldService(key), roles } as never);
      return key;
    };
    const planner = { name: 'planner', label: 'Planner' };
    const [first, second] = [await withRoles(planner, { name: 'fitter' }), await withRoles(planner)];
    expect(await rolesOf(admin)).toEqual([]);
    const { body } = await marketplace.install(admin, first);
    await sandbox(admin, second);
    const ofFirst = { ...planner, appKey: first };
    const ofSecond = { ...planner, appKey: second };
    const fitter = { name: 'fitter', label: 'fitter', appKey: first };
    expect(await rolesOf(admin)).toEqual([fitter, ...(first < second ? [ofFirst, ofSecond] : [ofSecond, ofFirst])]);
    expect(await rolesOf(tenant)).not.toContainEqual(fitter);
    await marketplace.delete(admin, `/installs/${body.id}`);
    await marketplace.settled(admin, body.id, 'uninstalled');
    expect(await rolesOf(admin)).toEqual([ofSecond]);
  });
});

describe('a version that is withdrawn or rejected', () => {
  it.each(['withdraw', 'reject'])('ends its sandboxes within a second (%s), and is not tried again', async (act) => {
    const key = newKey();
    const { submissionId } = (await marketplace.submit(developer, fieldService(key))).body;
    await refused(marketplace.install(tenant, key, { sandbox: true, version: '1.0.0' }), 404, 'NOT_FOUND');
    const { body } = await marketplace.install(developer, key, { sandbox: true });
    expect(body).toMatchObject({ state: 'active', sandbox: true });
    expect(body).not.toHaveProperty('appStatus');
    neighbours.calls.length = 0;
    const begun = Date.now();
    if (act === 'reject') await marketplace.decide(submissionId, 'reject', 'It loses data.');
    else await marketplace.post(developer, `/developer/apps/${key}/versions/1.0.0/withdraw`);
    await waitUntil(() => neighbours.holds(body.id).length === 0);
    // Busy machines take longer than the second that nobody waits for.
    expect(Date.now() - begun).toBeLessThan(5_000);
    expect(neighbours.calls[0]?.name).toBe(rpc.identity.endOAuthInstallation.subject);
    await marketplace.settled(developer, body.id, 'uninstalled');
    const gone = (await marketplace.events(developer.tenantId)).at(-1);
    expect(gone).toMatchObject({ name: 'app.uninstalled', data: { installationId: body.id } });
    expect(gone?.data).not.toHaveProperty('requestedBy');
    await refused(marketplace.install(developer, key, { sandbox: true }), 409, 'APP_NOT_INSTALLABLE');
  });
});

describe('what an administrator is told', () => {
  const exposing = (key: string) => {
    const rate = { apiName: 'rate', type: 'number', readRoles: ['planner'] };
    const shown = { apiName: 'shown', type: 'formula', expression: 'rate * 2', exposes: true };
    const title = { apiName: 'title', type: 'text' };
    const objects = [{ apiName: 'work_order', label: 'Work order', nameField: 'title', fields: [title, rate, shown] }];
    return { ...fieldService(key), roles: [{ name: 'planner' }], objects };
  };
  const codes = (notices: { code: string }[]) => notices.map(({ code }) => code);

  it('names in listing, preview and installation what a formula opens, a shared role and the real data', async () => {
    const [first, second] = [newKey(), newKey()];
    for (const key of [first, second]) await marketplace.publish(developer, key, exposing(key) as never);
    const exposed = { code: 'EXPOSED_FIELDS', severity: 'warning', fields: ['work_order.rate'] };
    expect((await marketplace.get(tenant, `/apps/${first}`)).body.notices).toMatchObject([exposed]);
    const admin = await marketplace.caller();
    const preview = async (appKey: string, more: object = {}) =>
      (await marketplace.post(admin, '/installs/preview', { appKey, ...more })).body;
    expect(await preview(first)).toMatchObject({
      appKey: first,
      version: '1.0.0',
      sandbox: false,
      grantedScopes: ['custom_objects', 'automations', 'leads:read'],
      notices: [exposed],
    });
    const { body } = await marketplace.install(admin, first);
    expect(body).toMatchObject({ appStatus: 'published', notices: [exposed] });
    const { notices } = await preview(second, { sandbox: true });
    expect(codes(notices)).toEqual(['SANDBOX_REAL_DATA', 'EXPOSED_FIELDS', 'ROLE_SHARED']);
    expect(notices[0]?.detail).toMatch(/^The sandbox works with your real leads/);
    expect(notices[2]?.detail).toContain(first);
    const installed = await marketplace.install(admin, second, { sandbox: true });
    const listed = (await marketplace.get(admin, '/installs')).body.data.find(({ id }) => id === installed.body.id);
    for (const one of [installed.body.notices, listed?.notices ?? []]) expect(codes(one)).toEqual(codes(notices));
  });

  it('finds that the app of a suspended publisher cannot be installed anew', async () => {
    const publisher = await marketplace.caller();
    const key = await marketplace.published(publisher);
    const { body } = await marketplace.install(tenant, key);
    await suspendTenant(publisher.tenantId);
    const revocations = marketplace.service.get(RevocationSource);
    await waitUntil(() => revocations.isSuspended(publisher.tenantId), { timeoutMs: 1_000 });
    const other = await marketplace.caller();
    for (const path of ['/installs', '/installs/preview']) {
      await refused(marketplace.post(other, path, { appKey: key }), 409, 'APP_NOT_INSTALLABLE');
    }
    for (const path of [`/apps/${key}`, `/installs/${body.id}`]) {
      expect(codes((await marketplace.get(tenant, path)).body.notices)).toEqual(['PUBLISHER_SUSPENDED']);
    }
  });
});
