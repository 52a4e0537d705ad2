import type { ServiceDatabase } from '@crm/contracts';
import { createGlobalTable, type Database, type NarrowTransaction } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import type { EncryptionKeys } from '../encryption-keys.js';
import { MissingEncryptionKey, SecretBox } from '../secret-box.js';
import { isForeign } from './seal-again.js';
import { nameOf, type SealedColumn } from './sealed-column.js';

/** Creates the table `encryption_key`: which keys have sealed in this database. It is listed in GLOBAL_TABLES. */
export async function createEncryptionKeyTable(runner: QueryRunner, roles: ServiceDatabase): Promise<void> {
  await createGlobalTable(runner, roles, {
    name: 'encryption_key',
    // The empty id is that of a key without a name.
    columns: 'id text NOT NULL, check_box bytea NOT NULL, registered_at timestamptz NOT NULL DEFAULT now()',
    primaryKey: ['id'],
    role: 'narrow',
    grants: ['select', 'insert', 'delete'],
    onCoordinator: true,
  });
}

/** So that a program can go through the tenants of a table one by one; the narrow role sees nothing else of the rows. */
export async function letNarrowRoleFindTenants(
  runner: QueryRunner,
  { narrowRole }: ServiceDatabase,
  table: string,
): Promise<void> {
  await runner.query(`GRANT SELECT (tenant_id) ON ${table} TO ${narrowRole}`);
  await runner.query(`CREATE POLICY narrow_select ON ${table} FOR select TO ${narrowRole} USING (true)`);
}

/** A key that is registered stays as it is. $1: id, $2: its check box. */
const REGISTER_KEY = `
  INSERT INTO encryption_key (id, check_box) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`;

const LIST_KEYS = `
  SELECT id, check_box AS "checkBox", registered_at AS "registeredAt" FROM encryption_key ORDER BY registered_at, id`;

/** $1: ids. */
const FORGET_KEYS = `DELETE FROM encryption_key WHERE id = ANY ($1::text[]) RETURNING id`;

/** What every check box holds; only whether it opens matters. */
const CHECKED_TEXT = 'encryption key';

/** The process was not given the keys that its database is sealed with. */
export class UnusableKeys extends Error {
  constructor(problems: readonly string[]) {
    super(
      `The encryption keys do not fit the database: ${problems.join('; ')}. ` +
        'Give the process these keys again; docs/operations/encryption-keys.md says how a key is taken out of use',
    );
    this.name = 'UnusableKeys';
  }
}

/** A key that has sealed, or was about to, in the database. */
interface RegisteredKey {
  /** Empty for a key without a name. */
  readonly id: string;
  readonly checkBox: Buffer;
  readonly registeredAt: Date;
}

/** Each process registers its key by a box that only this key opens: anyone who lacks a key is known at the start. */
export class KeyRegister {
  private readonly box: SecretBox;

  constructor(
    private readonly database: Database,
    private readonly keys: EncryptionKeys,
    /** Tried while no key is registered, as before the first start with a register. */
    private readonly columns: readonly SealedColumn[] = [],
  ) {
    this.box = new SecretBox(keys);
  }

  /** @throws UnusableKeys when a registered key is not among those of this process; then nothing is registered */
  async register(): Promise<void> {
    await this.assertKnownBoxes();
    await this.database.crossTenant(async (tx) => {
      const registered = await this.list(tx);
      const problems = registered.flatMap((key) => this.problemOf(key));
      if (problems.length > 0) throw new UnusableKeys(problems);
      const id = this.keys.current.id ?? '';
      if (registered.some((key) => key.id === id)) return;
      await tx.query(REGISTER_KEY, [id, this.box.seal(CHECKED_TEXT, contextOf(id))]);
    });
  }

  /** Nothing is registered yet, but something may be sealed: by a version without a register. */
  private async assertKnownBoxes(): Promise<void> {
    if (this.columns.length === 0) return;
    const registered = await this.database.crossTenant((tx) => this.list(tx));
    if (registered.length > 0) return;
    const problems: string[] = [];
    for (const column of this.columns) {
      if (await isForeign(this.database, this.box, column)) problems.push(`nothing in ${nameOf(column)} opens`);
    }
    if (problems.length > 0) throw new UnusableKeys(problems);
  }

  /** Keys that were registered and not forgotten, oldest first. */
  list(tx: NarrowTransaction): Promise<RegisteredKey[]> {
    return tx.query<RegisteredKey>(LIST_KEYS);
  }

  /** Takes keys that nothing is sealed with out of the register: processes start without them. @returns their ids */
  async forget(ids: readonly string[]): Promise<string[]> {
    const forgotten = await this.database.crossTenant((tx) => tx.query<{ id: string }>(FORGET_KEYS, [ids]));
    return forgotten.map(({ id }) => id);
  }

  private problemOf({ id, checkBox }: RegisteredKey): string[] {
    const name = id === '' ? 'the key without a name' : `the key ${JSON.stringify(id)}`;
    try {
      this.box.open(checkBox, contextOf(id));
      return [];
    } catch (error) {
      if (error instanceof MissingEncryptionKey || id === '') return [`${name} is missing`];
      return [`${name} is another one than that which sealed`];
    }
  }
}

const contextOf = (id: string): string => `encryption_key/${id}`;
