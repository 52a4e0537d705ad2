import { Database, type DatabaseConfig } from '@crm/database';
import { EncryptionKeys } from '../encryption-keys.js';
import { KeyRegister } from './key-register.js';
import { countKeyUse, type KeyUse, type SealedAgain, sealAgain, UNKNOWN } from './seal-again.js';
import type { SealedColumn } from './sealed-column.js';

const USAGE = `Seals what this service keeps secret with the first of its encryption keys:
  node reencrypt.js            seals again what other keys sealed, then says which keys may go
  node reencrypt.js --status   only counts what each key sealed
The service may run. A run that was interrupted goes on with the next one.
`;

/** Rows that do not open are listed up to this number for each column. */
const LISTED_ROWS = 20;

export interface ReencryptOutput {
  out(text: string): void;
  error(text: string): void;
}

export interface Reencryption {
  readonly database: DatabaseConfig;
  readonly keys: string;
  readonly columns: readonly SealedColumn[];
}

/** @returns exit code: 0; 1 when a box does not open or its key is missing; 2 for invalid arguments */
export async function runReencrypt(
  { database: config, keys: text, columns }: Reencryption,
  args: readonly string[],
  output: ReencryptOutput,
): Promise<number> {
  const onlyStatus = args.length === 1 && args[0] === '--status';
  if (args.length > 0 && !onlyStatus) {
    output.error(USAGE);
    return 2;
  }
  const keys = EncryptionKeys.parse(text);
  const database = new Database(config);
  try {
    const register = new KeyRegister(database, keys, columns);
    let isComplete = true;
    if (!onlyStatus) {
      await register.register();
      for (const column of columns) {
        const outcome = await sealAgain(database, keys, column);
        report(outcome, output);
        isComplete &&= outcome.unreadable.length === 0;
      }
    }
    const uses = await countKeyUse(database, columns);
    listUses(uses, keys, output);
    if (!onlyStatus && isComplete) await forgetIdle(database, register, uses, keys);
    for (const id of removable(uses, keys)) output.out(`may be taken out of the ring: ${id}`);
    if (keys.current.id === null) output.out('The key has no name: give it one to be able to replace it');
    const isOpenable = reportMissing(uses, keys, output);
    return isComplete && isOpenable ? 0 : 1;
  } finally {
    await database.close();
  }
}

/** {@link runReencrypt} as a process: its arguments, its streams, its exit code. */
export async function reencryptProgram(reencryption: Reencryption): Promise<void> {
  process.exitCode = await runReencrypt(reencryption, process.argv.slice(2), {
    out: (text) => process.stdout.write(`${text}\n`),
    error: (text) => process.stderr.write(`${text}\n`),
  });
}

function report({ column, sealed, changed, unreadable }: SealedAgain, { out, error }: ReencryptOutput): void {
  out(`${column}\t${sealed} sealed again, ${changed} changed meanwhile, ${unreadable.length} do not open`);
  for (const { tenantId, key, reason } of unreadable.slice(0, LISTED_ROWS)) {
    error(`${column}\t${[tenantId, key].filter(Boolean).join(' ')}: ${reason}`);
  }
}

const nameOfKey = (id: string): string => (id === '' ? '(no name)' : id);

/** One line for each column and key, so that the output can be filtered and added up. */
function listUses(uses: readonly KeyUse[], { current }: EncryptionKeys, { out }: ReencryptOutput): void {
  for (const { column, id, boxes } of uses) {
    out([column, nameOfKey(id), String(boxes), ...(id === (current.id ?? '') ? ['current'] : [])].join('\t'));
  }
}

const isUsed = (uses: readonly KeyUse[], id: string): boolean => uses.some((use) => use.id === id);

/** Takes registered keys with which nothing is sealed any more out of the register, except for the current one. */
async function forgetIdle(
  database: Database,
  register: KeyRegister,
  uses: readonly KeyUse[],
  { current }: EncryptionKeys,
): Promise<void> {
  const registered = await database.crossTenant((tx) => register.list(tx));
  const idle = registered.map(({ id }) => id).filter((id) => id !== (current.id ?? '') && !isUsed(uses, id));
  if (idle.length > 0) await register.forget(idle);
}

/** Keys of the ring that sealed nothing of what is there. A box that names no key may be of any. */
function removable(uses: readonly KeyUse[], { all, current }: EncryptionKeys): string[] {
  if (uses.some(({ id }) => id === '' || id.startsWith(UNKNOWN))) return [];
  return all.filter((key) => key !== current && !isUsed(uses, key.id ?? '')).map(({ id }) => nameOfKey(id ?? ''));
}

/** @returns whether the process has every key that a box names */
function reportMissing(uses: readonly KeyUse[], keys: EncryptionKeys, { error }: ReencryptOutput): boolean {
  const lost = uses.filter(({ id }) => id !== '' && (id.startsWith(UNKNOWN) || keys.candidates(id).length === 0));
  for (const { column, id, boxes } of lost) {
    error(
      id.startsWith(UNKNOWN)
        ? `${column}\t${boxes} that are no boxes and begin with ${id.slice(1)}`
        : `${column}\t${boxes} that do not open: the key ${JSON.stringify(id)} is missing`,
    );
  }
  return lost.length === 0;
}
