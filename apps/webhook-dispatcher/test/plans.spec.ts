import { newId } from '@crm/database';
import { explainStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLAIM_DELIVERIES, FIND_BODIES, RELEASE_DELIVERIES } from '../src/delivery/due-delivery.repository.js';
import {
  APP_LEDGER,
  FIND_KNOWN_DELIVERY,
  HASTEN_DELIVERY,
  REDELIVER,
  TENANT_LEDGER,
} from '../src/ledger/ledger.repository.js';
import {
  INSERT_DUE_DELIVERIES,
  INSERT_ENDED_DELIVERIES,
  INSERT_EVENT_BODIES,
  INSERT_ORDERED_DELIVERIES,
  SETTLE_DELIVERIES,
} from '../src/ledger/ledger-writer.repository.js';
import { MAKE_DUE } from '../src/ledger/recovery.repository.js';
import { migrations } from '../src/migrations/index.js';
import { APPOINT_HEADS, END_HEADS, FIND_FRESH } from '../src/queue/delivery-order.repository.js';
import {
  HOLD_CLAIMED_DELIVERIES,
  INSERT_HELD_DELIVERIES,
  LIST_HOLDS,
  LOCK_HOLDS,
} from '../src/queue/hold.repository.js';
import {
  FIND_NEXT_DUE,
  LOCK_FREE_QUEUES,
  SETTLE_QUEUES,
  WAKE_QUEUES,
} from '../src/queue/subscription-queue.repository.js';
import { LIST_RECEIVERS } from '../src/receivers/receiver.repository.js';
import { FIND_LISTENING_HORIZON, LIST_LISTENED_DELIVERIES } from '../src/sandbox/listening.repository.js';
import { RESERVE_PERMITS } from '../src/subscriptions/subscription.repository.js';

const OF_RUNTIME_ROLE = {
  COUNT_BY_HOUR: TENANT_LEDGER.countByHour,
  COUNT_DELIVERIES: TENANT_LEDGER.count,
  FIND_DELIVERY: TENANT_LEDGER.find,
  FIND_KNOWN_DELIVERY,
  HASTEN_DELIVERY,
  LIST_ATTEMPTS: TENANT_LEDGER.attempts,
  LIST_DELIVERIES: TENANT_LEDGER.list,
  LIST_HOLDS,
  LIST_LISTENED_DELIVERIES,
  LIST_RECEIVERS,
  LOCK_HOLDS,
  MAKE_DUE,
  REDELIVER,
  RESERVE_PERMITS,
  WAKE_QUEUES,
};
const OF_NARROW_ROLE = {
  APPOINT_HEADS,
  CLAIM_DELIVERIES,
  COUNT_APP_DELIVERIES: APP_LEDGER.count,
  COUNT_OF_APP_BY_HOUR: APP_LEDGER.countByHour,
  END_HEADS,
  FIND_APP_DELIVERY: APP_LEDGER.find,
  FIND_BODIES,
  FIND_FRESH,
  FIND_LISTENING_HORIZON,
  FIND_NEXT_DUE,
  HOLD_CLAIMED_DELIVERIES,
  INSERT_DUE_DELIVERIES,
  INSERT_ENDED_DELIVERIES,
  INSERT_EVENT_BODIES,
  INSERT_HELD_DELIVERIES,
  INSERT_ORDERED_DELIVERIES,
  LIST_APP_ATTEMPTS: APP_LEDGER.attempts,
  LIST_APP_DELIVERIES: APP_LEDGER.list,
  LOCK_FREE_QUEUES,
  LOCK_HOLDS,
  RELEASE_DELIVERIES,
  SETTLE_DELIVERIES,
  SETTLE_QUEUES,
  WAKE_QUEUES,
};

describe('plans of the statements that run for each request or delivery', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await testDatabase('webhook-dispatcher', migrations);
  });
  afterAll(() => database?.drop());

  it('are unchanged for the runtime role, in the context of a tenant', async () => {
    expect(await explainStatements({ url: database.config.url, tenantId: newId() }, OF_RUNTIME_ROLE)).toMatchSnapshot();
  });

  it('are unchanged for the narrow role, which claims and sweeps across tenants', async () => {
    expect(await explainStatements({ url: database.config.narrowUrl }, OF_NARROW_ROLE)).toMatchSnapshot();
  });
});
