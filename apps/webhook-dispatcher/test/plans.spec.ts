import { newId } from '@crm/database';
import { explainStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as due from '../src/delivery/due-delivery.repository.js';
import * as ledger from '../src/ledger/ledger.repository.js';
import * as writer from '../src/ledger/ledger-writer.repository.js';
import { MAKE_DUE } from '../src/ledger/recovery.repository.js';
import { migrations } from '../src/migrations/index.js';
import * as order from '../src/queue/delivery-order.repository.js';
import * as holds from '../src/queue/hold.repository.js';
import * as queues from '../src/queue/subscription-queue.repository.js';
import { LIST_RECEIVERS } from '../src/receivers/receiver-directory.js';
import * as listening from '../src/sandbox/listening.repository.js';
import { RESERVE_PERMITS } from '../src/subscriptions/subscription.repository.js';

const OF_RUNTIME_ROLE = {
  COUNT_BY_HOUR: ledger.TENANT_LEDGER.countByHour,
  COUNT_DELIVERIES: ledger.TENANT_LEDGER.count,
  FIND_DELIVERY: ledger.TENANT_LEDGER.find,
  FIND_KNOWN_DELIVERY: ledger.FIND_KNOWN_DELIVERY,
  HASTEN_DELIVERY: ledger.HASTEN_DELIVERY,
  LIST_ATTEMPTS: ledger.TENANT_LEDGER.attempts,
  LIST_DELIVERIES: ledger.TENANT_LEDGER.list,
  LIST_HOLDS: holds.LIST_HOLDS,
  LIST_LISTENED_DELIVERIES: listening.LIST_LISTENED_DELIVERIES,
  LIST_RECEIVERS,
  LOCK_HOLDS: holds.LOCK_HOLDS,
  MAKE_DUE,
  REDELIVER: ledger.REDELIVER,
  RESERVE_PERMITS,
  WAKE_QUEUES: queues.WAKE_QUEUES,
};
const OF_NARROW_ROLE = {
  APPOINT_HEADS: order.APPOINT_HEADS,
  CLAIM_DELIVERIES: due.CLAIM_DELIVERIES,
  COUNT_APP_DELIVERIES: ledger.APP_LEDGER.count,
  COUNT_OF_APP_BY_HOUR: ledger.APP_LEDGER.countByHour,
  END_HEADS: order.END_HEADS,
  FIND_APP_DELIVERY: ledger.APP_LEDGER.find,
  FIND_BODIES: due.FIND_BODIES,
  FIND_FRESH: order.FIND_FRESH,
  FIND_LISTENING_HORIZON: listening.FIND_LISTENING_HORIZON,
  FIND_NEXT_DUE: queues.FIND_NEXT_DUE,
  HOLD_CLAIMED_DELIVERIES: holds.HOLD_CLAIMED_DELIVERIES,
  INSERT_DUE_DELIVERIES: writer.INSERT_DUE_DELIVERIES,
  INSERT_ENDED_DELIVERIES: writer.INSERT_ENDED_DELIVERIES,
  INSERT_EVENT_BODIES: writer.INSERT_EVENT_BODIES,
  INSERT_HELD_DELIVERIES: holds.INSERT_HELD_DELIVERIES,
  INSERT_ORDERED_DELIVERIES: writer.INSERT_ORDERED_DELIVERIES,
  LIST_APP_ATTEMPTS: ledger.APP_LEDGER.attempts,
  LIST_APP_DELIVERIES: ledger.APP_LEDGER.list,
  LOCK_FREE_QUEUES: queues.LOCK_FREE_QUEUES,
  LOCK_HOLDS: holds.LOCK_HOLDS,
  RELEASE_DELIVERIES: due.RELEASE_DELIVERIES,
  SETTLE_DELIVERIES: writer.SETTLE_DELIVERIES,
  SETTLE_QUEUES: queues.SETTLE_QUEUES,
  WAKE_QUEUES: queues.WAKE_QUEUES,
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
