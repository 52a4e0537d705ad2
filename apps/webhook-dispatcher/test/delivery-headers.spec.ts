import { randomBytes, randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { runReencrypt, unlistedColumns } from '@crm/encryption';
import { startTestService, testTokens } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { AppModule } from '../src/app.module.js';
import { sealedColumns } from '../src/sealed-columns.js';
import { CustomHeaderService } from '../src/subscriptions/custom-headers.js';
import { SecretService } from '../src/subscriptions/secret.service.js';
import { publicKeyOf, SigningSecretService } from '../src/subscriptions/signature.js';
import { Subscription } from '../src/subscriptions/subscription.entity.js';
import { type Tenant, useWebhooks, verdict } from './webhook-service.js';

const MASK = '********';

interface SubscriptionJson {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly code: string;
  readonly errors: { readonly pointer: string; readonly code: string }[];
}

const { app, tenant, call } = useWebhooks();

const database = () => app.service.get(Database);
const rotate = (id: string, token = tenant.admin) =>
  call<{ secret?: string; publicKey?: string }>('POST', `subscriptions/${id}/rotate-secret`, undefined, token);
const revoke = async (id: string) => (await call('POST', `subscriptions/${id}/revoke-previous-secret`)).status;
/** The columns that are sealed. */
const sealed = async (id: string, tenantId = tenant.id) => {
  type Sealed = Record<'headers' | 'secret' | 'previous', Buffer> & { text: string };
  const columns = 's::text AS text, headers, secret, previous_secret AS previous';
  const sql = `SELECT ${columns} FROM webhook_subscription AS s WHERE id = $1`;
  return (await app.rows<Sealed>(tenantId, sql, [id]))[0] as Sealed;
};

describe('signatures of deliveries by Ed25519', () => {
  it('are verified with the public key that the answer, the subscription and the list show', async () => {
    const { id, publicKey, ...created } = await app.subscribe(tenant.admin, { signature: 'v1a' });
    expect(publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
    expect(created).toMatchObject({ status: 201, signature: 'v1a' });
    expect(created).not.toHaveProperty('secret');
    const { body: shown } = await call('GET', `subscriptions/${id}`);
    expect(shown).toMatchObject({ signature: 'v1a', publicKey });
    expect((await call('GET', 'subscriptions')).body.data).toEqual([shown]);

    const request = await app.delivered(tenant.id);
    const changed = { ...request, body: request.body.replace('Doe', 'Eve') };
    const other = (await app.subscribe(tenant.admin, { signature: 'v1a' })).publicKey as string;
    expect(verdict(request, publicKey as string)).toBe('lead.created');
    expect(verdict(changed, publicKey as string)).toBe('no_matching_signature');
    expect(verdict(request, other)).toBe('no_matching_signature');
    expect(request.headers['webhook-signature']).toMatch(/^v1a,\S+$/);
    expect(request.headers).not.toHaveProperty('x-platform-signature');
  });
});

describe('the secret of a subscription', () => {
  it.each(['v1', 'v1a'])('is stored sealed and shown once at most (%s)', async (signature) => {
    const { id, ...created } = await app.subscribe(tenant.admin, { signature });
    const { text, secret: box } = await sealed(id);
    const secret = app.service.get(SigningSecretService).open(box, { subscriptionId: id });
    expect(created).toMatchObject(signature === 'v1' ? { secret } : { publicKey: publicKeyOf(secret) });
    for (const plain of [secret, secret.slice(6)]) {
      expect(text).not.toContain(plain);
      expect(text).not.toContain(Buffer.from(plain).toString('hex'));
    }
    const { body } = await call('GET', `subscriptions/${id}`);
    expect(JSON.stringify(body)).not.toMatch(/whsk_|whsec_|"secret"/);
    const found = await database().transaction(tenant.id, (tx) =>
      tx.repository(Subscription).findOneByOrFail({ tenantId: tenant.id, id }),
    );
    expect([found.url, found.secret]).toEqual([`${app.receiver.url}/hook`, undefined]);
  });
});

describe('signatures after a rotation', () => {
  it.each(['v1', 'v1a'])('are made with both secrets, until the previous one is revoked (%s)', async (signature) => {
    const processes = [app.service, await app.startSibling()];
    // What is chosen when nothing is.
    const changes = signature === 'v1' ? {} : { signature };
    const { id, secret, publicKey } = await app.subscribe(tenant.admin, changes);
    const shown = async () => (await call('GET', `subscriptions/${id}`)).body;
    expect(await shown()).toMatchObject({ signature, publicKey });
    const { status, body } = await rotate(id);
    expect([status, Object.keys(body)]).toEqual([201, [signature === 'v1' ? 'secret' : 'publicKey']]);
    expect(await shown()).toMatchObject({ publicKey: body.publicKey ?? null });
    const both = [publicKey ?? secret, (body.publicKey ?? body.secret) as string];
    expect(both[1]).not.toBe(both[0]);
    // Then both processes have the receivers in memory, with both secrets.
    for (const process of processes) {
      const request = await app.delivered(tenant.id, process);
      expect(request.headers['webhook-signature']?.split(' ')).toHaveLength(2);
      expect(both.map((one) => verdict(request, one))).toEqual(['lead.created', 'lead.created']);
    }
    expect(await revoke(id)).toBe(204);
    for (const process of processes) {
      const request = await app.delivered(tenant.id, process);
      expect(both.map((one) => verdict(request, one))).toEqual(['no_matching_signature', 'lead.created']);
    }
  });

  it('need no previous secret to be revoked, and the current one stays', async () => {
    const { id, secret } = await app.subscribe(tenant.admin);
    expect([await revoke(id), await revoke(id)]).toEqual([204, 204]);
    expect(verdict(await app.delivered(tenant.id), secret)).toBe('lead.created');
  });

  it('are those of subscriptions that the workspace created', async () => {
    const [ofApp] = await app.provision(tenant.id);
    const answers = [await revoke(ofApp?.id as string), (await rotate(ofApp?.id as string)).status];
    expect([...answers, await revoke(tenant.id)]).toEqual([404, 404, 404]);
  });
});

describe('custom headers of a subscription', () => {
  const change = (id: string, body: object) => call<SubscriptionJson>('PATCH', `subscriptions/${id}`, body);

  it('are sent with each attempt, next to those of the platform', async () => {
    app.answer(500, 204);
    const given = { Authorization: 'Bearer t0p s3cret', 'x-team': 'sales' };
    const { secret, ...created } = await app.subscribe(tenant.admin, { headers: given });
    expect(created).toMatchObject({ status: 201, headers: { authorization: MASK, 'x-team': MASK } });
    const event = await app.emit(tenant.id);
    await app.settled(tenant.admin, 'delivered');
    const requests = app.received(event.id);
    expect(requests).toHaveLength(2);
    for (const request of requests) {
      const sent = { authorization: 'Bearer t0p s3cret', 'x-team': 'sales', 'content-type': 'application/json' };
      expect(request.headers).toMatchObject(sent);
      expect(verdict(request, secret)).toBe('lead.created');
    }
  });

  it('do not replace those of the platform, even if they are stored', async () => {
    const { id, secret } = await app.subscribe(tenant.admin);
    const forged = { 'webhook-id': 'forged', 'webhook-signature': 'v1,forged', 'content-type': 'text/plain' };
    const stored = app.service.get(CustomHeaderService).seal({ ...forged, 'x-ok': '1' }, id);
    await app.rows(tenant.id, 'UPDATE webhook_subscription SET headers = $2 WHERE id = $1', [id, stored]);
    const request = await app.delivered(tenant.id);
    expect(request.headers).toMatchObject({ 'content-type': 'application/json', 'x-ok': '1' });
    expect(verdict(request, secret)).toBe('lead.created');
  });

  it('are stored sealed, and shown with masked values', async () => {
    const { id } = await app.subscribe(tenant.admin, { headers: { authorization: 'Bearer t0p-s3cret' } });
    const { body: shown } = await call('GET', `subscriptions/${id}`);
    expect(shown.headers).toEqual({ authorization: MASK });
    expect((await call('GET', 'subscriptions')).body).toMatchObject({ data: [shown] });
    const { text, headers: box } = await sealed(id);
    for (const plain of ['authorization', 't0p-s3cret']) {
      expect(text).not.toContain(plain);
      expect(box.includes(plain)).toBe(false);
      expect(text).not.toContain(Buffer.from(plain).toString('hex'));
    }
    const headers = app.service.get(CustomHeaderService);
    expect(headers.open(box, id)).toEqual({ authorization: 'Bearer t0p-s3cret' });
    expect(() => headers.open(box, randomUUID())).toThrow();
    expect(() => app.service.get(SigningSecretService).open(box, { subscriptionId: id })).toThrow();
  });

  it('change for the next delivery; the mask keeps a value, what is left out is removed', async () => {
    const sent = async () => (await app.delivered(tenant.id)).headers;
    const { id } = await app.subscribe(tenant.admin, { headers: { 'x-a': 'one', 'x-b': 'two', 'x-c': 'three' } });
    await sent();
    const changed = await change(id, { headers: { 'X-A': MASK, 'x-b': 'new' } });
    expect([changed.status, changed.body.headers]).toEqual([200, { 'x-a': MASK, 'x-b': MASK }]);
    const headers = await sent();
    expect([headers['x-a'], headers['x-b'], headers['x-c']]).toEqual(['one', 'new', undefined]);

    expect((await change(id, { description: 'same headers' })).body.headers).toEqual(changed.body.headers);
    expect((await sent())['x-a']).toBe('one');
    expect((await change(id, { headers: null })).body.headers).toEqual({});
    expect(await sent()).not.toHaveProperty('x-a');
  });

  it('do not go to another URL unless all values are given again', async () => {
    const { id } = await app.subscribe(tenant.admin, { headers: { authorization: 'Bearer t0p-s3cret' } });
    const url = `${app.receiver.url}/elsewhere`;
    for (const [headers, error] of [
      [undefined, { pointer: '/headers', code: 'REQUIRED' }],
      [{ authorization: MASK }, { pointer: '/headers/authorization', code: 'MISSING_VALUE' }],
    ])
      expect(await change(id, { url, headers })).toMatchObject({ status: 422, body: { errors: [error] } });
    expect((await change(id, { url: `${app.receiver.url}/hook` })).status).toBe(200);
    const moved = await change(id, { url, headers: { authorization: 'Bearer n3w' } });
    expect([moved.status, moved.body.url]).toEqual([200, url]);
    const request = await app.delivered(tenant.id);
    expect(request).toMatchObject({ path: '/elsewhere', headers: { authorization: 'Bearer n3w' } });
  });

  it('are refused with a pointer to each', async () => {
    const headers = { Host: 'x', 'x-fine': 'x', 'x-bad': 'a\r\nb' };
    const errors = [{ pointer: '/headers/Host' }, { pointer: '/headers/x-bad' }];
    expect(await app.subscribe(tenant.admin, { headers })).toMatchObject({ status: 422, errors });
    const { id } = await app.subscribe(tenant.admin);
    expect(await change(id, { headers })).toMatchObject({ status: 422, body: { errors } });
    expect((await change(id, { headers: ['x-a'] })).status).toBe(422);
  });
});

// The last: the service of this file knows the old key alone.
describe('the encryption key', () => {
  const NEW = `new:${randomBytes(32).toString('base64')}`;
  const start = (keyEncryptionKey: string) => {
    const config = { ...app.config, keyEncryptionKey };
    return startTestService(config, AppModule.with(config), { keySource: testTokens().keySource });
  };

  it('is replaced for the secrets and headers of subscriptions and for the secrets of apps', async () => {
    const rotated = async ({ id: tenantId, admin }: Tenant, value: string) => {
      const { id, secret } = await app.subscribe(admin, { headers: { 'x-key': value } });
      return { tenantId, id, secret, value, current: (await rotate(id, admin)).body.secret };
    };
    const subscriptions = [await rotated(tenant, 'one'), await rotated(await app.tenant(), 'two')];
    const apps = app.service.get(SecretService);
    await apps.storeOfApp('acme.sync', 'whsec_Zmlyc3Q=');
    await apps.rotateOfApp('acme.sync', 'whsec_c2Vjb25k');
    await expect(start(NEW)).rejects.toThrow('the key without a name is missing');

    const errors: string[] = [];
    const { database: connection, keyEncryptionKey } = app.config;
    const program = { database: connection, keys: `${NEW},old:${keyEncryptionKey}`, columns: sealedColumns };
    const output = { out: () => undefined, error: (text: string) => errors.push(text) };
    expect([await runReencrypt(program, [], output), errors]).toEqual([0, []]);

    const service = await start(NEW);
    const signing = service.get(SigningSecretService);
    for (const { tenantId, id, secret, value, current } of subscriptions) {
      const row = await sealed(id, tenantId);
      expect(signing.open(row.secret, { subscriptionId: id })).toBe(current);
      expect(signing.open(row.previous, { subscriptionId: id })).toBe(secret);
      expect(service.get(CustomHeaderService).open(row.headers, id)).toEqual({ 'x-key': value });
    }
    const ofApps = service.get(SecretService);
    const { sealed: boxes } = await ofApps.listSealedOfApp('acme.sync');
    expect(ofApps.openOfApp('acme.sync', boxes)).toEqual(['whsec_c2Vjb25k', 'whsec_Zmlyc3Q=']);
    await service.close();
  });

  it('seals columns that are all listed', async () => {
    const problems = await database().crossTenant((tx) => unlistedColumns(tx, sealedColumns));
    expect(problems).toEqual({ unlisted: [], unknown: [] });
  });
});
