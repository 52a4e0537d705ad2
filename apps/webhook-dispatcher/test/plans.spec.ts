import { newId } from '@crm/database';
import { explainStatements, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as due from '../src/delivery/due-delivery.repository.js';
import * as ledger from '../src/ledger/ledger.repository.js';
import { migrations } from '../src/migrations/index.js';
import * as order from '../src/queue/delivery-order.repository.js';
import * as holds from '../src/queue/hold.repository.js';
import * as queues from '../src/queue/subscription-queue.repository.js';
import { LIST_RECEIVERS } from '../src/receivers/receiver-directory.js';
import * as listening from '../src/sandbox/listening.repository.js';

const OF_RUNTIME_ROLE = {
  COUNT_BY_HOUR: ledger.TENANT_LEDGER.countByHour,
  COUNT_DELIVERIES: ledger.TENANT_LEDGER.count,
  FIND_DELIVERY: ledger.TENANT_LEDGER.find,
  LIST_ATTEMPTS: ledger.TENANT_LEDGER.attempts,
  LIST_DELIVERIES: ledger.TENANT_LEDGER.list,
  FIND_KNOWN_DELIVERY: ledger.FIND_KNOWN_DELIVERY,
  LIST_HOLDS: holds.LIST_HOLDS,
  LOCK_HOLD: holds.LOCK_HOLD,
  LIST_LISTENED_DELIVERIES: listening.LIST_LISTENED_DELIVERIES,
  LIST_RECEIVERS,
};
const whole = (table: string) => table;
const OF_NARROW_ROLE = {
  COUNT_APP_DELIVERIES: ledger.APP_LEDGER.count,
  COUNT_OF_APP_BY_HOUR: ledger.APP_LEDGER.countByHour,
  FIND_APP_DELIVERY: ledger.APP_LEDGER.find,
  LIST_APP_ATTEMPTS: ledger.APP_LEDGER.attempts,
  LIST_APP_DELIVERIES: ledger.APP_LEDGER.list,
  FIND_DUE_QUEUES: due.findDueQueues(whole),
  FIND_NEXT_DUE: queues.findNextDue(whole),
  FIND_CHANGES: order.findChanges(whole),
  FIND_AWAITED: order.findAwaited(whole),
  FIND_FRESH: order.findFresh(whole),
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
