// Webhooks from the commit of an event to the receiver: the service as it runs in production, its own Postgres with
// commits on disk, NATS, and a receiver over https, all on this machine. Every measurement checks that each event arrived
// at each subscription whose receiver works.
import { measureDue } from './due.mjs';
import { measureLatency } from './latency.mjs';
import { untilReached } from './progress.mjs';
import { measureQueue } from './queue.mjs';
import { measureRelay } from './relay.mjs';
import { startSubjects } from './subjects.mjs';
import { Tenants } from './tenants.mjs';
import { bareRow, measureThroughput, SUSTAINED, startBareLoop } from './throughput.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** Deliveries a second at which latencies are measured; by default half of what was measured, or of its target. */
const RATE = process.env.BENCH_WEBHOOK_RATE;
/** A comma-separated choice of the works below, for a look at one of them. */
const CHOSEN = process.env.BENCH_WORKS?.split(',');

export async function measure() {
  const isChosen = (/** @type {string} */ name) => !CHOSEN || CHOSEN.includes(name);
  const subjects = await startSubjects();
  try {
    const rows = [];
    if (isChosen('relay')) rows.push(...(await measureRelay(subjects, ROUNDS)));
    const dispatcher = await subjects.startDispatcher();
    // The events of the relay's measurement have no subscriptions; they would be in the way of those that do.
    await untilReached('events handled', 0, async () => -(await subjects.stream.waiting()), 100);
    const tenants = new Tenants(dispatcher.api, subjects);
    await tenants.subscribe();
    let perSecond = SUSTAINED / 2;
    if (isChosen('throughput')) {
      const throughput = await measureThroughput(subjects, dispatcher, tenants, ROUNDS);
      rows.push(...throughput.rows);
      perSecond = throughput.rate / 2;
    } else if (isChosen('bare')) {
      const bareLoop = await startBareLoop(subjects);
      rows.push(bareRow(await bareLoop()));
    }
    if (isChosen('latency') || isChosen('hanging')) {
      const plan = { perSecond: Number(RATE ?? perSecond), rounds: ROUNDS, withHanging: isChosen('hanging') };
      rows.push(...(await measureLatency(subjects, tenants, plan)));
    }
    if (isChosen('due')) rows.push(...(await measureDue(subjects, dispatcher, tenants)));
    if (isChosen('queue')) rows.push(...(await measureQueue(subjects, dispatcher, tenants, ROUNDS)));
    return rows;
  } finally {
    await subjects.stop();
  }
}
