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
import { PAUSE_SUBSCRIPTION, RESERVE_PERMITS } from '../src/subscriptions/subscription.repository.js';

const pick = <Of extends object>(from: Of, ...names: (keyof Of & string)[]) =>
  Object.fromEntries(names.map((name) => [name, from[name] as string]));
const OF_RUNTIME_ROLE = {
  COUNT_BY_HOUR: ledger.TENANT_LEDGER.countByHour,
  COUNT_DELIVERIES: ledger.TENANT_LEDGER.count,
  FIND_DELIVERY: ledger.TENANT_LEDGER.find,
  LIST_ATTEMPTS: ledger.TENANT_LEDGER.attempts,
  LIST_DELIVERIES: ledger.TENANT_LEDGER.list,
  ...pick(ledger, 'FIND_KNOWN_DELIVERY', 'HASTEN_DELIVERY', 'REDELIVER'),
  ...pick(holds, 'LIST_HOLDS', 'LOCK_HOLDS'),
  ...pick(listening, 'LIST_LISTENED_DELIVERIES'),
  ...pick(queues, 'WAKE_QUEUES'),
  ...{ LIST_RECEIVERS, MAKE_DUE, PAUSE_SUBSCRIPTION, RESERVE_PERMITS },
};
const OF_NARROW_ROLE = {
  COUNT_APP_DELIVERIES: ledger.APP_LEDGER.count,
  COUNT_OF_APP_BY_HOUR: ledger.APP_LEDGER.countByHour,
  FIND_APP_DELIVERY: ledger.APP_LEDGER.find,
  LIST_APP_ATTEMPTS: ledger.APP_LEDGER.attempts,
  LIST_APP_DELIVERIES: ledger.APP_LEDGER.list,
  ...pick(due, 'CLAIM_DELIVERIES', 'FIND_BODIES', 'RELEASE_DELIVERIES'),
  ...pick(holds, 'HOLD_CLAIMED_DELIVERIES', 'INSERT_HELD_DELIVERIES', 'LOCK_HOLDS'),
  ...pick(listening, 'FIND_LISTENING_HORIZON'),
  ...pick(order, 'APPOINT_HEADS', 'END_HEADS', 'FIND_AWAITED', 'FIND_FRESH'),
  ...pick(queues, 'FIND_NEXT_DUE', 'LOCK_FREE_QUEUES', 'SETTLE_QUEUES', 'WAKE_QUEUES'),
  ...pick(writer, 'INSERT_DUE_DELIVERIES', 'INSERT_ENDED_DELIVERIES', 'INSERT_EVENT_BODIES'),
  ...pick(writer, 'INSERT_ORDERED_DELIVERIES', 'SETTLE_DELIVERIES'),
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
