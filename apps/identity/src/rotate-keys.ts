import 'reflect-metadata';
import { Database } from '@crm/database';
import { type IdentityConfig, loadConfig } from './config.js';
import { entities } from './entities.js';
import { runProgram } from './run-program.js';
import { SigningKeyRepository } from './sessions/signing-key.repository.js';
import { SigningKeyService } from './sessions/signing-key.service.js';

const USAGE = `A new signing key; the running replicas read it within seconds.

  node rotate-keys.js api|admin            published now, signs in ten minutes; tokens stay valid
  node rotate-keys.js api|admin --revoke   for keys that somebody else may have: the new one signs at once, and what the
                                           others signed is refused within two seconds
api are the keys of the tenants' tokens, admin those of the operators'.
`;

/** @returns what to print, or undefined for arguments that say nothing it knows */
export async function rotateKeys(
  database: Database,
  config: IdentityConfig,
  args: readonly string[],
): Promise<string | undefined> {
  const [group, option, ...more] = args;
  const isClear = (group === 'api' || group === 'admin') && [undefined, '--revoke'].includes(option) && !more.length;
  if (!isClear) return undefined;
  const keys = new SigningKeyService(database, new SigningKeyRepository(), config);
  if (option === undefined) return `${await keys.rotate(group)} is published now and signs in ten minutes`;
  const { kid, revoked } = await keys.revoke(group);
  return [`${kid} signs from now on`, ...revoked.map((old) => `${old} is out of force`)].join('\n');
}

/** @returns exit code: 0, or 2 for invalid arguments */
async function main(args: readonly string[]): Promise<number> {
  const config = loadConfig();
  const database = new Database(config.database, entities);
  try {
    const text = await rotateKeys(database, config, args);
    (text === undefined ? process.stderr : process.stdout).write(text === undefined ? USAGE : `${text}\n`);
    return text === undefined ? 2 : 0;
  } finally {
    await database.close();
  }
}

// Run as a program, by hand or on a schedule.
runProgram('rotate-keys.js', main);
