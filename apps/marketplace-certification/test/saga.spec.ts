import { setTimeout as delay } from 'node:timers/promises';
import { RevocationSource } from '@crm/access';
import { PlatformError, type RpcRequest, rpc } from '@crm/contracts';
import { reinstateTenant, suspendTenant, waitUntil } from '@crm/testing';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { developer, marketplace, neighbours, refused, tenant, useMarketplace } from './support/marketplace.js';

useMarketplace();

let key: string;

beforeAll(async () => {
  key = await marketplace.published(developer);
});

const work = () =>
  marketplace.queryOf<{ leased: boolean }>(tenant, 'select lease_until is not null as leased from installation_work');
const eventNames = async () => (await marketplace.events(tenant.tenantId)).map(({ name }) => name);
const makeDue = () => marketplace.queryOf(tenant, 'update installation_work set due_at = now()');
const installCount = async () => (await marketplace.get(developer, `/apps/${key}`)).body.installCount;

/** Waits until the second step of an installation was requested. */
const secondStep = () => waitUntil(() => neighbours.callsTo(rpc.automations.provisionWorkflows).length > 0);
const STEPS = [
  { name: 'objects', provision: rpc.customObjects.provisionObjects, remove: rpc.customObjects.removeObjects },
  { name: 'workflows', provision: rpc.automations.provisionWorkflows, remove: rpc.automations.removeWorkflows },
  { name: 'subscriptions', provision: rpc.webhooks.provisionSubscriptions, remove: rpc.webhooks.removeSubscriptions },
];

/** Waits until the service knows whether the workspace is suspended. */
const settles = (isSuspended: boolean) =>
  waitUntil(() => marketplace.service.get(RevocationSource).isSuspended(tenant.tenantId) === isSuspended, {
    timeoutMs: 1_000,
  });

describe('an installation that fails', () => {
  it.each(STEPS)('at $name is undone, and the answer is the error of that step', async ({ name, provision }) => {
    const undone = STEPS.slice(0, STEPS.findIndex((step) => step.name === name) + 1);
    const before = await installCount();
    neighbours.refuse(provision, 'OBJECT_LIMIT_EXCEEDED', 'The plan allows 3.');
    const { status, body } = await marketplace.install(tenant, key);
    expect(status).toBe(409);
    expect(body).toMatchObject({
      code: 'OBJECT_LIMIT_EXCEEDED',
      detail: 'The plan allows 3.',
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
    const states = STEPS.map((step) => (undone.includes(step) ? 'undone' : 'pending'));
    expect(found.steps.map(({ state }) => state)).toEqual(states);
    // With all that it had provisioned, and no event of its removal is kept for subscriptions.
    const request = { tenantId: tenant.tenantId, installationId: body.installation.id };
    expect(neighbours.calls.filter((call) => call.name.endsWith('.remove'))).toEqual(
      undone.reverse().map((step) => ({
        name: step.remove.subject,
        request: step.name === 'workflows' ? request : { ...request, discard: true },
      })),
    );
    expect(neighbours.holds(body.installation.id)).toEqual([]);
    expect(await work()).toEqual([]);
    expect(await eventNames()).toEqual([]);
    expect(await installCount()).toBe(before);
    expect((await marketplace.get(tenant, '/installs')).body.data).toEqual([]);
    neighbours.reset();
    expect((await marketplace.install(tenant, key)).status).toBe(201);
  });

  it('because of a defect does not show the reason', async () => {
    neighbours.instead(rpc.webhooks.provisionSubscriptions, () => {
      throw new Error('relation "secret_table" does not exist');
    });
    const { status, body } = await marketplace.install(tenant, key);
    expect([status, body.code]).toEqual([500, 'INTERNAL_ERROR']);
    const { body: found } = await marketplace.get(tenant, `/installs/${body.installation.id}`);
    expect(JSON.stringify([body, found])).not.toContain('secret_table');
  });

  it('does not fail when a neighbour is away for a moment only', async () => {
    neighbours.instead(rpc.automations.provisionWorkflows, (request) => {
      if (neighbours.callsTo(rpc.automations.provisionWorkflows).length < 3)
        throw new PlatformError('SERVICE_UNAVAILABLE');
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
    await makeDue();
    const isRemoved = () => !neighbours.workflows.has(body.installation.id);
    await waitUntil(isRemoved, { describe: 'the late workflow is removed' });
    expect(neighbours.callsTo(rpc.customObjects.removeObjects)).toHaveLength(1);
    await waitUntil(async () => (await work()).length === 0);
    const { body: found } = await marketplace.get(tenant, `/installs/${body.installation.id}`);
    expect(found.state).toBe('failed');
  });

  /** An installation that cannot be undone yet. @returns its id */
  async function compensating(): Promise<string> {
    neighbours.refuse(rpc.webhooks.provisionSubscriptions, 'WEBHOOK_TARGET_REFUSED');
    neighbours.refuse(rpc.customObjects.removeObjects, 'SERVICE_UNAVAILABLE');
    const { status, body } = await marketplace.install(tenant, key);
    expect([status, body.code, body.installation.state]).toEqual([422, 'WEBHOOK_TARGET_REFUSED', 'compensating']);
    return body.installation.id;
  }

  it('is undone in the end, although a neighbour is away meanwhile', async () => {
    const id = await compensating();
    expect(neighbours.holds(id)).toEqual(['objects']);
    await refused(marketplace.install(tenant, key), 409, 'ALREADY_INSTALLED');
    await refused(marketplace.delete(tenant, `/installs/${id}`), 409, 'CONFLICT');
    neighbours.reset();
    await marketplace.settled(tenant, id, 'failed');
    expect(neighbours.holds(id)).toEqual([]);
    expect((await marketplace.install(tenant, key)).status).toBe(201);
  });

  it('waits, where its workspace is suspended, until it is reinstated', async () => {
    const id = await compensating();
    await suspendTenant(tenant.tenantId);
    await settles(true);
    // What was under way at that moment comes to its end.
    await waitUntil(async () => (await work()).every(({ leased }) => !leased));
    const other = await marketplace.caller('owner');
    const theirs = await marketplace.install(other, key);
    await makeDue();
    neighbours.reset();
    // That of another workspace comes to its end: a worker has looked at what is due, and this one's was due before.
    await marketplace.settled(other, theirs.body.installation.id, 'failed');
    expect(neighbours.holds(id)).toEqual(['objects']);
    await reinstateTenant(tenant.tenantId);
    await settles(false);
    await marketplace.settled(tenant, id, 'failed');
    expect(neighbours.holds(id)).toEqual([]);
  });
});

describe('a process that ends between two steps', () => {
  it('leaves the installation to the next process, which continues it', async () => {
    neighbours.instead(rpc.automations.provisionWorkflows, () => neighbours.silence());
    // Whatever the process that ends still answers.
    const answer = Promise.allSettled([marketplace.install(tenant, key)]);
    await secondStep();
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
      await tx.query(
        `update installation_step as step set state = left_behind.state
           from unnest($2::text[]) with ordinality as left_behind (state, position)
          where step.installation_id = $1 and step.position = left_behind.position`,
        [body.id, steps],
      );
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
    ['disabled', () => neighbours.refuse(rpc.identity.mintInternalToken, 'FORBIDDEN', "The user isn't active")],
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
    const gate = neighbours.holdWorkflows();
    const answer = marketplace.install(tenant, key);
    await secondStep();
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

describe('an installation in a workspace that is suspended meanwhile', () => {
  it('stops after its step, waits, and goes on there', async () => {
    neighbours.instead(rpc.customObjects.provisionObjects, async (request) => {
      const provisioned = await neighbours.provisionObjects(request);
      await suspendTenant(tenant.tenantId);
      await settles(true);
      // Identity answers so from here on.
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
