import { rpc } from '@crm/contracts';
import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { Marketplace, refusal } from './support/marketplace.js';
import { Gate } from './support/neighbours.js';
import { newKey } from './support/packages.js';

let { marketplace, neighbours, developer, tenant } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, neighbours, developer, tenant } = fixture);
});

async function published(changes: object = {}): Promise<string> {
  const key = await marketplace.published(developer, changes);
  return key;
}
const audit = (tenantId: string) =>
  marketplace.database.transaction(tenantId, (tx) =>
    tx.query<{ action: string; user: string }>(
      'select action, user_id as "user" from install_audit where tenant_id = $1 order by at, id',
      [tenantId],
    ),
  );

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
    const { body: app } = await marketplace.request(developer, 'GET', `/apps/${key}`);
    expect(app.installCount).toBe(1);
  });

  it('passes the names of the objects in the workspace to the workflows', async () => {
    const key = await published();
    const { body } = await marketplace.install(tenant, key, { sandbox: true });
    expect(body.objects).toEqual([{ declaredApiName: 'work_order', apiName: 'sbx_work_order' }]);
    expect(neighbours.callsTo(rpc.automations.provisionWorkflows)[0]).toMatchObject({
      objectNames: { work_order: 'sbx_work_order' },
      grantedScopes: ['custom_objects', 'automations', 'leads:read'],
    });
    expect((await marketplace.request(developer, 'GET', `/apps/${key}`)).body.installCount).toBe(0);
  });

  it('has only the steps that the package needs', async () => {
    const key = await published({ objects: undefined, automations: undefined, kind: 'event_service' });
    const { body } = await marketplace.install(tenant, key);
    expect(body.steps).toEqual([{ name: 'subscriptions', state: 'done' }]);
  });

  it('continues after the answer when it takes long', async () => {
    const slow = await Marketplace.start({ answerWithinMs: 100 });
    try {
      const publisher = await slow.caller('owner');
      const key = newKey();
      await slow.publish(publisher, key);
      const gate = new Gate();
      neighbours.instead(rpc.automations.provisionWorkflows, async (request) => {
        await gate.opened;
        return neighbours.provisionWorkflows(request);
      });
      const admin = await slow.caller();
      const { status, body } = await slow.install(admin, key);
      expect([status, body.state, body.hooks]).toEqual([202, 'installing', []]);
      await waitUntil(
        async () => {
          const { body: now } = await slow.request(admin, 'GET', `/installs/${body.id}`);
          return now.steps.map(({ state }) => state).join() === 'done,running,pending';
        },
        { describe: 'the second step runs' },
      );
      gate.open();
      await slow.settled(admin, body.id, 'active');
      const { body: found } = await slow.request(admin, 'GET', `/installs/${body.id}`);
      expect(found.hooks[0]?.url).toContain('/hooks/');
    } finally {
      await slow.close();
    }
  });
});

describe('an install is refused', () => {
  it('for an app that is unknown or not published', async () => {
    expect((await marketplace.install(tenant, newKey())).body.code).toBe('NOT_FOUND');
    expect((await marketplace.install(tenant, 'a\u0000b')).status).toBe(422);
    const { key } = await marketplace.submitted(developer);
    expect((await marketplace.install(tenant, key)).body.code).toBe('NOT_FOUND');
    expect((await marketplace.install(tenant, key, { sandbox: true })).body.code).toBe('NOT_FOUND');
    expect((await marketplace.install(developer, key)).body.code).toBe('APP_NOT_INSTALLABLE');
    const tried = await marketplace.install(developer, key, { sandbox: true });
    expect([tried.status, tried.body.objects[0]?.apiName]).toEqual([201, 'sbx_work_order']);
  });

  it('for a version that another one has replaced', async () => {
    const key = await published();
    await marketplace.publish(developer, key, { version: '1.1.0' });
    expect(await refusal(marketplace.install(tenant, key, { version: '1.0.0' }))).toEqual([409, 'APP_NOT_INSTALLABLE']);
    expect((await marketplace.install(tenant, key, { version: '3.0.0' })).body.code).toBe('NOT_FOUND');
    expect((await marketplace.install(tenant, key)).body.version).toBe('1.1.0');
  });

  it('with scopes that the app does not request, or without those it needs', async () => {
    const key = await published();
    const more = await marketplace.install(tenant, key, { grantedScopes: ['custom_objects', 'leads'] });
    expect([more.status, more.body.code]).toEqual([422, 'SCOPE_NOT_REQUESTED']);
    expect(more.body.errors[0]?.pointer).toBe('/grantedScopes/1');
    expect(await refusal(marketplace.install(tenant, key, { grantedScopes: ['custom_objects'] }))).toEqual([
      422,
      'SCOPE_REQUIRED',
    ]);
    expect((await marketplace.request(tenant, 'GET', '/installs?state=all')).body.data).toEqual([]);
  });

  it('to a user without the right, and with an invalid body', async () => {
    const key = await published();
    const member = await marketplace.caller('member', tenant.tenantId);
    expect((await marketplace.install(member, key)).body.code).toBe('FORBIDDEN');
    for (const body of [{}, { appKey: 5 }, { appKey: key, sandbox: 'yes' }, { appKey: key, grantedScopes: [1] }]) {
      expect(await refusal(marketplace.request(tenant, 'POST', '/installs', body))).toEqual([422, 'VALIDATION_FAILED']);
    }
  });

  it('for an app that is installed already', async () => {
    const key = await published();
    const first = await marketplace.install(tenant, key);
    const second = await marketplace.install(tenant, key);
    expect([second.status, second.body.code, second.body.installationId]).toEqual([
      409,
      'ALREADY_INSTALLED',
      first.body.id,
    ]);
    for (const expected of [201, 201]) {
      expect((await marketplace.install(tenant, key, { sandbox: true })).status).toBe(expected);
    }
  });

  it('for an app that another administrator installs at the same moment', async () => {
    const key = await published();
    const answers = await Promise.all(Array.from({ length: 6 }, () => marketplace.install(tenant, key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(neighbours.callsTo(rpc.customObjects.provisionObjects)).toHaveLength(1);
    expect((await marketplace.request(developer, 'GET', `/apps/${key}`)).body.installCount).toBe(1);
  });
});

describe('reading installations', () => {
  it('shows the addresses of hooks to administrators, and records who saw them', async () => {
    const key = await published();
    const { body: installed } = await marketplace.install(tenant, key);
    const member = await marketplace.caller('member', tenant.tenantId);
    const colleague = await marketplace.caller('admin', tenant.tenantId);
    const seen = await marketplace.request(member, 'GET', `/installs/${installed.id}`);
    expect(seen.body.hooks).toEqual([{ key: 'incoming', workflowId: installed.hooks[0]?.workflowId }]);
    expect((await marketplace.request(member, 'GET', '/installs')).body.data[0]?.hooks[0]?.url).toBeUndefined();
    for (const path of [`/installs/${installed.id}`, '/installs']) {
      const { body } = await marketplace.request(colleague, 'GET', path);
      expect((body.data?.[0] ?? body).hooks).toEqual(installed.hooks);
    }
    expect(await audit(tenant.tenantId)).toEqual([
      { action: 'install_requested', user: tenant.userId },
      { action: 'hook_urls_shown', user: tenant.userId },
      { action: 'hook_urls_shown', user: colleague.userId },
      { action: 'hook_urls_shown', user: colleague.userId },
    ]);
  });

  it('does not store the addresses of hooks', async () => {
    const { body } = await marketplace.install(tenant, await published());
    const rows = await marketplace.queryOf(
      tenant,
      'select to_jsonb(installation) as row from installation where id = $1',
      [body.id],
    );
    expect(JSON.stringify(rows)).not.toContain('/secret');
  });

  it('leaves the addresses of hooks out while automation-hooks is away', async () => {
    const { body: installed } = await marketplace.install(tenant, await published());
    neighbours.instead(rpc.automations.listHooks, () => {
      throw new Error('broken');
    });
    const { status, body } = await marketplace.request(tenant, 'GET', `/installs/${installed.id}`);
    expect([status, body.hooks[0]?.url]).toEqual([200, undefined]);
  });

  it('finds no installation of another workspace', async () => {
    const { body } = await marketplace.install(tenant, await published());
    const stranger = await marketplace.caller('owner');
    for (const [method, id] of [
      ['GET', body.id],
      ['DELETE', body.id],
      ['GET', 'nonsense'],
    ] as const) {
      expect(await refusal(marketplace.request(stranger, method, `/installs/${id}`))).toEqual([404, 'NOT_FOUND']);
    }
    expect((await marketplace.request(stranger, 'GET', '/installs?state=all')).body.data).toEqual([]);
    expect((await marketplace.request(tenant, 'GET', `/installs/${body.id}`)).body.state).toBe('active');
  });
});

describe('uninstalling', () => {
  it('removes everything, last step first, and keeps the records', async () => {
    const key = await published();
    const { body: installed } = await marketplace.install(tenant, key);
    neighbours.calls.length = 0;
    const colleague = await marketplace.caller('owner', tenant.tenantId);
    const { status, body } = await marketplace.request(colleague, 'DELETE', `/installs/${installed.id}`);
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
    expect((await marketplace.events(tenant.tenantId)).map(({ name }) => name)).toEqual([
      'app.installed',
      'app.uninstalled',
    ]);
    expect((await marketplace.request(developer, 'GET', `/apps/${key}`)).body.installCount).toBe(0);
    expect((await marketplace.request(tenant, 'GET', '/installs')).body.data).toEqual([]);
  });

  it('happens once, however often it is requested', async () => {
    const key = await published();
    const { body: installed } = await marketplace.install(tenant, key);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => marketplace.request(tenant, 'DELETE', `/installs/${installed.id}`)),
    );
    for (const { status, body } of answers) {
      expect([200, 202]).toContain(status);
      expect(['uninstalling', 'uninstalled']).toContain(body.state);
    }
    await marketplace.settled(tenant, installed.id, 'uninstalled');
    expect((await marketplace.request(developer, 'GET', `/apps/${key}`)).body.installCount).toBe(0);
    expect((await marketplace.events(tenant.tenantId)).map(({ name }) => name)).toEqual([
      'app.installed',
      'app.uninstalled',
    ]);
    const again = await marketplace.request(tenant, 'DELETE', `/installs/${installed.id}`);
    expect([again.status, again.body.state]).toEqual([200, 'uninstalled']);
    expect((await marketplace.install(tenant, key)).status).toBe(201);
  });

  it('is for administrators', async () => {
    const { body: installed } = await marketplace.install(tenant, await published());
    const member = await marketplace.caller('member', tenant.tenantId);
    expect((await marketplace.request(member, 'DELETE', `/installs/${installed.id}`)).status).toBe(403);
  });
});
