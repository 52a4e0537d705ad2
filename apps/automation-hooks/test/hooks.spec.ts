import http from 'node:http';
import { PlatformError, type RpcRequest, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Problem, task, useAutomations } from './automations-service.js';

const { world, service, tenant, newTenant, startAnother } = useAutomations();
beforeAll(async () => {
  await world.answer(rpc.identity.admitHookSecretAct, (request) => {
    if (refusal) throw refusal;
    admitted.push(request);
    return {};
  });
});

/** The answer as text: status line, headers in their order without the date, body. */
function rawPost(path: string, body: string, headers: { [name: string]: string } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.request(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
    });
    request.on('error', reject);
    request.on('response', async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const { rawHeaders } = response;
      const shown = rawHeaders.flatMap((name, index) =>
        index % 2 === 0 && name.toLowerCase() !== 'date' ? [`${name}: ${rawHeaders[index + 1]}`] : [],
      );
      resolve([response.statusCode, response.statusMessage, ...shown, Buffer.concat(chunks).toString()].join('\n'));
    });
    request.end(body);
  });
}

describe('a hook call', () => {
  it('is answered with the id of its run', async () => {
    const { path, id } = await tenant.hooked();
    const input = { name: 'Ada', nested: { deep: [1, null, 'x'] } };
    const { status, body } = await service.request<{ runId: string }>('POST', path, { body: input });
    expect([status, body]).toEqual([202, { accepted: true, runId: expect.any(String) }]);
    const run = { id: body.runId, workflowId: id, status: 'succeeded', input };
    expect(await tenant.ended(body.runId)).toMatchObject(run);
  });

  it('carries a secret of 128 random bits', async () => {
    const secrets = new Set<string>();
    for (let index = 0; index < 5; index += 1) {
      const secret = (await tenant.hooked()).path.split('/').at(-1) as string;
      expect(Buffer.from(secret, 'base64url')).toHaveLength(16);
      secrets.add(secret);
    }
    expect(secrets.size).toBe(5);
  });

  it.each(['[]', '"text"', '7', 'null', '{', ''])('is refused when its body is %j', async (body) => {
    const { path } = await tenant.hooked();
    const answer = await service.request<Problem>('POST', path, { body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'MALFORMED_REQUEST' } });
  });

  it('may have a body of 256 KiB and not a byte more', async () => {
    const { path } = await tenant.hooked();
    const bodyOf = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    expect((await service.request('POST', path, { body: bodyOf(256 * 1024) })).status).toBe(202);
    const answer = await service.request('POST', path, { body: bodyOf(256 * 1024 + 1) });
    expect(answer).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });
});

describe('a refused hook call', () => {
  it('gets the same answer byte for byte, whatever the reason', async () => {
    const good = await tenant.hooked();
    const [secret, ...rest] = good.path.split('/').reverse() as [string, ...string[]];
    const prefix = rest.slice(1).reverse().join('/');
    const disabled = await tenant.hooked();
    await tenant.call('PATCH', `/workflows/${disabled.id}`, { enabled: false });
    const removed = await tenant.hooked();
    await tenant.call('DELETE', `/workflows/${removed.id}`);
    const other = await tenant.hooked();

    const unknown = `${prefix}/${newId()}/${secret}`;
    const expected = await rawPost(unknown, '{}');
    expect(expected).toContain('404');
    expect(expected).not.toMatch(/instance|requestId|x-request-id/i);
    /** After a body that cannot be read the connection is closed, whatever the address: nothing else differs. */
    const withoutConnection = (answer: string) => answer.replace(/^(connection|keep-alive): .*\n/gim, '');
    const wrong = {
      'a wrong secret': `${prefix}/${good.id}/${secret.slice(1)}A`,
      'the secret of another hook': `${prefix}/${other.id}/${secret}`,
      'an id that is not a UUID': `${prefix}/17/${secret}`,
      'the id in quotes': `${prefix}/%27${good.id}/${secret}`,
      'a long secret': `${prefix}/${good.id}/${'x'.repeat(400)}`,
      'a disabled workflow': disabled.path,
      'a removed workflow': removed.path,
    };
    for (const [name, path] of Object.entries(wrong)) {
      for (const body of ['{}', '[]', '{', '', `{"a":"${'x'.repeat(300 * 1024)}"}`]) {
        const answer = await rawPost(path, body);
        expect([name, body.length, answer]).toEqual([name, body.length, await rawPost(unknown, body)]);
        expect(withoutConnection(answer)).toBe(withoutConnection(expected));
      }
      const headers = { 'x-request-id': 'chosen', 'content-type': 'text/plain', authorization: 'Bearer x' };
      const answer = await rawPost(path, 'text', headers);
      expect([name, answer]).toEqual([name, await rawPost(unknown, 'text', headers)]);
      expect(withoutConnection(answer)).toBe(withoutConnection(expected));
    }
    // A workflow that is enabled again accepts calls at its old address.
    await tenant.call('PATCH', `/workflows/${disabled.id}`, { enabled: true });
    expect((await service.request('POST', disabled.path, { body: {} })).status).toBe(202);
  });

  it('stores no run', async () => {
    const { path } = await tenant.hooked();
    await service.request('POST', `${path}x`, { body: {} });
    await service.request('POST', path, { body: [] });
    expect(await tenant.runs()).toEqual([]);
  });
});

describe('the secret of a hook', () => {
  it('is stored as a hash and encrypted, never in plain text; the previous one is only a hash', async () => {
    const { path, id } = await tenant.hooked();
    const paths = [path, pathOf(await rotate(id))];
    const rows = await world.sql(
      `SELECT hook::text || encode(hook.secret_hash, 'escape') || encode(hook_secret.sealed, 'escape')
                || workflow::text AS stored
         FROM hook JOIN hook_secret USING (workflow_id) JOIN workflow ON workflow.id = workflow_id WHERE workflow_id = $1`,
      id,
    );
    for (const one of paths) expect(rows[0]?.stored).not.toContain(one.split('/').at(-1));
  });

  it('is shown to administrators only, as a part of the hook URL', async () => {
    const { path, id } = await tenant.hooked();
    const secret = path.split('/').at(-1) as string;
    const shown = await tenant.call<{ hookUrl: string }>('GET', `/workflows/${id}/hook`);
    expect(shown.body.hookUrl).toBe(`https://crm.example.com${path}`);
    const member = await tenant.as('member');
    expect((await member('GET', `/workflows/${id}/hook`)).status).toBe(403);
    expect(JSON.stringify((await member('GET', `/workflows/${id}`)).body)).not.toContain(secret);
    expect(JSON.stringify((await tenant.call('GET', '/workflows')).body)).not.toContain(secret);
  });

  it('does not appear in the answer to a refused body', async () => {
    const { path } = await tenant.hooked();
    const { body } = await service.request('POST', path, { body: '{' });
    expect(JSON.stringify(body)).not.toContain(path.split('/').at(-1));
  });
});

describe('hook calls for one id', () => {
  it('with wrong secrets leave the calls of other addresses alone', async () => {
    const behind = { ...world.configure().service, trustedProxies: ['127.0.0.1'] };
    const strict = await startAnother({}, { callsPerTenSeconds: 3, service: behind });
    const { path } = await tenant.hooked();
    const wrong = path.replace(/[^/]+$/, 'x'.repeat(22));
    const call = async (target: string, address: string) =>
      (await strict.request('POST', target, { body: {}, headers: { 'x-forwarded-for': address } })).status;
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push(await call(wrong, '192.0.2.66'));
    expect(statuses).toEqual([404, 404, 404, 429, 429]);
    expect([await call(path, '192.0.2.1'), await call(path, '192.0.2.66')]).toEqual([202, 429]);
  });

  it('are limited, whether the workflow exists or not', async () => {
    const strict = await startAnother({}, { callsPerTenSeconds: 3 });
    const { path } = await tenant.hooked();
    for (const status of [202, 404]) {
      const target = status === 202 ? path : path.replace(/hooks\/[^/]+/, `hooks/${newId()}`);
      const call = () => strict.request<Problem>('POST', target, { body: {} });
      const statuses: number[] = [];
      for (let index = 0; index < 4; index += 1) statuses.push((await call()).status);
      expect(statuses).toEqual([status, status, status, 429]);
      const limited = await call();
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(limited.headers.get('ratelimit-policy')).toBe('"hook";q=3;w=10');
      expect(limited.headers.get('ratelimit')).toMatch(/^"hook";r=0;t=\d+$/);
      expect(limited.body.code).toBe('RATE_LIMITED');
    }
  });
});

type NewSecret = { hookUrl: string; previousSecretValidUntil: string | null };
type Secret = { createdAt: string; lastUsedAt: string | null };
type HookBody = { hookUrl: string; secret: Secret; previousSecret: (Secret & { validUntil: string }) | null };

const HOUR_MS = 3_600_000;
/** What identity was asked to admit; it refuses while `refusal` is set. */
let admitted: RpcRequest<typeof rpc.identity.admitHookSecretAct>[];
let refusal: PlatformError | undefined;
beforeEach(() => {
  [admitted, refusal] = [[], undefined];
});

const start = async (path: string) => (await service.request('POST', path, { body: {} })).status;
const rotate = (id: string, body?: object) => tenant.call<NewSecret & Problem>('POST', `/workflows/${id}/hook`, body);
const endPrevious = (id: string) => tenant.call<Problem>('DELETE', `/workflows/${id}/hook/previous-secret`);
const shown = async (id: string) => (await tenant.call<HookBody>('GET', `/workflows/${id}/hook`)).body;
const pathOf = ({ body }: { body: NewSecret }) => new URL(body.hookUrl).pathname;

describe('a new secret of a hook', () => {
  it('makes another URL, and the previous one works for a day', async () => {
    const { id, path } = await tenant.hooked();
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
    const { id, path } = await tenant.hooked();
    const answer = await rotate(id, { overlapHours: 0 });
    expect(answer.body.previousSecretValidUntil).toBeNull();
    expect([await start(path), await start(pathOf(answer))]).toEqual([404, 202]);
    expect((await shown(id)).previousSecret).toBeNull();
  });

  it('leaves two at most: the one before the previous one ends', async () => {
    const { id, path } = await tenant.hooked();
    const second = pathOf(await rotate(id));
    const third = pathOf(await rotate(id));
    expect([await start(path), await start(second), await start(third)]).toEqual([404, 202, 202]);
  });

  it('is valid alone once the overlap is over', async () => {
    const { id, path } = await tenant.hooked();
    const next = pathOf(await rotate(id, { overlapHours: 1 }));
    await world.sql('UPDATE hook SET previous_valid_until = now() WHERE workflow_id = $1', id);
    expect([await start(path), await start(next)]).toEqual([404, 202]);
    expect((await shown(id)).previousSecret).toBeNull();
    expect((await endPrevious(id)).status).toBe(404);
  });

  it('is one of many asked for at the same time, and the URL that is shown works', async () => {
    const { id } = await tenant.hooked();
    const answers = await Promise.all([1, 2, 3, 4].map(() => rotate(id)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const path = new URL((await shown(id)).hookUrl).pathname;
    expect(answers.map(pathOf)).toContain(path);
    expect(await start(path)).toBe(202);
    const works = await Promise.all(answers.map((answer) => start(pathOf(answer))));
    expect(works.filter((status) => status === 202)).toHaveLength(2);
  });

  it('is made once identity has admitted it, and not without', async () => {
    const { id, path } = await tenant.hooked();
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
    const { id } = await tenant.hooked();
    expect(await rotate(id, body)).toMatchObject({ status: 422, body: { code: 'VALIDATION_FAILED' } });
    expect(admitted).toEqual([]);
  });

  it('is not for a workflow that events start, one of another workspace, and people who do not administer', async () => {
    const other = await tenant.onEvent('lead.created');
    const { id } = await tenant.hooked();
    const stranger = await newTenant();
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
    const { id, path } = await tenant.hooked();
    const next = pathOf(await rotate(id));
    expect((await endPrevious(id)).status).toBe(204);
    expect([await start(path), await start(next)]).toEqual([404, 202]);
    const again = await endPrevious(id);
    expect([again.status, again.body.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('does not come back with a workflow that is given a hook again', async () => {
    const installationId = newId();
    const automation = (trigger: object) => ({ key: 'sync', name: 'Sync', trigger, actions: [task()] });
    const provision = (trigger: object) => tenant.provision(installationId, [automation(trigger)]);
    const called = { type: 'webhook_received' };
    const [hook] = await provision(called);
    const first = new URL(hook?.url ?? '').pathname;
    const second = pathOf(await rotate(hook?.workflowId ?? ''));
    await provision({ type: 'event', event: 'lead.created' });
    const [again] = await provision(called);
    const third = new URL(again?.url ?? '').pathname;
    expect(again?.workflowId).toBe(hook?.workflowId);
    expect([await start(first), await start(second), await start(third)]).toEqual([404, 404, 202]);
  });
});

describe('the last use of a secret', () => {
  const minutesAgo = async (id: string) =>
    world.sql(
      `UPDATE hook SET secret_last_used_at = now() - interval '6 minutes',
         previous_secret_last_used_at = now() - interval '6 minutes' WHERE workflow_id = $1`,
      id,
    );

  it('is shown for each of the two', async () => {
    const { id, path } = await tenant.hooked();
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
    const { id, path } = await tenant.hooked();
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
