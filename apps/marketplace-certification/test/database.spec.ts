import { randomBytes } from 'node:crypto';
import { GLOBAL_TABLES } from '@crm/contracts';
import { catalogueProblems, Database, newId } from '@crm/database';
import { EncryptionKeys, KeyRegister, runReencrypt, SecretBox, unlistedColumns } from '@crm/encryption';
import { explainStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { WebhookSecret } from '../src/credentials/credentials.entity.js';
import { WebhookSecretRepository, WebhookSecretService } from '../src/credentials/webhook-secret.service.js';
import { CLAIM_WORK, COUNT_INSTALLATIONS } from '../src/installation/installation.repository.js';
import { COUNT_LISTINGS, FIND_LISTING, LIST_LISTINGS } from '../src/listing/listing.repository.js';
import { migrations } from '../src/migrations/index.js';
import {
  COUNT_SUBMISSIONS,
  LIST_NEWEST_SUBMISSIONS,
  LIST_OLDEST_SUBMISSIONS,
  LIST_SUBMISSIONS_BY_TURN,
} from '../src/review/review.repository.js';
import { sealedColumns } from '../src/sealed-columns.js';

const ofNarrowRole = {
  CLAIM_WORK,
  COUNT_LISTINGS,
  COUNT_SUBMISSIONS,
  FIND_LISTING,
  LIST_LISTINGS,
  LIST_NEWEST_SUBMISSIONS,
  LIST_OLDEST_SUBMISSIONS,
  LIST_SUBMISSIONS_BY_TURN,
};

let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  place = await testDatabase('marketplace-certification', migrations);
  database = new Database(place.config, [WebhookSecret]);
});
afterAll(async () => {
  await database?.close();
  await place?.drop();
});

describe('plans of the hand-written reads and the claim of marketplace-certification', () => {
  it('are what they were for the runtime role, in the context of a tenant', async () => {
    const { url } = place.config;
    expect(await explainStatements({ url, tenantId: newId() }, { COUNT_INSTALLATIONS })).toMatchSnapshot();
  });

  it('are what they were for the narrow role', async () => {
    expect(await explainStatements({ url: place.config.narrowUrl }, ofNarrowRole)).toMatchSnapshot();
  });
});

it('every table of the marketplace is isolated by tenant or listed as global', async () => {
  const client = new pg.Client(place.ownerUrl);
  await client.connect();
  try {
    const query = async <Row>(sql: string, parameters: readonly unknown[] = []) =>
      (await client.query(sql, [...parameters])).rows as Row[];
    expect(await catalogueProblems({ query }, GLOBAL_TABLES['marketplace-certification'])).toEqual([]);
  } finally {
    await client.end();
  }
});

const OLD = randomBytes(32).toString('base64');
const NEW = `new:${randomBytes(32).toString('base64')}`;
/** It neither asks for apps nor calls other services for what is done here. */
const secretsWith = (keys: string) =>
  new WebhookSecretService(database, new WebhookSecretRepository(), new SecretBox(keys), {} as never, {} as never);

it('the encryption key is replaced, and apps keep their secrets', async () => {
  const register = (keys: string) => new KeyRegister(database, EncryptionKeys.parse(keys)).register();
  await register(OLD);
  const apps = ['acme.one', 'acme.two'];
  await database.crossTenant((tx) =>
    tx.query(
      `INSERT INTO app (key, tenant_id, publisher_name, name, kind)
       SELECT key, gen_random_uuid(), 'Acme', key, 'integration' FROM unnest($1::text[]) AS key`,
      [apps],
    ),
  );
  const secrets = await Promise.all(apps.map((app) => secretsWith(OLD).ensureForInstallation(app)));
  await expect(register(NEW)).rejects.toThrow('the key without a name is missing');

  const errors: string[] = [];
  const code = await runReencrypt({ database: place.config, keys: `${NEW},old:${OLD}`, columns: sealedColumns }, [], {
    out: () => undefined,
    error: (text) => errors.push(text),
  });
  expect([code, errors]).toEqual([0, []]);
  await register(NEW);
  expect(await Promise.all(apps.map((app) => secretsWith(NEW).ensureForInstallation(app)))).toEqual(secrets);

  // The secret of one app is none of another.
  await database.crossTenant((tx) =>
    tx.query(
      `UPDATE app_webhook_secret SET sealed = (SELECT sealed FROM app_webhook_secret WHERE app_key = 'acme.one')`,
    ),
  );
  expect(await secretsWith(NEW).ensureForInstallation('acme.one')).toBe(secrets[0]);
  await expect(secretsWith(NEW).ensureForInstallation('acme.two')).rejects.toThrow('another context');
});

it('every sealed column of marketplace-certification is listed', async () => {
  const problems = await database.crossTenant((tx) => unlistedColumns(tx, sealedColumns));
  expect(problems).toEqual({ unlisted: [], unknown: [] });
});
