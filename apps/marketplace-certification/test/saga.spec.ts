import { setTimeout as delay } from 'node:timers/promises';
import { RevocationSource } from '@crm/access';
import { PlatformError, type RpcRequest, rpc } from '@crm/contracts';
import { reinstateTenant, suspendTenant, waitUntil } from '@crm/testing';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { developer, marketplace, neighbours, tenant, useMarketplace } from './support/fixture.js';
import { refused } from './support/marketplace.js';
import { Gate, Neighbours } from './support/neighbours.js';
import { newKey } from './support/packages.js';

useMarketplace();

let key: string;

beforeAll(async () => {
  key = newKey();
  await marketplace.publish(developer, key);
});

const work = () =>
  marketplace.queryOf<{ leased: boolean }>(tenant, 'select lease_until is not null as leased from installation_work');
const eventNames = async () => (await marketplace.events(tenant.tenantId)).map(({ name }) => name);
const installCount = async () => (await marketplace.get(developer, `/apps/${key}`)).body.installCount;

const STEPS: [string, Parameters<Neighbours['instead']>[0], string[]][] = [
  ['objects', rpc.customObjects.provisionObjects, ['undone', 'pending', 'pending']],
  ['workflows', rpc.automations.provisionWorkflows, ['undone', 'undone', 'pending']],
  ['subscriptions', rpc.webhooks.provisionSubscriptions, ['undone', 'undone', 'undone']],
];

describe('an installation that fails', () => {
  it.each(STEPS)('at %s is undone, and the answer is the error of that step', async (name, contract, states) => {
    const before = await installCount();
    neighbours.refuse(contract, 'OBJECT_LIMIT_EXCEEDED', 'The plan has room for 3.');
    const { status, body } = await marketplace.install(tenant, key);
    expect(status).toBe(409);
    expect(body).toMatchObject({
      code: 'OBJECT_LIMIT_EXCEEDED',
      detail: 'The plan has room for 3.',
      installation: { id: expect.any(String), state: 'failed' },
      step: name,
    });
    const { body: found } = await marketplace.get(tenant, `/installs/${body.installation.id}`);
    expect(found).toMatchObject({
      state: 'failed',
      objects: [],
      hooks: [],
      subscriptions: [],
      failure: { code: 'OBJECT_LIMIT_EXCEEDED', step: name },
    });
    expect(found.steps.map(({ state }) => state)).toEqual(states);
    expect(neighbours.holds(body.installation.id)).toEqual([]);
    expect(await work()).toEqual([]);
    expect(await eventNames()).toEqual([]);
    expect(await installCount()).toBe(before);
    expect((await marketplace.get(tenant, '/installs')).body.data).toEqual([]);
    neighbours.reset();
    expect((await marketplace.install(tenant, key)).status).toBe(201);
  });

  it('has no event of its removal for which subscriptions would be kept', async () => {
    neighbours.refuse(rpc.webhooks.provisionSubscriptions, 'SUBSCRIPTION_LIMIT_EXCEEDED');
    const { body } = await marketplace.install(tenant, key);
    expect(neighbours.callsTo(rpc.webhooks.removeSubscriptions)).toEqual([
      { tenantId: tenant.tenantId, installationId: body.installation.id, discard: true },
    ]);
  });

  it('deletes the objects that it had provisioned', async () => {
    neighbours.refuse(rpc.automations.provisionWorkflows, 'WORKFLOW_INVALID');
    const { body } = await marketplace.install(tenant, key);
    expect(neighbours.callsTo(rpc.customObjects.removeObjects)).toEqual([
      { tenantId: tenant.tenantId, installationId: body.installation.id, discard: true },
    ]);
  });

  it('because of a defect does not show the reason', async () => {
    neighbours.instead(rpc.webhooks.provisionSubscriptions, () => {
      throw new Error('relation "secret_table" does not exist');
    });
    const { status, body } = await marketplace.install(tenant, key);
    expect([status, body.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(JSON.stringify(body)).not.toContain('secret_table');
    const { body: found } = await marketplace.get(tenant, `/installs/${body.installation.id}`);
    expect(JSON.stringify(found)).not.toContain('secret_table');
  });

  it('does not fail when a neighbour is away for a moment only', async () => {
    let calls = 0;
    neighbours.instead(rpc.automations.provisionWorkflows, (request) => {
      calls += 1;
      if (calls < 3) throw new PlatformError('SERVICE_UNAVAILABLE');
      return neighbours.provisionWorkflows(request);
    });
    expect((await marketplace.install(tenant, key)).status).toBe(201);
  });

  it('because a neighbour does not answer is undone, and checked again later', async () => {
    jest.replaceProperty(rpc.automations.provisionWorkflows as { timeoutMs: number }, 'timeoutMs', 300);
    neighbours.instead(rpc.automations.provisionWorkflows, () => neighbours.silence());
    const { status, body } = await marketplace.install(tenant, key);
    expect([status, body.code, body.installation.state]).toEqual([503, 'DEADLINE_EXCEEDED', 'failed']);
    // The neighbour carries out the request after all.
    neighbours.workflows.set(body.installation.id, []);
    await marketplace.queryOf(tenant, 'update installation_work set due_at = now()');
    const isRemoved = () => !neighbours.workflows.has(body.installation.id);
    await waitUntil(isRemoved, { describe: 'the late workflow is removed' });
    expect(neighbours.callsTo(rpc.customObjects.removeObjects)).toHaveLength(1);
    await waitUntil(async () => (await work()).length === 0);
    const { body: found } = await marketplace.get(tenant, `/installs/${body.installation.id}`);
    expect(found.state).toBe('failed');
  });

  it('is undone in the end, although a neighbour is away meanwhile', async () => {
    neighbours.refuse(rpc.webhooks.provisionSubscriptions, 'WEBHOOK_TARGET_REFUSED');
    neighbours.refuse(rpc.customObjects.removeObjects, 'SERVICE_UNAVAILABLE');
    const { status, body } = await marketplace.install(tenant, key);
    expect([status, body.code, body.installation.state]).toEqual([422, 'WEBHOOK_TARGET_REFUSED', 'compensating']);
    expect(neighbours.holds(body.installation.id)).toEqual(['objects']);
    await refused(marketplace.install(tenant, key), 409, 'ALREADY_INSTALLED');
    await refused(marketplace.delete(tenant, `/installs/${body.installation.id}`), 409, 'CONFLICT');
    neighbours.reset();
    await marketplace.settled(tenant, body.installation.id, 'failed');
    expect(neighbours.holds(body.installation.id)).toEqual([]);
    expect((await marketplace.install(tenant, key)).status).toBe(201);
  });

  it('waits, where its workspace is suspended, until it is reinstated', async () => {
    neighbours.refuse(rpc.webhooks.provisionSubscriptions, 'WEBHOOK_TARGET_REFUSED');
    neighbours.refuse(rpc.customObjects.removeObjects, 'SERVICE_UNAVAILABLE');
    const { body } = await marketplace.install(tenant, key);
    expect(body.installation.state).toBe('compensating');
    const isSuspended = () => marketplace.service.get(RevocationSource).isSuspended(tenant.tenantId);
    await suspendTenant(tenant.tenantId);
    await waitUntil(isSuspended);
    // What was under way at that moment comes to its end.
    await waitUntil(async () => (await work()).every(({ leased }) => !leased));
    const other = await marketplace.caller('owner');
    const theirs = await marketplace.install(other, key);
    await marketplace.queryOf(tenant, 'update installation_work set due_at = now()');
    neighbours.reset();
    // That of another workspace comes to its end: a worker has looked at what is due, and this one's was due before.
    await marketplace.settled(other, theirs.body.installation.id, 'failed');
    expect(neighbours.holds(body.installation.id)).toEqual(['objects']);
    await reinstateTenant(tenant.tenantId);
    await waitUntil(() => !isSuspended());
    await marketplace.settled(tenant, body.installation.id, 'failed');
    expect(neighbours.holds(body.installation.id)).toEqual([]);
  });
});

describe('a process that ends between two steps', () => {
  it('leaves the installation to the next process, which continues it', async () => {
    let reached = false;
    neighbours.instead(rpc.automations.provisionWorkflows, () => {
      reached = true;
      return neighbours.silence();
    });
    // Whatever the process that ends still answers.
    const answer = Promise.allSettled([marketplace.install(tenant, key)]);
    await waitUntil(() => reached, { describe: 'the second step was requested' });
    neighbours.reset();
    await marketplace.restart();
    await answer;
    const id = (await marketplace.get(tenant, '/installs')).body.data[0]?.id as string;
    await marketplace.settled(tenant, id, 'active');
    expect(neighbours.holds(id)).toEqual(['objects', 'workflows', 'subscriptions']);
    expect(neighbours.callsTo(rpc.customObjects.provisionObjects)).toEqual([]);
  });

  /** Writes the rows that a killed process leaves: committed before each call, the lease not given back. */
  async function leaveBehind(state: string, steps: string[]): Promise<string> {
    const { body } = await marketplace.install(tenant, key);
    await marketplace.database.transaction(tenant.tenantId, async (tx) => {
      await tx.query('update installation set state = $2 where id = $1', [body.id, state]);
      for (const [index, step] of steps.entries()) {
        await tx.query('update installation_step set state = $3 where installation_id = $1 and position = $2', [
          body.id,
          index + 1,
          step,
        ]);
      }
      if (state === 'installing') {
        await tx.query('update install_count set installs = installs - 1 where app_key = $1', [key]);
      }
      await tx.query(
        `insert into installation_work (tenant_id, installation_id, lease_token, lease_until)
         values ($1, $2, gen_random_uuid(), now() - interval '1 second')`,
        [tx.tenantId, body.id],
      );
    });
    neighbours.reset();
    return body.id;
  }

  it('killed while installing: the next process repeats the step that was running and publishes one event', async () => {
    const id = await leaveBehind('installing', ['done', 'running', 'pending']);
    const before = await eventNames();
    await marketplace.settled(tenant, id, 'active');
    expect(neighbours.callsTo(rpc.customObjects.provisionObjects)).toEqual([]);
    expect(neighbours.callsTo(rpc.automations.provisionWorkflows)).toHaveLength(1);
    expect(neighbours.callsTo(rpc.webhooks.provisionSubscriptions)).toHaveLength(1);
    expect(await eventNames()).toEqual([...before, 'app.installed']);
    expect(await work()).toEqual([]);
  });

  it('killed while undoing: the next process undoes the rest', async () => {
    const before = await installCount();
    const id = await leaveBehind('compensating', ['done', 'undone', 'undone']);
    await marketplace.settled(tenant, id, 'failed');
    expect(neighbours.callsTo(rpc.automations.removeWorkflows)).toEqual([]);
    expect(neighbours.objects.has(id)).toBe(false);
    expect(await installCount()).toBe(before + 1);
  });

  it('killed while removing: the next process removes the rest and counts once', async () => {
    const before = await installCount();
    const id = await leaveBehind('uninstalling', ['done', 'done', 'undone']);
    await marketplace.settled(tenant, id, 'uninstalled');
    expect(neighbours.callsTo(rpc.webhooks.removeSubscriptions)).toEqual([]);
    expect(await installCount()).toBe(before);
    expect(await eventNames()).toEqual(['app.installed', 'app.uninstalled']);
  });
});

describe('an administrator who leaves while the work continues', () => {
  /** The answers of identity once the administrator is disabled, or is a member only. */
  const LEAVING: [string, () => void][] = [
    [
      'disabled',
      () =>
        neighbours.instead(rpc.identity.mintInternalToken, () => {
          throw new PlatformError('FORBIDDEN', 'The user is not active');
        }),
    ],
    ['demoted', () => neighbours.demote()],
  ];

  it.each(LEAVING)(
    '(%s) leaves nothing of an install behind, and another administrator can install',
    async (_how, leave) => {
      neighbours.instead(rpc.customObjects.provisionObjects, (request) => {
        leave();
        return neighbours.provisionObjects(request);
      });
      const { status, body } = await marketplace.install(tenant, key);
      expect([status, body.code, body.installation.state]).toEqual([403, 'FORBIDDEN', 'failed']);
      expect(neighbours.holds(body.installation.id)).toEqual([]);
      expect(await work()).toEqual([]);
      neighbours.reset();
      const colleague = await marketplace.caller('admin', tenant.tenantId);
      expect((await marketplace.install(colleague, key)).status).toBe(201);
    },
  );

  it.each(LEAVING)('(%s) does not stop a removal that has begun', async (_how, leave) => {
    const { body } = await marketplace.install(tenant, key);
    neighbours.refuse(rpc.customObjects.removeObjects, 'SERVICE_UNAVAILABLE');
    const removal = await marketplace.delete(tenant, `/installs/${body.id}`);
    expect([removal.status, removal.body.state]).toEqual([202, 'uninstalling']);
    expect(neighbours.holds(body.id)).toEqual(['objects']);
    neighbours.reset();
    leave();
    await marketplace.settled(tenant, body.id, 'uninstalled');
    expect(neighbours.holds(body.id)).toEqual([]);
    expect(await work()).toEqual([]);
  });
});

describe('a lease', () => {
  it('that another process took over prevents further changes by its former holder', async () => {
    const gate = new Gate();
    let reached = false;
    neighbours.instead(rpc.automations.provisionWorkflows, async (request) => {
      reached = true;
      await gate.opened;
      return neighbours.provisionWorkflows(request);
    });
    const answer = marketplace.install(tenant, key);
    await waitUntil(() => reached, { describe: 'the second step was requested' });
    const taken = await marketplace.database.transaction(tenant.tenantId, (tx) =>
      tx.query<{ id: string }>(
        `update installation_work set lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour'
         returning installation_id as id`,
      ),
    );
    gate.open();
    await answer;
    const { body } = await marketplace.get(tenant, `/installs/${taken[0]?.id}`);
    expect(body.state).toBe('installing');
    expect(body.steps.map(({ state }) => state)).toEqual(['done', 'running', 'pending']);
    expect(await work()).toEqual([{ leased: true }]);
  });
});

const settles = (isSuspended: boolean) =>
  waitUntil(() => marketplace.service.get(RevocationSource).isSuspended(tenant.tenantId) === isSuspended, {
    timeoutMs: 1_000,
  });

describe('an installation in a workspace that is suspended meanwhile', () => {
  it('stops after its step, waits, and goes on there', async () => {
    neighbours.instead(rpc.customObjects.provisionObjects, async (request) => {
      const provisioned = await neighbours.provisionObjects(request);
      await suspendTenant(tenant.tenantId);
      await settles(true);
      // As identity answers from here on.
      neighbours.refuse(rpc.identity.mintInternalToken, 'WORKSPACE_SUSPENDED');
      return provisioned;
    });
    const { body } = await marketplace.install(tenant, key);
    // Several looks of the worker.
    await delay(500);
    type Provisioning = RpcRequest<typeof rpc.customObjects.provisionObjects>;
    const [asked] = neighbours.callsTo(rpc.customObjects.provisionObjects) as Provisioning[];
    const id = asked?.installationId ?? '';
    expect(neighbours.holds(id)).toEqual(['objects']);
    expect(body.code).not.toBe('WORKSPACE_SUSPENDED');
    neighbours.reset();
    await reinstateTenant(tenant.tenantId);
    await settles(false);
    await marketplace.settled(tenant, id, 'active');
    expect(neighbours.callsTo(rpc.customObjects.provisionObjects)).toEqual([]);
  });

  it('is not undone because identity knows of the suspension first', async () => {
    neighbours.refuse(rpc.identity.mintInternalToken, 'WORKSPACE_SUSPENDED');
    const installing = marketplace.install(tenant, key);
    // Longer than a step is tried again.
    await delay(2_000);
    neighbours.reset();
    await installing;
    const { body } = await marketplace.get(tenant, '/installs');
    await marketplace.settled(tenant, body.data[0]?.id as string, 'active');
  });
});
