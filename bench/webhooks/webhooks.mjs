// Webhooks from the commit of an event to the receiver: the service as it runs in production, its own Postgres with
// commits on disk, NATS, and a receiver over https, all on this machine. Every measurement checks that each event arrived
// at each subscription whose receiver works.
import { measureRelay } from './relay.mjs';
import { startSubjects } from './subjects.mjs';
import { Tenants } from './tenants.mjs';
import { bareRow, measureThroughput, startBareLoop } from './throughput.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** A comma-separated choice of the works below, for a look at one of them. */
const CHOSEN = process.env.BENCH_WORKS?.split(',');

export async function measure() {
  const isChosen = (/** @type {string} */ name) => !CHOSEN || CHOSEN.includes(name);
  const subjects = await startSubjects();
  try {
    const rows = [];
    if (isChosen('relay')) rows.push(...(await measureRelay(subjects, ROUNDS)));
    const dispatcher = await subjects.startDispatcher();
    const tenants = new Tenants(dispatcher.api, subjects);
    await tenants.subscribe();
    if (isChosen('throughput')) {
      const throughput = await measureThroughput(subjects, dispatcher, tenants, ROUNDS);
      rows.push(...throughput.rows);
    } else if (isChosen('bare')) {
      const bareLoop = await startBareLoop(subjects);
      rows.push(bareRow(await bareLoop()));
    }
    return rows;
  } finally {
    await subjects.stop();
  }
}
