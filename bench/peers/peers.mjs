// Reading, listing and creating records through the gateway, beside Parse Server and Directus on the same Postgres: each
// with its own access control on, the same fields of the same bytes, 32 connections. Short rounds of all three alternate,
// and the ratio is that of one round, because the machine is shared.
import { alternate, detailRows, ratioOf, serverMicroseconds } from '../alternation.mjs';
import { checkAccess } from './access-check.mjs';
import { startPeers } from './subjects.mjs';

/** At least 80, so that a list is a whole page. */
const RECORDS = Number(process.env.BENCH_RECORDS ?? 20_000);
const CONNECTIONS = 32;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const ROUND_MS = Number(process.env.BENCH_ROUND_MS ?? 1000);
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 4000);
/** The compiler takes its time by calls, not by the clock: a slow server is no less warm than a fast one. */
const WARM_UP_REQUESTS = Number(process.env.BENCH_WARM_UP_REQUESTS ?? 3000);
/** A comma-separated choice of the works below, for a look at one of them. */
const CHOSEN = process.env.BENCH_WORKS?.split(',');

/** @typedef {import('./subjects.mjs').Peer} Peer */

/**
 * @typedef {object} Work
 * @property {'read' | 'list' | 'create'} name
 * @property {(peer: Peer) => () => string} next makes what gives the next request
 * @property {{ parseServer?: number, directus?: number }} targets smallest ratio of ours to the peer
 */

export async function measure() {
  const peers = await startPeers(RECORDS);
  try {
    const { ours, parseServer, directus } = peers;
    for (const peer of [ours, parseServer, directus]) await checkAccess(peer);
    const rows = [];
    for (const work of worksOf(peers.codes)) {
      if (!CHOSEN || CHOSEN.includes(work.name)) rows.push(...(await compare(peers, work)));
    }
    return rows;
  } finally {
    await peers.stop();
  }
}

/**
 * @param {readonly string[]} codes
 * @returns {Work[]}
 */
function worksOf(codes) {
  const turning = (/** @type {readonly string[]} */ list) => {
    let turn = 0;
    return () => {
      turn += 1;
      return /** @type {string} */ (list[turn % list.length]);
    };
  };
  return [
    {
      name: 'read',
      next: ({ ids, read }) => {
        const nextId = turning(ids);
        return () => read(nextId());
      },
      targets: { parseServer: 3, directus: 8 },
    },
    {
      name: 'list',
      next: ({ list }) => {
        const nextCode = turning(codes);
        return () => list(nextCode());
      },
      targets: { parseServer: 1.5 },
    },
    {
      name: 'create',
      next: ({ create }) => {
        let turn = 0;
        return () => {
          turn += 1;
          return create(turn);
        };
      },
      targets: { parseServer: 1.4, directus: 6.5 },
    },
  ];
}

/**
 * @param {{ ours: Peer, parseServer: Peer, directus: Peer }} peers
 * @param {Work} work
 */
async function compare({ ours, parseServer, directus }, work) {
  const sides = [ours, parseServer, directus].map((peer) => ({ subject: peer.subject, next: work.next(peer) }));
  const [own, ...others] = /** @type {[Series, Series, Series]} */ (
    await alternate(sides, {
      connections: CONNECTIONS,
      rounds: ROUNDS,
      roundMs: ROUND_MS,
      warmUpMs: WARM_UP_MS,
      warmUpRequests: WARM_UP_REQUESTS,
    })
  );
  const targets = [work.targets.parseServer, work.targets.directus];
  return [
    ...others.map((other, index) => ({
      name: `${work.name}: ours beside ${other.subject.name}`,
      unit: '/s',
      ours: own.rate,
      baseline: other.rate,
      ratio: ratioOf(own, other),
      ...(targets[index] !== undefined && { atLeast: targets[index] }),
    })),
    ...others.map((other) => ({
      name: `${work.name}: processor time a request in all servers, ours beside ${other.subject.name}`,
      unit: 'µs',
      ours: serverMicroseconds(own),
      baseline: serverMicroseconds(other),
    })),
    ...[own, ...others].flatMap((series) => detailRows(`${work.name}: ${series.subject.name}`, series)),
  ];
}

/** @typedef {import('../alternation.mjs').Series} Series */
