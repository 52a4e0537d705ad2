import { PlatformError, type RpcRequest, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Problem, type Service, startWorld, type Tenant, tenantOn, type World } from './automations-service.js';

interface NewSecret {
  hookUrl: string;
  previousSecretValidUntil: string | null;
}
interface HookBody {
  hookUrl: string;
  secret: { createdAt: string; lastUsedAt: string | null };
  previousSecret: { createdAt: string; lastUsedAt: string | null; validUntil: string } | null;
}

const HOUR_MS = 3_600_000;
const workflow = { actions: [{ type: 'create_task', title: 'Call {{name}}' }] };

let world: World;
let service: Service;
let tenant: Tenant;
/** What identity was asked to admit; it refuses while `refusal` is set. */
let admitted: RpcRequest<typeof rpc.identity.admitHookSecretAct>[];
let refusal: PlatformError | undefined;

beforeAll(async () => {
  world = await startWorld();
  await world.answer(rpc.identity.admitHookSecretAct, (request) => {
    if (refusal) throw refusal;
    admitted.push(request);
    return {};
  });
  service = await world.start({ concurrency: 0 });
});
beforeEach(async () => {
  [admitted, refusal] = [[], undefined];
  tenant = await tenantOn(world, service);
});
afterAll(async () => {
  await service?.close();
  await world?.close();
});

const start = async (path: string) => (await service.request('POST', path, { body: {} })).status;
const rotate = (id: string, body?: object) => tenant.call<NewSecret & Problem>('POST', `/workflows/${id}/hook`, body);
const endPrevious = (id: string) => tenant.call<Problem>('DELETE', `/workflows/${id}/hook/previous-secret`);
const shown = async (id: string) => (await tenant.call<HookBody>('GET', `/workflows/${id}/hook`)).body;
const pathOf = ({ body }: { body: NewSecret }) => new URL(body.hookUrl).pathname;

describe('a new secret of a hook', () => {
  it('makes another URL, and the previous one works for a day', async () => {
    const { id, path } = await tenant.hooked(workflow);
    const before = Date.now();
    const answer = await rotate(id);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const next = pathOf(answer);
    expect(next).not.toBe(path);
    const until = Date.parse(answer.body.previousSecretValidUntil ?? '');
    expect(until).toBeGreaterThan(before + 24 * HOUR_MS - 60_000);
    expect(until).toBeLessThan(Date.now() + 24 * HOUR_MS + 60_000);
    expect([await start(path), await start(next)]).toEqual([202, 202]);
    expect((await shown(id)).hookUrl).toBe(answer.body.hookUrl);
  });

  it('ends the previous one at once when no overlap is asked for', async () => {
    const { id, path } = await tenant.hooked(workflow);
    const answer = await rotate(id, { overlapHours: 0 });
    expect(answer.body.previousSecretValidUntil).toBeNull();
    expect([await start(path), await start(pathOf(answer))]).toEqual([404, 202]);
    expect((await shown(id)).previousSecret).toBeNull();
  });

  it('leaves two at most: the one before the previous one ends', async () => {
    const { id, path } = await tenant.hooked(workflow);
    const second = pathOf(await rotate(id));
    const third = pathOf(await rotate(id));
    expect([await start(path), await start(second), await start(third)]).toEqual([404, 202, 202]);
  });

  it('is valid alone once the overlap is over', async () => {
    const { id, path } = await tenant.hooked(workflow);
    const next = pathOf(await rotate(id, { overlapHours: 1 }));
    await world.admin.query('UPDATE hook SET previous_valid_until = now() WHERE workflow_id = $1', [id]);
    expect([await start(path), await start(next)]).toEqual([404, 202]);
    expect((await shown(id)).previousSecret).toBeNull();
    expect((await endPrevious(id)).status).toBe(404);
  });

  it('is sealed, and the previous one is only a hash', async () => {
    const { id, path } = await tenant.hooked(workflow);
    const next = pathOf(await rotate(id));
    const { rows } = await world.admin.query(
      `SELECT hook::text || encode(hook_secret.sealed, 'escape') AS stored
         FROM hook JOIN hook_secret USING (workflow_id) WHERE workflow_id = $1`,
      [id],
    );
    for (const secret of [path, next]) expect(rows[0].stored).not.toContain(secret.split('/').at(-1));
  });

  it('is one of many asked for at the same time, and the URL that is shown works', async () => {
    const { id } = await tenant.hooked(workflow);
    const answers = await Promise.all([1, 2, 3, 4].map(() => rotate(id)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const path = new URL((await shown(id)).hookUrl).pathname;
    expect(answers.map(pathOf)).toContain(path);
    expect(await start(path)).toBe(202);
    const works = await Promise.all(answers.map((answer) => start(pathOf(answer))));
    expect(works.filter((status) => status === 202)).toHaveLength(2);
  });

  it('is made once identity has admitted it, and not without', async () => {
    const { id, path } = await tenant.hooked(workflow);
    refusal = new PlatformError('STEP_UP_REQUIRED');
    const refused = await rotate(id);
    expect([refused.status, refused.body.code]).toEqual([403, 'STEP_UP_REQUIRED']);
    expect((await shown(id)).hookUrl.endsWith(path)).toBe(true);
    refusal = undefined;
    expect((await rotate(id, { overlapHours: 2 })).status).toBe(201);
    expect((await endPrevious(id)).status).toBe(204);
    expect(admitted).toEqual([
      { act: 'issued', workflowId: id, overlapSeconds: 7200 },
      { act: 'previous_revoked', workflowId: id },
    ]);
  });

  it.each([
    ['an overlap of more than a week', { overlapHours: 169 }],
    ['a negative overlap', { overlapHours: -1 }],
    ['a key that is not declared', { overlap: 1 }],
  ])('is refused with %s', async (_what, body) => {
    const { id } = await tenant.hooked(workflow);
    expect(await rotate(id, body)).toMatchObject({ status: 422, body: { code: 'VALIDATION_FAILED' } });
    expect(admitted).toEqual([]);
  });

  it('is not for a workflow that events start, one of another workspace, and people who do not administer', async () => {
    const { body: other } = await tenant.call<{ id: string }>('POST', '/workflows', {
      name: 'By event',
      trigger: { type: 'event', event: 'lead.created' },
      ...workflow,
    });
    const { id } = await tenant.hooked(workflow);
    const stranger = await tenantOn(world, service);
    const member = await tenant.as('member');
    for (const [call, status] of [
      [rotate(other.id), 404],
      [rotate(newId()), 404],
      [stranger.call('POST', `/workflows/${id}/hook`), 404],
      [stranger.call('DELETE', `/workflows/${id}/hook/previous-secret`), 404],
      [member('POST', `/workflows/${id}/hook`), 403],
      [member('DELETE', `/workflows/${id}/hook/previous-secret`), 403],
    ] as const) {
      expect((await call).status).toBe(status);
    }
    expect(admitted).toEqual([]);
  });
});

describe('the previous secret of a hook', () => {
  it('can be ended before its time, once', async () => {
    const { id, path } = await tenant.hooked(workflow);
    const next = pathOf(await rotate(id));
    expect((await endPrevious(id)).status).toBe(204);
    expect([await start(path), await start(next)]).toEqual([404, 202]);
    const again = await endPrevious(id);
    expect([again.status, again.body.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('does not come back with a workflow that is given a hook again', async () => {
    const installationId = newId();
    const automation = (trigger: object) => ({ key: 'sync', name: 'Sync', trigger, ...workflow });
    const marketplace = await world.marketplace();
    const token = await world.tokens.sign({ tid: tenant.tenantId, sub: tenant.userId, roles: ['admin'], scopes: [] });
    const provision = (trigger: object) =>
      marketplace.call(
        rpc.automations.provisionWorkflows,
        { installationId, appKey: 'acme', grantedScopes: [], objectNames: {}, automations: [automation(trigger)] },
        { token },
      );
    const called = { type: 'webhook_received' };
    const [hook] = (await provision(called)).hooks;
    const first = new URL(hook?.url ?? '').pathname;
    const second = pathOf(await rotate(hook?.workflowId ?? ''));
    await provision({ type: 'event', event: 'lead.created' });
    const [again] = (await provision(called)).hooks;
    const third = new URL(again?.url ?? '').pathname;
    expect(again?.workflowId).toBe(hook?.workflowId);
    expect([await start(first), await start(second), await start(third)]).toEqual([404, 404, 202]);
  });
});

describe('the last use of a secret', () => {
  const minutesAgo = async (id: string) =>
    world.admin.query(
      `UPDATE hook SET secret_last_used_at = now() - interval '6 minutes',
         previous_secret_last_used_at = now() - interval '6 minutes' WHERE workflow_id = $1`,
      [id],
    );

  it('is shown for each of the two', async () => {
    const { id, path } = await tenant.hooked(workflow);
    expect((await shown(id)).secret).toEqual({ createdAt: expect.any(String), lastUsedAt: null });
    await start(path);
    const used = (await shown(id)).secret;
    expect(Date.now() - Date.parse(used.lastUsedAt ?? '')).toBeLessThan(60_000);
    await rotate(id);
    const { secret, previousSecret } = await shown(id);
    expect(secret.lastUsedAt).toBeNull();
    expect(previousSecret).toEqual({ ...used, validUntil: expect.any(String) });
    await minutesAgo(id);
    await start(path);
    const { secret: unused, previousSecret: inUse } = await shown(id);
    expect(Date.now() - Date.parse(inUse?.lastUsedAt ?? '')).toBeLessThan(60_000);
    expect(Date.now() - Date.parse(unused.lastUsedAt ?? '')).toBeGreaterThan(5 * 60_000);
  });

  it('is written once in five minutes, and never for a wrong secret', async () => {
    const { id, path } = await tenant.hooked(workflow);
    expect(await start(`${path}x`)).toBe(404);
    expect((await shown(id)).secret.lastUsedAt).toBeNull();
    await start(path);
    const { lastUsedAt } = (await shown(id)).secret;
    await Promise.all(Array.from({ length: 10 }, () => start(path)));
    expect((await shown(id)).secret.lastUsedAt).toBe(lastUsedAt);
    await minutesAgo(id);
    await start(path);
    expect((await shown(id)).secret.lastUsedAt).not.toBe(lastUsedAt);
  });
});
