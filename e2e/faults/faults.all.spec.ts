import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  countAnswers,
  countDuplicates,
  countUnlogged,
  listInexact,
  listLedgerProblems,
  listLost,
} from '../event-path/audit.js';
import { planFaults } from './fault-plan.js';
import { type FaultRun, type Part, runFaults } from './fault-run.js';

/** `npm run test:deep` runs the long one. FAULT_EVENTS sets another length. */
const EVENTS = Number(process.env.FAULT_EVENTS ?? (process.env.DEEP === '1' ? 20_000 : 200));
/** Each kills everything once; so many events pass in one. */
const ROUNDS = Math.max(1, Math.round(EVENTS / 2_500));
/** Repeats a run: what fails and when is the same again. How the processes interleave is not. */
const SEED = Number(process.env.SEED ?? randomInt(1_000_000));
const CALM_EVENTS = Math.ceil(EVENTS / 10);
const TIMEOUT_MS = 1_800_000;

/** So few of what is wrong are shown. */
const SHOWN = 10;

describe(`the path of an event while everything on it is killed in turn (SEED=${SEED})`, () => {
  const plan = planFaults({ seed: SEED, leads: EVENTS, rounds: ROUNDS });
  let run: FaultRun;
  beforeAll(async () => {
    process.stderr.write(`SEED=${SEED}: ${EVENTS} events, ${plan.faults.length} kills\n`);
    run = await runFaults(plan, { calmLeads: CALM_EVENTS, logFolder: process.env.FAULT_LOGS });
    process.stderr.write(`${reportOf('with faults', run.faulty)}\n${reportOf('without', run.calm)}\n`);
  }, TIMEOUT_MS);

  it('goes on while receivers fail in every way', () => {
    const answers = countAnswers(run.faulty.deliveries);
    for (const answer of ['hang', 'reset', 429, 500, 503] as const)
      expect([answer, answers.get(answer)]).not.toContain(undefined);
  });

  it('commits every lead that was accepted', () => {
    for (const { accepted, committed } of [run.faulty, run.calm]) {
      const leads = new Set(committed.map(({ leadId }) => leadId));
      expect(accepted.filter((id) => !leads.has(id))).toEqual([]);
    }
    expect(run.faulty.accepted).toHaveLength(EVENTS);
  });

  it('delivers each committed event at least once to every matching subscription whose receiver accepts in the end', () => {
    expect(listLost(run.faulty.deliveries).slice(0, SHOWN)).toEqual([]);
    expect(listLost(run.calm.deliveries).slice(0, SHOWN)).toEqual([]);
  });

  it('has one delivery for each event and subscription in the ledger, with its end and every attempt it counts', () => {
    const problems = [...run.faulty.deliveries, ...run.calm.deliveries];
    expect(listLedgerProblems(problems).slice(0, SHOWN)).toEqual([]);
    expect(run.unexplained).toBe(0);
  });

  it('records each request and sends none twice as soon as nothing is killed any more', () => {
    expect(listInexact(run.calm.deliveries).slice(0, SHOWN)).toEqual([]);
    expect(countDuplicates(run.calm.deliveries)).toBe(0);
  });
});

function reportOf(name: string, { committed, deliveries, refusals, seconds }: Part): string {
  return [
    `  ${name}: ${committed.length} events, ${deliveries.length} deliveries in ${seconds.toFixed(1)} s`,
    `${countDuplicates(deliveries)} duplicates`,
    `${countUnlogged(deliveries)} requests that were not recorded`,
    `answers: ${listed(countAnswers(deliveries))}`,
    `leads refused: ${listed(refusals)}`,
  ].join('; ');
}

const listed = (counts: ReadonlyMap<unknown, number>): string =>
  [...counts].map(([what, count]) => `${count} ${what}`).join(', ') || 'none';
