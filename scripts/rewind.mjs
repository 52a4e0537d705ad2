// npm run rewind -- <service> --since 2026-11-22T10:00:00Z: the service receives the events since then again, for example
// because its database has lost what it had handled. Its inbox removes those that it still knows.
// For another platform than the one that runs here: NATS_URL, and NATS_PASSWORD of the user provisioner.
import { parseArgs } from 'node:util';
import { PlainError, runCommand } from './plain-error.mjs';
import { requireRunning } from './platform/run-state.mjs';
import { loadSecrets } from './platform/secrets.mjs';
import { builtFile } from './root.mjs';
import { buildPackages, installPackages } from './setup/packages.mjs';

/** With the offset from UTC: without it, the result would depend on the machine. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { data: { type: 'string' }, since: { type: 'string' } },
  });
  // In a clone from which nothing was ever started, as on the machine of an operator.
  await installPackages();
  // Not all: a platform that runs here reads what a build would write.
  await buildPackages(['access', 'contracts', 'database', 'messaging', 'telemetry']);
  /** @type {typeof import('../libs/contracts/src/streams.js')} */
  const { CONSUMERS } = await import(builtFile('libs/contracts', 'streams.js'));
  const consumer = Object.values(CONSUMERS).find(({ service }) => service === positionals[0]);
  const since = new Date(TIME.test(values.since ?? '') ? (values.since ?? '') : Number.NaN);
  if (!consumer || positionals.length > 1 || Number.isNaN(since.getTime()) || since.getTime() > Date.now()) {
    const services = Object.values(CONSUMERS).map(({ service }) => service);
    throw new PlainError(
      'npm run rewind -- <service> --since <time in the past, as 2026-11-22T10:00:00Z>\n' +
        `Services: ${services.join(', ')}`,
    );
  }
  /** @type {typeof import('../libs/messaging/src/server/provision-streams.js')} */
  const { rewindConsumer } = await import(builtFile('libs/messaging', 'server/provision-streams.js'));
  const rewound = await rewindConsumer(await provisioner(values.data), consumer, since);
  process.stdout.write(
    `${consumer.durable} receives the events since ${rewound.since.toISOString()} again: ${rewound.pending}\n`,
  );
  return 0;
});

/** @param {string | undefined} data */
async function provisioner(data) {
  const user = 'provisioner';
  const { NATS_URL: url, NATS_PASSWORD: password } = process.env;
  if (url && password) return { url, user, password };
  const { addresses } = await requireRunning(data, ', or name another by NATS_URL and NATS_PASSWORD');
  const secrets = await loadSecrets(addresses.dataDir, { stateful: [], natsUsers: [] });
  return { url: addresses.natsUrl, user, password: secrets.nats.provisioner ?? '' };
}
