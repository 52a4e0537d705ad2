// npm run reset: deletes the development data (--data, default .data), after asking. `npm run reset -- --yes` does not ask.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { PlainError, runCommand } from './plain-error.mjs';
import { dataFolder } from './platform/options.mjs';
import { isRunning, readRunState } from './platform/run-state.mjs';
import { reachableDataDir } from './servers/postgres-binaries.mjs';
import { unprivilegedUser } from './servers/unprivileged-user.mjs';

/** What a data folder of ours has in it: nothing else is deleted, whatever --data says. */
const MARKS = ['secrets.json', 'postgres', 'nats', 'logs'];

await runCommand(async () => {
  const { values } = parseArgs({ options: { data: { type: 'string' }, yes: { type: 'boolean' } } });
  const dataDir = dataFolder(values.data);
  if (!existsSync(dataDir)) {
    process.stdout.write(`There is no data (${dataDir} does not exist).\n`);
    return 0;
  }
  if (!MARKS.some((mark) => existsSync(path.join(dataDir, mark)))) {
    throw new PlainError(`${dataDir} is not a data folder of the platform; nothing was deleted.`);
  }
  if (await isRunning(await readRunState(dataDir))) {
    throw new PlainError('The platform is running. First: npm run stop');
  }
  if (!values.yes && !(await confirmed(dataDir))) {
    process.stdout.write('Nothing was deleted.\n');
    return 1;
  }
  const postgres = await reachableDataDir(path.join(dataDir, 'postgres'), await unprivilegedUser());
  // Elsewhere when PostgreSQL's user cannot reach the project; then its folder is ours alone.
  await rm(postgres.startsWith(dataDir) ? postgres : path.dirname(postgres), { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
  process.stdout.write(`Deleted ${dataDir}. The next start creates a new one.\n`);
});

/** @param {string} dataDir */
async function confirmed(dataDir) {
  if (!process.stdin.isTTY) throw new PlainError('There is nobody to ask. To delete the data: npm run reset -- --yes');
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await reader.question(`Delete all development data in ${dataDir}? (yes/no) `);
  reader.close();
  return answer.trim().toLowerCase() === 'yes';
}
