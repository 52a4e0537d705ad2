// What a tenant with a large queue at an endpoint that misbehaves does to the events of other tenants.
import { newId } from '@crm/database';
import { median } from '../measure.mjs';
import { DELIVERY_BODY } from './body.mjs';
import { deliverAtRate, p99Of } from './latency.mjs';

/** A million in the target; fewer by default, because writing a million takes long. */
const QUEUE = Number(process.env.BENCH_WEBHOOK_QUEUE ?? 100_000);
/** What the endpoint does: `fail`, `hang` or `slow/<ms>`. */
const BEHAVIOUR = process.env.BENCH_WEBHOOK_QUEUE_BEHAVIOUR ?? 'fail';
/** Deliveries of the other tenants a second: few, so that only the queue can delay them. */
const PER_SECOND = Number(process.env.BENCH_WEBHOOK_QUEUE_RATE ?? 200);
const ROUND_MS = Number(process.env.BENCH_WEBHOOK_QUEUE_MS ?? 10_000);
const AT_MOST = 1.5;

/**
 * Last of all, because the queue stays.
 * @param {import('./subjects.mjs').Subjects} subjects
 * @param {import('./throughput.mjs').Dispatcher} dispatcher
 * @param {import('./tenants.mjs').Tenants} tenants
 * @param {number} rounds of each side
 */
export async function measureQueue(subjects, { api }, tenants, rounds) {
  const load = { perSecond: PER_SECOND, milliseconds: ROUND_MS };
  const measureRounds = async () => {
    const p99s = [];
    for (let round = 0; round < rounds; round += 1) p99s.push(p99Of(await deliverAtRate(subjects, tenants, load)));
    return median(p99s);
  };
  await subjects.source('startRelay');
  await deliverAtRate(subjects, tenants, load);
  const without = await measureRounds();
  const waitingBefore = await subjects.ledger.countWaiting();
  const url = `${subjects.otherOrigins.at(-1)}/${BEHAVIOUR}/queue`;
  const subscription = await api.subscribe(newId(), url);
  await subjects.ledger.insertDue([subscription], QUEUE, DELIVERY_BODY);
  const beside = await measureRounds();
  const isLeft = (await subjects.ledger.countWaiting()) > waitingBefore;
  await subjects.source('stopRelay');
  if (!isLeft) throw new Error('The queue was gone before the end; BENCH_WEBHOOK_QUEUE makes a larger one');
  return [
    {
      name: `p99 of other tenants' events beside ${QUEUE} queued deliveries of one (${BEHAVIOUR}), and without`,
      unit: 'ms',
      ours: beside,
      baseline: without,
      atMost: AT_MOST,
    },
  ];
}
