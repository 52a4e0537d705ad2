import { DATABASES } from '@crm/contracts';
import { RemovedSubscriptions1795800001501 } from './1795800001501-removed-subscriptions.js';
import { SharedByProcesses1795800001503 } from './1795800001503-shared-by-processes.js';
import { EventsByFunction1795800001640 } from './1795800001640-events-by-function.js';
import { LedgerFunctions1795800001670 } from './1795800001670-ledger-functions.js';
import { QueueFunctions1795800001671 } from './1795800001671-queue-functions.js';
import { ErasedRecords1795800001672 } from './1795800001672-erased-records.js';
import { ClocksThatWereAhead1795800001721 } from './1795800001721-clocks-that-were-ahead.js';
import { Sandboxes1795800001730 } from './1795800001730-sandboxes.js';

export const databaseRoles = DATABASES['webhook-dispatcher'];
export const migrations = [
  RemovedSubscriptions1795800001501,
  SharedByProcesses1795800001503,
  EventsByFunction1795800001640,
  LedgerFunctions1795800001670,
  QueueFunctions1795800001671,
  ErasedRecords1795800001672,
  ClocksThatWereAhead1795800001721,
  Sandboxes1795800001730,
];
