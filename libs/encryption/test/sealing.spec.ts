import { randomBytes } from 'node:crypto';
import type { ServiceDatabase } from '@crm/contracts';
import {
  createGlobalTable,
  createTenantTable,
  Database,
  newId,
  provisionDatabase,
  runMigrations,
  ServiceMigration,
} from '@crm/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { EncryptionKeys } from '../src/encryption-keys.js';
import {
  countKeyUse,
  createEncryptionKeyTable,
  KeyRegister,
  letNarrowRoleFindTenants,
  runReencrypt,
  type SealedColumn,
  sealAgain,
  unlistedColumns,
} from '../src/index.js';
import { keyIdOf, SecretBox } from '../src/secret-box.js';

const roles: ServiceDatabase = {
  database: 'sealingtest',
  ownerRole: 'sealingtest_owner',
  runtimeRole: 'sealingtest_runtime',
  narrowRole: 'sealingtest_narrow',
};

class CreateTables1700000000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createEncryptionKeyTable(runner, roles);
    await createTenantTable(runner, roles, { name: 'secret', columns: 'id uuid NOT NULL, sealed bytea' });
    await letNarrowRoleFindTenants(runner, roles, 'secret');
    await createGlobalTable(runner, roles, {
      name: 'app_key',
      columns: 'app_key text NOT NULL, sealed bytea NOT NULL, key_hash bytea',
      primaryKey: ['app_key'],
      role: 'narrow',
    });
  }
}

const SECRET: SealedColumn = {
  table: 'secret',
  column: 'sealed',
  key: { column: 'id', type: 'uuid' },
  reach: 'tenant',
  context: ({ tenantId, key }) => `secret/${tenantId}/${key}`,
};
const APP_KEY: SealedColumn = {
  table: 'app_key',
  column: 'sealed',
  key: { column: 'app_key', type: 'text' },
  reach: 'global',
  context: ({ key }) => `app_key/${key}`,
};
const COLUMNS = [SECRET, APP_KEY];

const newKey = () => randomBytes(32).toString('base64');
const [OLD, NEW, OTHER] = [newKey(), newKey(), newKey()];
const RING = `new:${NEW},old:${OLD}`;

const serverUrl = process.env.TEST_DATABASE_URL ?? '';
const name = `sealingtest_${randomBytes(6).toString('hex')}`;
let database: Database;
beforeAll(async () => {
  const { ownerUrl, runtimeUrl, narrowUrl } = await provisionDatabase({
    adminUrl: serverUrl,
    definition: roles,
    database: name,
    passwords: { owner: 'owner', runtime: 'runtime', narrow: 'narrow' },
  });
  await runMigrations({ ownerUrl, migrations: [CreateTables1700000000000] });
  database = new Database({ url: runtimeUrl, narrowUrl, applicationName: name });
});
afterAll(async () => {
  await database?.close();
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await server.end();
});

let tenants: string[] = [];
beforeEach(async () => {
  await database.crossTenant(async (tx) => {
    await tx.query('DELETE FROM encryption_key');
    await tx.query('DELETE FROM app_key');
  });
  for (const tenantId of tenants) await inTenant(tenantId, 'DELETE FROM secret');
  tenants = [newId(), newId(), newId()];
});

const inTenant = <Row extends object>(tenantId: string, sql: string, parameters: unknown[] = []) =>
  database.transaction(tenantId, (tx) => tx.query<Row>(sql, parameters));

/** @returns the ids of the rows */
async function fill(tenantId: string, count: number, keys: string): Promise<string[]> {
  const box = new SecretBox(keys);
  const ids = Array.from({ length: count }, () => newId());
  for (const id of ids) {
    const sealed = box.seal(`of ${id}`, SECRET.context({ tenantId, key: id }));
    await inTenant(tenantId, 'INSERT INTO secret (tenant_id, id, sealed) VALUES ($1, $2, $3)', [tenantId, id, sealed]);
  }
  return ids;
}

const addAppKey = (appKey: string, sealed: Buffer) =>
  database.crossTenant((tx) => tx.query('INSERT INTO app_key (app_key, sealed) VALUES ($1, $2)', [appKey, sealed]));

async function read(tenantId: string): Promise<Map<string, Buffer>> {
  const rows = await inTenant<{ id: string; sealed: Buffer }>(tenantId, 'SELECT id, sealed FROM secret ORDER BY id');
  return new Map(rows.map(({ id, sealed }) => [id, sealed]));
}

async function run(keys: string, ...args: string[]): Promise<{ code: number; out: string[]; errors: string[] }> {
  const [out, errors]: [string[], string[]] = [[], []];
  const output = { out: (text: string) => out.push(text), error: (text: string) => errors.push(text) };
  const code = await runReencrypt({ database: database.config, keys, columns: COLUMNS }, args, output);
  return { code, out, errors };
}

describe('sealing again', () => {
  it('reaches every row of every tenant, in batches, and those of global tables', async () => {
    const [first, second] = tenants as [string, string];
    const counts = [450, 200, 1];
    for (const [index, tenantId] of tenants.entries()) await fill(tenantId, counts[index] ?? 0, OLD);
    await inTenant(first, 'INSERT INTO secret (tenant_id, id) VALUES ($1, $2)', [first, newId()]);
    await addAppKey('acme.sync', new SecretBox(`old:${OLD}`).seal('app', 'app_key/acme.sync'));
    expect(await countKeyUse(database, COLUMNS)).toEqual([
      { column: 'secret.sealed', id: '', boxes: 651 },
      { column: 'app_key.sealed', id: 'old', boxes: 1 },
    ]);
    const { code, out, errors } = await run(RING);
    expect([code, errors]).toEqual([0, []]);
    expect(out).toEqual([
      'secret.sealed\t651 sealed again, 0 changed meanwhile, 0 do not open',
      'app_key.sealed\t1 sealed again, 0 changed meanwhile, 0 do not open',
      'secret.sealed\tnew\t651\tcurrent',
      'app_key.sealed\tnew\t1\tcurrent',
      'may be taken out of the ring: old',
    ]);
    const box = new SecretBox(`new:${NEW}`);
    for (const [id, sealed] of await read(second)) {
      if (sealed) expect(box.open(sealed, SECRET.context({ tenantId: second, key: id }))).toBe(`of ${id}`);
    }
  });

  it('goes on where it was interrupted, and leaves alone what is done', async () => {
    const tenantId = tenants[0] as string;
    await fill(tenantId, 3, RING);
    const done = await read(tenantId);
    await fill(tenantId, 2, OLD);
    expect(await sealAgain(database, EncryptionKeys.parse(RING), SECRET)).toMatchObject({ sealed: 2, changed: 0 });
    const after = await read(tenantId);
    for (const [id, sealed] of done) expect(after.get(id)?.equals(sealed)).toBe(true);
    expect(await sealAgain(database, EncryptionKeys.parse(RING), SECRET)).toMatchObject({ sealed: 0, changed: 0 });
  });

  it('leaves to the service what it changes meanwhile', async () => {
    const tenantId = tenants[0] as string;
    const ids = await fill(tenantId, 300, OLD);
    const context = (key: string) => SECRET.context({ tenantId, key });
    const service = new SecretBox(RING);
    const [outcome] = await Promise.all([
      sealAgain(database, EncryptionKeys.parse(RING), SECRET),
      ...ids.map((id) =>
        inTenant(tenantId, 'UPDATE secret SET sealed = $2 WHERE id = $1', [id, service.seal('newer', context(id))]),
      ),
    ]);
    expect(outcome?.unreadable).toEqual([]);
    for (const [id, sealed] of await read(tenantId)) expect(service.open(sealed, context(id))).toBe('newer');
  });

  it('does not lose a box that does not open: it stays, is named, and the others are sealed again', async () => {
    const [tenantId, neighbour] = tenants as [string, string];
    const [moved, , kept] = (await fill(tenantId, 3, `old:${OLD}`)) as [string, string, string];
    const [source] = (await fill(neighbour, 1, `old:${OLD}`)) as [string];
    const sealed = (await read(neighbour)).get(source) as Buffer;
    await inTenant(tenantId, 'UPDATE secret SET sealed = $2 WHERE id = $1', [moved, sealed]);
    const { code, out, errors } = await run(RING);
    expect(code).toBe(1);
    expect(out[0]).toBe('secret.sealed\t3 sealed again, 0 changed meanwhile, 1 do not open');
    expect(errors).toEqual([expect.stringContaining(`secret.sealed\t${tenantId} ${moved}: The box was changed`)]);
    expect(out).not.toContainEqual(expect.stringContaining('may be taken out'));
    const rows = await read(tenantId);
    expect(rows.get(moved)?.equals(sealed)).toBe(true);
    expect(keyIdOf(rows.get(kept) as Buffer)).toBe('new');
  });

  it('says which key is missing, and what is no box at all', async () => {
    const tenantId = tenants[0] as string;
    await fill(tenantId, 2, `lost:${OTHER}`);
    await addAppKey('acme.sync', Buffer.from('0905', 'hex'));
    const { code, errors } = await run(RING, '--status');
    expect(code).toBe(1);
    expect(errors).toEqual([
      'secret.sealed\t2 that do not open: the key "lost" is missing',
      'app_key.sealed\t1 that are no boxes and begin with 0905',
    ]);
  });

  it('changes nothing when it is only asked', async () => {
    const tenantId = tenants[0] as string;
    await fill(tenantId, 2, OLD);
    const before = await read(tenantId);
    expect(await run(RING, '--status')).toMatchObject({ code: 0, out: ['secret.sealed\t(no name)\t2'] });
    expect(await read(tenantId)).toEqual(before);
    expect(await run(RING, '--all')).toMatchObject({ code: 2, errors: [expect.stringContaining('reencrypt.js')] });
  });

  it('with a key without a name asks for one', async () => {
    await fill(tenants[0] as string, 1, OLD);
    const { code, out } = await run(OLD);
    expect([code, out.at(-1)]).toEqual([0, 'The key has no name: give it one to be able to replace it']);
  });
});

describe('the register of keys', () => {
  const registered = async () => {
    const rows = await database.crossTenant((tx) =>
      tx.query<{ id: string }>('SELECT id FROM encryption_key ORDER BY id'),
    );
    return rows.map(({ id }) => id);
  };
  const register = (keys: string) => new KeyRegister(database, EncryptionKeys.parse(keys)).register();

  it('lets a process start that has every key, in any order and whatever it calls one that had no name', async () => {
    await register(OLD);
    await register(`old:${OLD},new:${NEW}`);
    await register(RING);
    // A replica that still has the first configuration of a rotation, and one of two that start at once.
    await Promise.all([register(`old:${OLD},new:${NEW}`), register(RING)]);
    expect(await registered()).toEqual(['', 'new', 'old']);
  });

  it('refuses a process that lacks a key, or has another one by its name, before anything is sealed', async () => {
    await register(`old:${OLD}`);
    await expect(register(`new:${NEW}`)).rejects.toThrow('the key "old" is missing');
    await expect(register(`new:${NEW},old:${OTHER}`)).rejects.toThrow('the key "old" is another one');
    await expect(register(OTHER)).rejects.toThrow('the key "old" is missing');
    expect(await registered()).toEqual(['old']);
  });

  it('refuses another key instead of one without a name', async () => {
    await register(OLD);
    await expect(register(OTHER)).rejects.toThrow('the key without a name is missing');
    await expect(register(`new:${NEW}`)).rejects.toThrow('the key without a name is missing');
  });

  it('refuses a first start with a key that opens nothing of what is there, but not for one damaged box', async () => {
    const [tenantId, neighbour] = tenants as [string, string];
    const sealed = (keys: string) => new KeyRegister(database, EncryptionKeys.parse(keys), COLUMNS).register();
    const [damaged] = (await fill(tenantId, 3, OLD)) as [string];
    await fill(neighbour, 1, OLD);
    await inTenant(tenantId, `UPDATE secret SET sealed = '\\x0102' WHERE id = $1`, [damaged]);
    for (const keys of [OTHER, `new:${NEW}`]) {
      await expect(sealed(keys)).rejects.toThrow('nothing in secret.sealed opens');
    }
    expect(await registered()).toEqual([]);
    await sealed(RING);
  });

  it('forgets a key that was replaced everywhere, and not before', async () => {
    const tenantId = tenants[0] as string;
    await register(OLD);
    await register(`old:${OLD},new:${NEW}`);
    await fill(tenantId, 2, `old:${OLD}`);
    await run(RING, '--status');
    await expect(register(`new:${NEW}`)).rejects.toThrow('missing');
    await run(RING);
    await register(`new:${NEW}`);
    expect(await registered()).toEqual(['new']);
    await expect(register(RING)).resolves.toBeUndefined();
  });

  it('keeps a key of which a box is left that does not open', async () => {
    const tenantId = tenants[0] as string;
    await register(`old:${OLD}`);
    const [id] = await fill(tenantId, 1, `old:${OLD}`);
    const damage = 'UPDATE secret SET sealed = set_byte(sealed, 40, get_byte(sealed, 40) # 1) WHERE id = $1';
    await inTenant(tenantId, damage, [id]);
    expect((await run(RING)).code).toBe(1);
    await expect(register(`new:${NEW}`)).rejects.toThrow('the key "old" is missing');
  });
});

describe('rights', () => {
  it('let the narrow role find tenants and see no box of a tenant', async () => {
    await fill(tenants[0] as string, 1, OLD);
    const found = await database.crossTenant((tx) => tx.query('SELECT DISTINCT tenant_id AS id FROM secret'));
    expect(found).toEqual([{ id: tenants[0] }]);
    for (const sql of ['SELECT sealed FROM secret', 'UPDATE secret SET sealed = NULL', 'SELECT id FROM secret']) {
      await expect(database.crossTenant((tx) => tx.query(sql))).rejects.toThrow('permission denied');
    }
  });

  it('let nobody change what is registered', async () => {
    const change = `UPDATE encryption_key SET check_box = ''`;
    await expect(database.crossTenant((tx) => tx.query(change))).rejects.toThrow('permission denied');
    await expect(inTenant(tenants[0] as string, 'SELECT 1 FROM encryption_key')).rejects.toThrow('permission denied');
  });
});

it('columns of bytes are listed, compared or named as something else', async () => {
  const problems = (columns: SealedColumn[], others?: string[]) =>
    database.crossTenant((tx) => unlistedColumns(tx, columns, others));
  expect(await problems(COLUMNS)).toEqual({ unlisted: [], unknown: [] });
  expect(await problems([SECRET])).toEqual({ unlisted: ['app_key.sealed'], unknown: [] });
  expect(await problems([SECRET], ['app_key.sealed', 'gone.sealed'])).toEqual({
    unlisted: [],
    unknown: ['gone.sealed'],
  });
});
