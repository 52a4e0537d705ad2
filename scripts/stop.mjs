// npm run stop: ends the platform of the data folder (--data, default .data) and waits until it is gone.
import { parseArgs } from 'node:util';
import { runCommand } from './plain-error.mjs';
import { dataFolder } from './platform/options.mjs';
import { isRunning, leftoversEnded, readRunState, removeRunState } from './platform/run-state.mjs';
import { endProcess } from './processes/run.mjs';

/** The supervisor gives services 15 s, NATS 10 s and PostgreSQL 20 s. */
const STOP_MS = 60_000;

await runCommand(async () => {
  const { values } = parseArgs({ options: { data: { type: 'string' } } });
  const dataDir = dataFolder(values.data);
  const state = await readRunState(dataDir);
  if (!state) {
    process.stdout.write("The platform isn't running.\n");
    return 0;
  }
  if (await isRunning(state)) {
    process.stdout.write(`Stopping the platform (process ${state.supervisor}) … `);
    await endProcess(state.supervisor, 'SIGTERM', STOP_MS);
    process.stdout.write('stopped.\n');
  } else {
    await leftoversEnded(state);
  }
  await removeRunState(dataDir);
});
