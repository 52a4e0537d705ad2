import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listLedgerProblems, listLost } from '../event-path/audit.js';
import { buildEarlier } from './earlier-build.js';
import { runUpgrade, type UpgradeRun } from './upgrade-run.js';

const TIMEOUT_MS = 900_000;

describe('a rolling upgrade from the commit of upgrade-from, while leads are written and their events are sent', () => {
  let logs: string;
  let run: UpgradeRun;
  beforeAll(async () => {
    logs = await mkdtemp(path.join(os.tmpdir(), 'crm-upgrade-'));
    run = await runUpgrade(await buildEarlier(), logs);
  }, TIMEOUT_MS);
  afterAll(() => rm(logs, { recursive: true }));

  it('refuses no write, and commits each that was accepted', () => {
    expect(Object.fromEntries(run.refusals)).toEqual({});
    const leads = new Set(run.committed.map(({ leadId }) => leadId));
    expect(run.accepted.filter((id) => !leads.has(id))).toEqual([]);
  });

  it('delivers each event to every matching subscription, and the ledger has each attempt', () => {
    expect(run.deliveries.length).toBeGreaterThan(run.accepted.length);
    expect(listLost(run.deliveries)).toEqual([]);
    expect(listLedgerProblems(run.deliveries)).toEqual([]);
  });

  it('makes no program log an error', () => {
    expect(run.errors).toEqual([]);
  });

  it('leads to the schema of this version', () => {
    for (const { migrated, committed } of Object.values(run.schemas)) expect(migrated).toBe(committed);
  });
});
