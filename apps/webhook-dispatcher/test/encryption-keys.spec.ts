import { randomBytes } from 'node:crypto';
import { Database } from '@crm/database';
import { countKeyUse, runReencrypt, unlistedColumns } from '@crm/encryption';
import { startTestService, testTokens } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { AppModule } from '../src/app.module.js';
import { sealedColumns } from '../src/sealed-columns.js';
import { CustomHeaderService } from '../src/subscriptions/custom-headers.js';
import { SecretService } from '../src/subscriptions/secret.service.js';
import { SigningSecretService } from '../src/subscriptions/signature.js';
import { useWebhooks } from './webhook-service.js';

const NEW = `new:${randomBytes(32).toString('base64')}`;

const { app } = useWebhooks();

const database = () => app.service.get(Database);
const start = (keyEncryptionKey: string) => {
  const config = { ...app.config, keyEncryptionKey };
  return startTestService(config, AppModule.with(config), { keySource: testTokens().keySource });
};

describe('the encryption key', () => {
  it('is replaced for the secrets and headers of subscriptions and for the secrets of apps', async () => {
    const secrets: { tenantId: string; id: string; secret: string; current: string }[] = [];
    for (let count = 0; count < 2; count += 1) {
      const { id: tenantId, admin } = await app.tenant();
      const { id, secret } = await app.subscribe(admin, { headers: { 'x-key': `of ${count}` } });
      const { body } = await app.call<{ secret: string }>(admin, 'POST', `subscriptions/${id}/rotate-secret`);
      secrets.push({ tenantId, id, secret, current: body.secret });
    }
    const apps = app.service.get(SecretService);
    await apps.storeOfApp('acme.sync', 'whsec_Zmlyc3Q=');
    await apps.rotateOfApp('acme.sync', 'whsec_c2Vjb25k');
    const total = async () =>
      (await countKeyUse(database(), sealedColumns)).map(({ column, id, boxes }) => [column, id, boxes]);
    const boxes = (id: string) => [
      ['webhook_subscription.secret', id, 2],
      ['webhook_subscription.previous_secret', id, 2],
      ['webhook_subscription.headers', id, 2],
      ['app_secret.secret', id, 1],
      ['app_secret.previous_secret', id, 1],
    ];
    expect(await total()).toEqual(boxes(''));
    await expect(start(NEW)).rejects.toThrow('the key without a name is missing');

    const errors: string[] = [];
    const { database: connection, keyEncryptionKey } = app.config;
    const program = { database: connection, keys: `${NEW},old:${keyEncryptionKey}`, columns: sealedColumns };
    const output = { out: () => undefined, error: (text: string) => errors.push(text) };
    expect([await runReencrypt(program, [], output), errors]).toEqual([0, []]);
    expect(await total()).toEqual(boxes('new'));

    const service = await start(NEW);
    const [signing, headers] = [service.get(SigningSecretService), service.get(CustomHeaderService)];
    for (const [index, { tenantId, id, secret, current }] of secrets.entries()) {
      const [row] = await app.rows<Record<'secret' | 'previous_secret' | 'headers', Buffer>>(
        tenantId,
        'SELECT secret, previous_secret, headers FROM webhook_subscription WHERE id = $1',
        [id],
      );
      expect(signing.open(row?.secret as Buffer, { subscriptionId: id })).toBe(current);
      expect(signing.open(row?.previous_secret as Buffer, { subscriptionId: id })).toBe(secret);
      expect(headers.open(row?.headers as Buffer, id)).toEqual({ 'x-key': `of ${index}` });
      // The headers are no secret of the subscription, and its secret is none of another.
      expect(() => signing.open(row?.headers as Buffer, { subscriptionId: id })).toThrow('another place');
      const other = secrets[1 - index]?.id ?? '';
      expect(() => signing.open(row?.secret as Buffer, { subscriptionId: other })).toThrow('another place');
    }
    expect(await service.get(SecretService).listOfApp('acme.sync')).toEqual(['whsec_c2Vjb25k', 'whsec_Zmlyc3Q=']);
    await service.close();
  });
});

it('every sealed column of webhook-dispatcher is listed', async () => {
  const problems = await database().crossTenant((tx) => unlistedColumns(tx, sealedColumns));
  expect(problems).toEqual({ unlisted: [], unknown: [] });
});
