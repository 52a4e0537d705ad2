import { newId } from '@crm/database';
import { explainStatements, exportedStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as hookSql from '../src/hook/hook.sql.js';
import * as callSql from '../src/hook-call/hook-call.sql.js';
import { migrations } from '../src/migrations/index.js';
import * as claimedRunSql from '../src/run/claimed-run.sql.js';
import * as runSql from '../src/run/run.sql.js';
import * as acceptedRunsSql from '../src/workflow/accepted-runs.sql.js';
import * as workflowSql from '../src/workflow/workflow.sql.js';

const { CLAIM_RUNS, HAS_QUEUED_RUNS, MEASURE_DUE_RUNS, RELEASE_RUNS, ...runSqlOfTenants } = runSql;
const { SWEEP_DEFINITIONS, ...workflowSqlOfTenants } = workflowSql;
const ofRuntimeRole = { ...runSqlOfTenants, ...claimedRunSql, ...workflowSqlOfTenants, ...acceptedRunsSql };
const ofNarrowRole = {
  CLAIM_RUNS,
  HAS_QUEUED_RUNS,
  MEASURE_DUE_RUNS,
  RELEASE_RUNS,
  SWEEP_DEFINITIONS,
  ...hookSql,
  ...callSql,
};

describe('the plans of the hand-written SQL of automation-hooks', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await testDatabase('automation-hooks', migrations);
  });
  afterAll(() => database?.drop());

  it('match the snapshot for the runtime role, in the context of a tenant', async () => {
    expect(await explainStatements({ url: database.config.url, tenantId: newId() }, ofRuntimeRole)).toMatchSnapshot();
  });

  it('match the snapshot for the narrow role, which serves all tenants', async () => {
    expect(await explainStatements({ url: database.config.narrowUrl }, ofNarrowRole)).toMatchSnapshot();
  });

  it('cover every exported statement', async () => {
    const exported = await exportedStatements(new URL('../src/', import.meta.url));
    expect(Object.keys({ ...ofRuntimeRole, ...ofNarrowRole }).sort()).toEqual(exported);
  });
});
