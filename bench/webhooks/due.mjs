// Many deliveries that are due at once drain at a steady rate in flat memory.
import { residentBytes } from '../resident-memory.mjs';
import { DELIVERY_BODY } from './body.mjs';
import { untilReached } from './progress.mjs';

/** A million in the target; fewer by default, because a million takes minutes. */
const DUE = Number(process.env.BENCH_WEBHOOK_DUE ?? 100_000);
const LOOK_MS = 50;
/** Smallest rate of the last quarter, and largest memory at the end, as multiples of those of the first quarter. */
const TARGETS = { rate: 0.9, memory: 1.1 };
const BYTES_PER_MEGABYTE = 2 ** 20;

/**
 * @param {import('./subjects.mjs').Subjects} subjects
 * @param {import('./throughput.mjs').Dispatcher} dispatcher
 * @param {import('./tenants.mjs').Tenants} tenants
 */
export async function measureDue({ receiver, ledger }, { pid }, { steady, tenth }) {
  const subscriptions = [...steady, ...tenth];
  const each = Math.ceil(DUE / subscriptions.length);
  const total = each * subscriptions.length;
  await receiver('forget');
  const before = await ledger.countDelivered();
  await ledger.insertDue(subscriptions, each, DELIVERY_BODY);

  /** When a part of them had been received, and what the dispatcher held then. */
  const at = async (/** @type {number} */ part) => {
    const count = async () => (await receiver('counts')).receipts;
    await untilReached('deliveries that were due', Math.ceil(total * part), count, LOOK_MS);
    // Those that have come since the last look belong to the time.
    return { received: await count(), time: performance.now(), memory: await residentBytes(pid) };
  };
  const [begin, first, third, end] = [await at(0.001), await at(0.25), await at(0.75), await at(1)];
  await untilReached('deliveries in the ledger', before + total, () => ledger.countDelivered(), 4 * LOOK_MS);
  const rate = (/** @type {Moment} */ from, /** @type {Moment} */ to) =>
    ((to.received - from.received) / (to.time - from.time)) * 1000;
  const name = `${total} due deliveries`;
  return [
    { name: `${name}, drained`, unit: '/s', ours: rate(begin, end) },
    {
      name: `${name}: rate of the last quarter, beside that of the first`,
      unit: '/s',
      ours: rate(third, end),
      baseline: rate(begin, first),
      atLeast: TARGETS.rate,
    },
    {
      name: `${name}: memory of the dispatcher at the end, beside that after the first quarter`,
      unit: 'MB',
      ours: end.memory / BYTES_PER_MEGABYTE,
      baseline: first.memory / BYTES_PER_MEGABYTE,
      atMost: TARGETS.memory,
    },
  ];
}

/** @typedef {{ received: number, time: number, memory: number }} Moment */
