// Events a second that the relay brings from an outbox to JetStream.
import { newId } from '@crm/database';
import { median } from '../measure.mjs';
import { countProcessorTime, processorRows } from './processor-use.mjs';
import { untilReached } from './progress.mjs';

/** Of one round. */
const EVENTS = Number(process.env.BENCH_WEBHOOK_RELAY_EVENTS ?? 10_000);
const TOGETHER = 50;
const AT_LEAST = 5000;

/**
 * Before the dispatcher is started, so that only the relay works.
 * @param {import('./subjects.mjs').Subjects} subjects
 * @param {number} rounds
 */
export async function measureRelay({ source, stream, postgres, nats, sourceProcess }, rounds) {
  const relay = async () => {
    await source('commitAll', { tenantIds: [newId()], events: EVENTS, together: TOGETHER });
    const end = (await stream.position()) + EVENTS;
    const processorTime = await countProcessorTime([sourceProcess, postgres, nats]);
    const begun = performance.now();
    await source('startRelay');
    await untilReached('events in the stream', end, () => stream.position(), 10);
    const rate = EVENTS / ((performance.now() - begun) / 1000);
    const seconds = await processorTime();
    await source('stopRelay');
    return { rate, seconds };
  };
  // The first round warms it up.
  await relay();
  const all = [];
  for (let round = 0; round < rounds; round += 1) all.push(await relay());
  await source('forget');
  const name = 'outbox relay: events';
  return [
    { name, unit: '/s', ours: median(all.map(({ rate }) => rate)), atLeast: AT_LEAST },
    ...processorRows(
      name,
      all.map(({ seconds }) => seconds),
      EVENTS * rounds,
    ),
  ];
}
