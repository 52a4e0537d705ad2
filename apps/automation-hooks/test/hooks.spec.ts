import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { PlatformError, type RpcRequest, rpc } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { runReencrypt, unlistedColumns } from '@crm/encryption';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sealedColumns } from '../src/hook/hook.service.js';
import { BASE_URL, type Problem, task, useAutomations } from './automations-service.js';

const { world, service, tenant, newTenant, startAnother } = useAutomations();
beforeAll(async () => {
  await world.answer(rpc.identity.recordAct, (request) => {
    if (refusal) throw refusal;
    recorded.push(request);
    return {};
  });
});

/** The answer as text: status line, headers in their order without the date, body. */
async function rawPost(path: string, body: string, headers: { [name: string]: string } = {}): Promise<string> {
  const request = http.request(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
  });
  // A body that is refused before its end may break the connection after the answer.
  request.on('error', () => undefined).end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const { rawHeaders, statusCode, statusMessage } = response;
  const shown = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() !== 'date' ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  );
  return [statusCode, statusMessage, ...shown, await text(response)].join('\n');
}

describe('a hook call', () => {
  it('is answered with the id of its run', async () => {
    const input = { name: 'Ada', nested: { deep: [1, null, 'x'] } };
    const { status, body } = await service.request<{ runId: string }>('POST', path, { body: input });
    expect([status, body]).toEqual([202, { accepted: true, runId: expect.any(String) }]);
    const run = { id: body.runId, workflowId: id, status: 'succeeded', input };
    expect(await tenant.ended(body.runId)).toMatchObject(run);
  });

  it('carries a secret of 128 random bits', async () => {
    const others = await Promise.all([1, 2, 3, 4].map(() => tenant.hooked()));
    const secrets = [path, ...others.map((other) => other.path)].map(secretIn);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(16);
    expect(new Set(secrets).size).toBe(5);
  });

  it.each(['[]', '"text"', '7', 'null', '{', ''])('is refused and starts no run when its body is %j', async (body) => {
    const answer = await service.request<Problem>('POST', path, { body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'MALFORMED_REQUEST' } });
    expect(JSON.stringify(answer.body)).not.toContain(secretIn(path));
    expect(await tenant.runs()).toEqual([]);
  });

  it('may have a body of 256 KiB and not a byte more', async () => {
    const bodyOf = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    expect((await service.request('POST', path, { body: bodyOf(256 * 1024) })).status).toBe(202);
    const answer = await service.request('POST', path, { body: bodyOf(256 * 1024 + 1) });
    expect(answer).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });
});

describe('a refused hook call', () => {
  it('gets the same answer byte for byte, whatever the reason, and starts no run', async () => {
    const [secret, ...rest] = path.split('/').reverse() as [string, ...string[]];
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
      'a wrong secret': `${prefix}/${id}/${secret.slice(1)}A`,
      'the secret of another hook': `${prefix}/${other.id}/${secret}`,
      'an id that is not a UUID': `${prefix}/17/${secret}`,
      'the id in quotes': `${prefix}/%27${id}/${secret}`,
      'a long secret': `${prefix}/${id}/${'x'.repeat(400)}`,
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
    expect(await tenant.runs()).toEqual([]);
    // A workflow that is enabled again accepts calls at its old address.
    await tenant.call('PATCH', `/workflows/${disabled.id}`, { enabled: true });
    expect((await service.request('POST', disabled.path, { body: {} })).status).toBe(202);
  });
});

describe('the secret of a hook', () => {
  it('is stored as a hash and encrypted, never in plain text; the previous one is only a hash', async () => {
    const paths = [path, pathOf(await rotate(id))];
    const rows = await world.sql(
      `SELECT hook::text || encode(hook.secret_hash, 'escape') || encode(hook_secret.sealed, 'escape')
                || workflow::text AS stored
         FROM hook, hook_secret JOIN workflow ON workflow.tenant_id = hook_secret.tenant_id AND workflow.id = workflow_id
        WHERE hook.workflow_id = $1 AND hook_secret.workflow_id = $1 AND hook_secret.tenant_id = $2`,
      id,
      tenant.tenantId,
    );
    for (const one of paths) expect(rows[0]?.stored).not.toContain(secretIn(one));
  });

  it('is shown as a part of the hook URL alone', async () => {
    expect((await shown(id)).hookUrl).toBe(`${BASE_URL}${path}`);
    const member = await tenant.as('member');
    for (const answer of [await member('GET', `/workflows/${id}`), await tenant.call('GET', '/workflows')])
      expect(JSON.stringify(answer.body)).not.toContain(secretIn(path));
  });
});

describe('hook calls for one id', () => {
  it('are limited for each address, whether the workflow exists or not', async () => {
    const behind = { ...world.configure().service, trustedProxies: ['127.0.0.1'] };
    const strict = await startAnother({}, { callsPerTenSeconds: 3, service: behind });
    const call = (target: string, address: string) =>
      strict.request<Problem>('POST', target, { body: {}, headers: { 'x-forwarded-for': address } });
    for (const [target, status, address] of [
      [path, 202, '192.0.2.1'],
      [path.replace(/hooks\/[^/]+/, `hooks/${newId()}`), 404, '192.0.2.1'],
      [`${path}x`, 404, '192.0.2.2'],
    ] as const) {
      for (let index = 0; index < 3; index += 1) expect((await call(target, address)).status).toBe(status);
      const limited = await call(target, address);
      expect([limited.status, limited.body.code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(limited.headers.get('ratelimit-policy')).toBe('"hook";q=3;w=10');
      expect(limited.headers.get('ratelimit')).toMatch(/^"hook";r=0;t=\d+$/);
    }
    // Wrong secrets have left the calls of other addresses alone, and shut the hook for their own.
    expect([(await call(path, '192.0.2.3')).status, (await call(path, '192.0.2.2')).status]).toEqual([202, 429]);
  });
});

type NewSecret = { hookUrl: string; previousSecretValidUntil: string | null };
type Secret = { createdAt: string; lastUsedAt: string | null };
type HookBody = { hookUrl: string; secret: Secret; previousSecret: (Secret & { validUntil: string }) | null };

const HOUR_MS = 3_600_000;
/** What identity was told to write to the audit trail; it refuses while `refusal` is set. */
let recorded: RpcRequest<typeof rpc.identity.recordAct>[];
let refusal: PlatformError | undefined;
/** The workflow of a test, and the path of its hook. */
let id: string;
let path: string;
beforeEach(async () => {
  [recorded, refusal] = [[], undefined];
  ({ id, path } = await tenant.hooked());
});

const secretIn = (path: string) => path.split('/').at(-1) as string;
const start = async (path: string) => (await service.request('POST', path, { body: {} })).status;
const rotate = (id: string, body?: object) => tenant.call<NewSecret & Problem>('POST', `/workflows/${id}/hook`, body);
const endPrevious = (id: string) => tenant.call<Problem>('DELETE', `/workflows/${id}/hook/previous-secret`);
const shown = async (id: string) => (await tenant.call<HookBody>('GET', `/workflows/${id}/hook`)).body;
const pathOf = ({ body }: { body: NewSecret }) => new URL(body.hookUrl).pathname;

describe('a new secret of a hook', () => {
  it('makes another URL, and the previous one works for a day', async () => {
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

  it('leaves two at most: the one before the previous one ends', async () => {
    const second = pathOf(await rotate(id));
    const third = pathOf(await rotate(id));
    expect([await start(path), await start(second), await start(third)]).toEqual([404, 202, 202]);
  });

  it.each([
    ['at once when no overlap is asked for', 0],
    ['once the overlap is over', 1],
  ])('is valid alone %s', async (_when, overlapHours) => {
    const answer = await rotate(id, { overlapHours });
    expect(answer.body.previousSecretValidUntil === null).toBe(overlapHours === 0);
    if (overlapHours > 0) await world.sql('UPDATE hook SET previous_valid_until = now() WHERE workflow_id = $1', id);
    expect([await start(path), await start(pathOf(answer))]).toEqual([404, 202]);
    expect((await shown(id)).previousSecret).toBeNull();
    expect((await endPrevious(id)).status).toBe(404);
  });

  it('is one of many asked for at the same time, and the URL that is shown works', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => rotate(id)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const path = new URL((await shown(id)).hookUrl).pathname;
    expect(answers.map(pathOf)).toContain(path);
    expect(await start(path)).toBe(202);
    const works = await Promise.all(answers.map((answer) => start(pathOf(answer))));
    expect(works.filter((status) => status === 202)).toHaveLength(2);
  });

  it('is made once the audit trail has it, and not without', async () => {
    refusal = new PlatformError('SERVICE_UNAVAILABLE');
    const refused = await rotate(id);
    expect([refused.status, refused.body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect((await shown(id)).hookUrl.endsWith(path)).toBe(true);
    refusal = undefined;
    expect((await rotate(id, { overlapHours: 2 })).status).toBe(201);
    expect((await endPrevious(id)).status).toBe(204);
    expect(recorded).toEqual([
      { action: 'hook_secret.issued', subjectId: id, detail: { overlapSeconds: 7200 } },
      { action: 'hook_secret.previous_revoked', subjectId: id },
    ]);
  });

  it.each([{ overlapHours: 169 }, { overlapHours: -1 }, { overlap: 1 }])('is refused with %j', async (body) => {
    expect(await rotate(id, body)).toMatchObject({ status: 422, body: { code: 'VALIDATION_FAILED' } });
    expect(recorded).toEqual([]);
  });

  it('is not for a workflow that events start, nor for one that does not exist', async () => {
    const other = await tenant.onEvent('lead.created');
    for (const id of [other.id, newId()]) expect((await rotate(id)).status).toBe(404);
    expect(recorded).toEqual([]);
  });
});

describe('the previous secret of a hook', () => {
  it('can be ended before its time, once', async () => {
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
    expect(await provision({ type: 'event', event: 'lead.created' })).toEqual([]);
    expect(await start(second)).toBe(404);
    const [again] = await provision(called);
    const third = new URL(again?.url ?? '').pathname;
    expect(again?.workflowId).toBe(hook?.workflowId);
    expect([await start(first), await start(second), await start(third)]).toEqual([404, 404, 202]);
  });
});

it('the last use of each secret is shown, noted once in five minutes and never for a wrong secret', async () => {
  const sinceUse = ({ lastUsedAt }: Partial<Secret> = {}) => Date.now() - Date.parse(lastUsedAt ?? '');
  expect(await start(`${path}x`)).toBe(404);
  expect((await shown(id)).secret).toEqual({ createdAt: expect.any(String), lastUsedAt: null });
  await start(path);
  const used = (await shown(id)).secret;
  expect(sinceUse(used)).toBeLessThan(60_000);
  await Promise.all(Array.from({ length: 10 }, () => start(path)));
  expect((await shown(id)).secret).toEqual(used);
  await rotate(id);
  const { secret, previousSecret } = await shown(id);
  expect([secret.lastUsedAt, previousSecret]).toEqual([null, { ...used, validUntil: expect.any(String) }]);
  const before = "now() - interval '6 minutes'";
  const columns = `secret_last_used_at = ${before}, previous_secret_last_used_at = ${before}`;
  await world.sql(`UPDATE hook SET ${columns} WHERE workflow_id = $1`, id);
  await start(path);
  const { secret: unused, previousSecret: inUse } = await shown(id);
  expect(sinceUse(inUse ?? {})).toBeLessThan(60_000);
  expect(sinceUse(unused)).toBeGreaterThan(5 * 60_000);
});

// The last: the service of this file knows the old key alone.
describe('the encryption key', () => {
  it('is replaced, and administrators see the URLs of their hooks as before', async () => {
    const hooks = await Promise.all(
      [await newTenant(), await newTenant()].map(async (of) => ({ of, ...(await of.hooked()) })),
    );
    const NEW = `new:${randomBytes(32).toString('base64')}`;
    const { database, encryptionKey } = world.configure();
    const withKeys = (keys: string) => startAnother({}, { encryptionKey: keys });
    await expect(withKeys(NEW)).rejects.toThrow('the key without a name is missing');

    const [out, errors]: [string[], string[]] = [[], []];
    const program = { database, keys: `${NEW},old:${encryptionKey}`, columns: sealedColumns };
    const output = { out: (text: string) => out.push(text), error: (text: string) => errors.push(text) };
    expect(await runReencrypt(program, [], output)).toBe(0);
    expect([errors, out.at(-1)]).toEqual([[], 'may be taken out of the ring: old']);

    const restarted = await withKeys(NEW);
    for (const { id, path, of } of hooks) {
      const { body } = await (await of.on(restarted)).call<HookBody>('GET', `/workflows/${id}/hook`);
      expect(new URL(body.hookUrl).pathname).toBe(path);
    }
  });

  it('seals columns that are all listed', async () => {
    const problems = await service.get(Database).crossTenant((tx) => unlistedColumns(tx, sealedColumns));
    expect(problems).toEqual({ unlisted: [], unknown: [] });
  });
});
