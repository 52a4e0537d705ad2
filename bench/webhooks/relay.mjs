// Events a second that the relay brings from an outbox to JetStream.
import { newId } from '@crm/database';
import { median } from '../measure.mjs';
import { untilReached } from './progress.mjs';

const EVENTS = Number(process.env.BENCH_WEBHOOK_RELAY_EVENTS ?? 10_000);
const WARM_UP_EVENTS = 1000;
const TOGETHER = 50;
const AT_LEAST = 5000;

/**
 * Before the dispatcher is started, so that only the relay works.
 * @param {import('./subjects.mjs').Subjects} subjects
 * @param {number} rounds
 */
export async function measureRelay({ source, stream }, rounds) {
  const relay = async (/** @type {number} */ events) => {
    await source('commitAll', { tenantIds: [newId()], events, together: TOGETHER });
    const end = (await stream.position()) + events;
    const begun = performance.now();
    await source('startRelay');
    await untilReached('events in the stream', end, () => stream.position(), 5);
    const rate = events / ((performance.now() - begun) / 1000);
    await source('stopRelay');
    return rate;
  };
  await relay(Math.min(WARM_UP_EVENTS, EVENTS));
  const rates = [];
  for (let round = 0; round < rounds; round += 1) rates.push(await relay(EVENTS));
  await source('forget');
  return [{ name: 'outbox relay: events', unit: '/s', ours: median(rates), atLeast: AT_LEAST }];
}
