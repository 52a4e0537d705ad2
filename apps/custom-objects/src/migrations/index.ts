import { DATABASES } from '@crm/contracts';
import { StaleDefinition1795500000002 } from './1795500000002-stale-definition.js';
import { RecordIndex1795500001600 } from './1795500001600-record-index.js';

export const databaseRoles = DATABASES['custom-objects'];
export const migrations = [StaleDefinition1795500000002, RecordIndex1795500001600];
