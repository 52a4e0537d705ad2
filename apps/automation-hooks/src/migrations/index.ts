import { DATABASES } from '@crm/contracts';
import { HookSecrets1795800001201 } from './1795800001201-hook-secrets.js';
import { FairRunQueue1795800001202 } from './1795800001202-fair-run-queue.js';
import { FunctionsOfATenant1795800001670 } from './1795800001670-functions-of-a-tenant.js';
import { ErasedRecords1795800001672 } from './1795800001672-erased-records.js';
import { ClocksThatWereAhead1795800001720 } from './1795800001720-clocks-that-were-ahead.js';
import { RevokedApps1795800001730 } from './1795800001730-revoked-apps.js';

export const databaseRoles = DATABASES['automation-hooks'];
export const migrations = [
  HookSecrets1795800001201,
  FairRunQueue1795800001202,
  FunctionsOfATenant1795800001670,
  ErasedRecords1795800001672,
  ClocksThatWereAhead1795800001720,
  RevokedApps1795800001730,
];
