// Milliseconds from the commit of an event to its receipt, at a given rate; then the same with one of each tenant's ten
// endpoints hanging. Rounds of both alternate, because the machine is shared.
import { median } from '../measure.mjs';
import { untilReached } from './progress.mjs';
import { checkArrivals, percentile } from './receipts.mjs';
import { SUBSCRIPTIONS } from './tenants.mjs';

/** Longer than an attempt that hangs, which takes 15 s. */
const ROUND_MS = Number(process.env.BENCH_WEBHOOK_LATENCY_MS ?? 20_000);
const WARM_UP_MS = Math.min(ROUND_MS, 5000);
const TARGETS = { p50: 50, p99: 250, hanging: 1.5 };

/** @typedef {import('./subjects.mjs').Subjects} Subjects */
/** @typedef {import('./tenants.mjs').Tenants} Tenants */

/**
 * @param {Subjects} subjects
 * @param {Tenants} tenants
 * @param {{ perSecond: number, rounds: number, withHanging: boolean }} plan deliveries a second
 */
export async function measureLatency(subjects, tenants, { perSecond, rounds, withHanging }) {
  const { source, receiver, ledger } = subjects;
  await source('startRelay');
  await deliverAtRate(subjects, tenants, { perSecond, milliseconds: WARM_UP_MS });
  /** @type {readonly ('ok' | 'hang')[]} */
  const sides = withHanging ? ['ok', 'hang'] : ['ok'];
  /** @type {Record<'ok' | 'hang', number[][]>} */
  const latencies = { ok: [], hang: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      if (side === 'hang') await tenants.replaceTenth('hang');
      latencies[side].push(await deliverAtRate(subjects, tenants, { perSecond, milliseconds: ROUND_MS }));
      if (side === 'ok') continue;
      await tenants.replaceTenth('ok');
      // What hangs still would fall into the round without.
      await untilReached('hanging attempts that have ended', 0, async () => -(await receiver('counts')).hanging, 200);
      await untilReached(
        'deliveries without a subscription that have ended',
        0,
        async () => -(await ledger.countPending()),
        200,
      );
    }
  }
  await source('stopRelay');
  const name = `event to receiver at ${Math.round(perSecond)} deliveries a second`;
  const p99s = { ok: latencies.ok.map(p99Of), hang: latencies.hang.map(p99Of) };
  const rows = [
    {
      name: `${name}, p50`,
      unit: 'ms',
      ours: median(latencies.ok.map((one) => percentile(one, 0.5))),
      atMost: TARGETS.p50,
    },
    { name: `${name}, p99`, unit: 'ms', ours: median(p99s.ok), atMost: TARGETS.p99 },
  ];
  if (!withHanging) return rows;
  return [
    ...rows,
    {
      name: `${name}, p99 of the healthy with a tenth hanging, beside without`,
      unit: 'ms',
      ours: median(p99s.hang),
      baseline: median(p99s.ok),
      ratio: median(p99s.hang.map((p99, round) => p99 / Number(p99s.ok[round]))),
      atMost: TARGETS.hanging,
    },
  ];
}

/** @param {readonly number[]} latencies in ascending order */
export const p99Of = (latencies) => percentile(latencies, 0.99);

/**
 * One round with the relay running.
 * @param {Subjects} subjects
 * @param {Tenants} tenants
 * @param {{ perSecond: number, milliseconds: number }} load deliveries a second, those to endpoints that hang among them
 * @returns {Promise<number[]>} latencies at the nine endpoints of each tenant that always work, in ascending order
 * @throws {Error} when an event is lost
 */
export async function deliverAtRate({ source, receiver }, { ids, steady, tenth }, { perSecond, milliseconds }) {
  await source('forget');
  await receiver('forget');
  await source('commitAtRate', { tenantIds: ids, perSecond: perSecond / SUBSCRIPTIONS, milliseconds });
  const commits = await source('commits');
  const healthy = [...steady, ...tenth.filter(({ path }) => path.startsWith('/ok/'))];
  const deliveries = healthy.reduce((sum, { tenantId }) => sum + (commits[tenantId]?.length ?? 0), 0);
  await untilReached('deliveries', deliveries, async () => (await receiver('counts')).receipts, 50);
  const receipts = await receiver('receipts');
  checkArrivals(commits, receipts, healthy);
  return checkArrivals(commits, receipts, steady).latencies;
}
