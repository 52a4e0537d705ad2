import { newId } from '@crm/database';
import { explainStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACCEPT_CALLS, NOTE_HOOK_USE, VERIFY_CALLS } from '../src/hook-call/hook-call.repository.js';
import { migrations } from '../src/migrations/index.js';
import { MARK_RUNNING, READ_CLAIMED_RUN } from '../src/run/claimed-run.repository.js';
import { COUNT_RUNS, LIST_RUNS, LIST_STEPS } from '../src/run/run.repository.js';
import {
  CLAIM_RUNS,
  KEEP_EVENT,
  MEASURE_TENANTS,
  measureDueRuns,
  RELEASE_RUN,
  TAKE_EVENT,
  tenantsOfEvents,
} from '../src/run/run-queue.repository.js';
import { LIST_WORKFLOWS_STARTED_BY } from '../src/workflow/workflow.repository.js';

/** The statements that run per request, event or step. */
const ofRuntimeRole = {
  COUNT_RUNS,
  KEEP_EVENT,
  LIST_RUNS,
  LIST_STEPS,
  LIST_WORKFLOWS_STARTED_BY,
  MARK_RUNNING,
  READ_CLAIMED_RUN,
  TAKE_EVENT,
};
const ofNarrowRole = {
  ACCEPT_CALLS,
  CLAIM_RUNS,
  LIST_TENANTS_OF_EVENTS: tenantsOfEvents((table) => table),
  MEASURE_DUE_RUNS: measureDueRuns((table) => table),
  MEASURE_TENANTS,
  NOTE_HOOK_USE,
  RELEASE_RUN,
  VERIFY_CALLS,
};

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase('automation-hooks', migrations);
});
afterAll(() => database?.drop());

describe('the plans of the hand-written SQL of automation-hooks', () => {
  it('match the snapshot for the runtime role, in the context of a tenant', async () => {
    expect(await explainStatements({ url: database.config.url, tenantId: newId() }, ofRuntimeRole)).toMatchSnapshot();
  });

  it('match the snapshot for the narrow role, which serves all tenants', async () => {
    expect(await explainStatements({ url: database.config.narrowUrl }, ofNarrowRole)).toMatchSnapshot();
  });
});
