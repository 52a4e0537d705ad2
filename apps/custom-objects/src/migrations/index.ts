import { DATABASES } from '@crm/contracts';
import { CustomObjects1763700000000 } from './1763700000000-custom-objects.js';
import { FormulaFunctions1763700000001 } from './1763700000001-formula-functions.js';
import { ObjectShares1795300000002 } from './1795300000002-object-shares.js';
import { RecordSearch1795500000001 } from './1795500000001-record-search.js';
import { StaleDefinition1795500000002 } from './1795500000002-stale-definition.js';

export const databaseRoles = DATABASES['custom-objects'];
export const migrations = [
  CustomObjects1763700000000,
  FormulaFunctions1763700000001,
  ObjectShares1795300000002,
  RecordSearch1795500000001,
  StaleDefinition1795500000002,
];
