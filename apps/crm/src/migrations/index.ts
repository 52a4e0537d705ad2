import { DATABASES } from '@crm/contracts';
import { CoreRecords1795219200001 } from './1795219200001-core-records.js';
import { Idempotency1795219200002 } from './1795219200002-idempotency.js';

export const databaseRoles = DATABASES.crm;

export const migrations = [CoreRecords1795219200001, Idempotency1795219200002];
