import { newId } from '@crm/database';
import { explainStatements, exportedStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as appLedgerSql from '../src/app-ledger/app-ledger.sql.js';
import * as appSecretSql from '../src/app-secret/app-secret.sql.js';
import * as deliverySql from '../src/delivery/delivery.sql.js';
import * as deliveryStatsSql from '../src/delivery-stats/delivery-stats.sql.js';
import * as dueDeliverySql from '../src/due/due-delivery.sql.js';
import * as knownDeliveriesSql from '../src/fan-out/known-deliveries.sql.js';
import * as holdingSql from '../src/holding/holding.sql.js';
import * as listeningSql from '../src/listening/listening.sql.js';
import { migrations } from '../src/migrations/index.js';
import * as receiverSql from '../src/receiver/receiver.sql.js';
import * as recordLineSql from '../src/record-line/record-line.sql.js';
import * as recordingSql from '../src/recording/recording.sql.js';
import * as recoverySql from '../src/recovery/recovery.sql.js';
import * as removedSubscriptionSql from '../src/removed-subscription/removed-subscription.sql.js';
import * as subscriptionSql from '../src/subscription/subscription.sql.js';
import * as queueSql from '../src/subscription-queue/subscription-queue.sql.js';

const { COUNT_BY_HOUR, COUNT_OF_APP_BY_HOUR } = deliveryStatsSql;
const { LIMIT_REMOVED, PURGE_REMOVED } = removedSubscriptionSql;
const { WAKE_QUEUES, ...queueSqlOfNarrowRole } = queueSql;
const { LOCK_HOLDS, RECOUNT_HOLDS, LIST_HOLDS, OPEN_HOLD, REDUCE_HOLD, DISCARD_HOLDS, ...holdingSqlOfNarrowRole } =
  holdingSql;
const {
  CLAIM_RECOVERIES,
  RELEASE_RECOVERIES,
  FIND_NEXT_RECOVERY,
  MEASURE_DUE_RECOVERIES,
  ...recoverySqlOfRuntimeRole
} = recoverySql;
const { FIND_LISTENING_HORIZON, ...listeningSqlOfRuntimeRole } = listeningSql;
const ofRuntimeRole = {
  ...deliverySql,
  COUNT_BY_HOUR,
  ...knownDeliveriesSql,
  ...listeningSqlOfRuntimeRole,
  ...receiverSql,
  ...recoverySqlOfRuntimeRole,
  LIMIT_REMOVED,
  ...subscriptionSql,
  LOCK_HOLDS,
  RECOUNT_HOLDS,
  LIST_HOLDS,
  OPEN_HOLD,
  REDUCE_HOLD,
  DISCARD_HOLDS,
  WAKE_QUEUES,
};
const ofNarrowRole = {
  ...appLedgerSql,
  COUNT_OF_APP_BY_HOUR,
  PURGE_REMOVED,
  FIND_LISTENING_HORIZON,
  ...appSecretSql,
  ...dueDeliverySql,
  ...holdingSqlOfNarrowRole,
  ...recordLineSql,
  ...queueSqlOfNarrowRole,
  ...recordingSql,
  CLAIM_RECOVERIES,
  RELEASE_RECOVERIES,
  FIND_NEXT_RECOVERY,
  MEASURE_DUE_RECOVERIES,
  LOCK_HOLDS,
  RECOUNT_HOLDS,
  WAKE_QUEUES,
};

describe('plans of the hand-written SQL of webhook-dispatcher', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await testDatabase('webhook-dispatcher', migrations);
  });
  afterAll(() => database?.drop());

  it('are unchanged for the runtime role, in the context of a tenant', async () => {
    expect(await explainStatements({ url: database.config.url, tenantId: newId() }, ofRuntimeRole)).toMatchSnapshot();
  });

  it('are unchanged for the narrow role, which claims and sweeps across tenants', async () => {
    expect(await explainStatements({ url: database.config.narrowUrl }, ofNarrowRole)).toMatchSnapshot();
  });

  it('cover every exported statement', async () => {
    const exported = await exportedStatements(new URL('../src/', import.meta.url));
    expect(Object.keys({ ...ofRuntimeRole, ...ofNarrowRole }).sort()).toEqual(exported);
  });
});
