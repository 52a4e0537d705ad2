// Sign-ins a second, next to a bare Fastify server that checks a password with Argon2id and does nothing else: 8 connections,
// sign-ins spread over 32 accounts. Ours also looks the account up, counts against the limits, opens a session and signs a
// token, so that the ratio says how much a sign-in costs beyond Argon2id. Short rounds of both alternate.
import { alternate, detailRows, ratioOf } from '../alternation.mjs';
import { requestText, sendOne } from '../load.mjs';
import { startSubjects } from './subjects.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const ROUND_MS = 2000;
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 3000);
/** Until the compiler has had its time. */
const WARM_UP_REQUESTS = 500;
const CONNECTIONS = 8;
const ACCOUNTS = 32;
const PASSWORD = 'tidal-lantern-orbits-quietly';

export async function measure() {
  const subjects = await startSubjects(PASSWORD);
  try {
    const { bare, identity } = subjects;
    const emails = Array.from({ length: ACCOUNTS }, (_, index) => `user-${index}@bench.test`);
    for (const email of emails) await register(identity.port, email);
    let turn = 0;
    const next = () => {
      turn += 1;
      return requestText('POST', '/api/auth/login', '', { email: emails[turn % ACCOUNTS], password: PASSWORD });
    };
    const plan = {
      connections: CONNECTIONS,
      rounds: ROUNDS,
      roundMs: ROUND_MS,
      warmUpMs: WARM_UP_MS,
      warmUpRequests: WARM_UP_REQUESTS,
    };
    const all = await alternate(
      [bare, identity].map((subject) => ({ subject, next })),
      plan,
    );
    const baseline = /** @type {(typeof all)[number]} */ (all[0]);
    return all.flatMap((series) => [
      {
        name: `sign-in: ${series.subject.name}`,
        unit: '/s',
        ours: series.rate,
        ...(series !== baseline && { baseline: baseline.rate, ratio: ratioOf(series, baseline), atLeast: 0.75 }),
      },
      ...detailRows(`sign-in: ${series.subject.name}`, series),
    ]);
  } finally {
    await subjects.stop();
  }
}

/**
 * @param {number} port of identity
 * @param {string} email
 */
async function register(port, email) {
  const body = { email, password: PASSWORD, name: 'Ada Lovelace', workspace: { name: 'Bench' } };
  const answer = await sendOne(port, requestText('POST', '/api/auth/register', '', body));
  if (answer.status !== 201) throw new Error(`A registration was refused: ${answer.body}`);
}
