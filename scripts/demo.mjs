// npm run demo: walks the platform's main job against a running platform and prints what came back.
import { parseArgs } from 'node:util';
import { eventually } from './demo/client.mjs';
import { walkJourney } from './demo/journey.mjs';
import { startDemoReceiver } from './demo/receiver.mjs';
import { runCommand } from './plain-error.mjs';
import { requireRunning } from './platform/run-state.mjs';

await runCommand(async () => {
  const { values } = parseArgs({
    args: process.argv.slice(2),
    options: { data: { type: 'string' }, loop: { type: 'string', default: '1' } },
  });
  const { addresses } = await requireRunning(values.data);
  const receiver = await startDemoReceiver(addresses.demoReceiver);
  try {
    const rounds = Number(values.loop);
    let interrupted = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const started = performance.now();
      try {
        await walkJourney(addresses, receiver, { step, show });
      } catch (error) {
        // In a loop a round may meet a service that is being restarted; the last one has to be whole.
        if (round === rounds || !(error instanceof Error)) throw error;
        interrupted += 1;
        process.stdout.write(`\nRound ${round} was interrupted: ${error.message.slice(0, 300)}\n`);
        await eventually(() => isReady(addresses), 'the return of every service', 60_000);
        continue;
      }
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      process.stdout.write(`\nAll eight steps in ${seconds} s (${round}/${rounds})\n`);
    }
    if (interrupted > 0) process.stdout.write(`${rounds - interrupted} of ${rounds} rounds were whole\n`);
  } finally {
    await receiver.close();
  }
});

/** @param {import('./platform/addresses.mjs').Addresses} addresses
 * @returns {Promise<boolean>} whether every service is ready */
async function isReady(addresses) {
  const answers = await Promise.all(
    Object.values(addresses.services).map(({ operationsUrl }) =>
      fetch(`${operationsUrl}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    ),
  );
  return answers.every(Boolean);
}

/** @param {number} number @param {string} title */
function step(number, title) {
  process.stdout.write(`\n${number}. ${title}\n`);
}

/** @param {string} what @param {{ status: number, body: any }} answer @param {unknown} [shown] instead of the body */
function show(what, answer, shown = answer.body) {
  const text = shown === null ? '' : JSON.stringify(shown);
  process.stdout.write(
    `    ${what} → ${answer.status}${text === '' ? '' : `\n      ${text.length > 600 ? `${text.slice(0, 600)}…` : text}`}\n`,
  );
}
