// npm run demo: walks the platform's main job against a running platform and prints what came back.
import { parseArgs } from 'node:util';
import { walkJourney } from './demo/journey.mjs';
import { startDemoReceiver } from './demo/receiver.mjs';
import { runCommand } from './plain-error.mjs';
import { requireRunning } from './platform/run-state.mjs';

await runCommand(async () => {
  const { values } = parseArgs({ options: { data: { type: 'string' } } });
  const { addresses } = await requireRunning(values.data);
  const receiver = await startDemoReceiver(addresses.demoReceiver);
  try {
    const started = performance.now();
    await walkJourney(addresses, receiver, { step, show });
    process.stdout.write(`\nAll eight steps in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  } finally {
    await receiver.close();
  }
});

/** @param {number} number @param {string} title */
function step(number, title) {
  process.stdout.write(`\n${number}. ${title}\n`);
}

/** Tokens and secrets are not for a screen. @param {string} what @param {{ status: number, body: any }} answer */
function show(what, { status, body }) {
  const text = body === null ? '' : JSON.stringify(body, (key, value) => (/token|secret/i.test(key) ? '…' : value));
  const short = text.length > 600 ? `${text.slice(0, 600)}…` : text;
  const shown = `    ${what} → ${status}${short === '' ? '' : `\n      ${short}`}\n`;
  process.stdout.write(shown.replace(/(\/automations\/hooks\/[^/"]+\/)[^/" ]+/g, '$1…'));
}
