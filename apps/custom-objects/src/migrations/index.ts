import { DATABASES } from '@crm/contracts';
import { CustomObjects1763700000000 } from './1763700000000-custom-objects.js';
import { FormulaFunctions1763700000001 } from './1763700000001-formula-functions.js';
import { FormulaFunctionsAgain1763700000002 } from './1763700000002-formula-functions-again.js';
import { NoInbox1763700000003 } from './1763700000003-no-inbox.js';
import { RecordIndexes1795300000001 } from './1795300000001-record-indexes.js';
import { ObjectShares1795300000002 } from './1795300000002-object-shares.js';
import { OneEngine1795400000001 } from './1795400000001-one-engine.js';
import { RecordSearch1795500000001 } from './1795500000001-record-search.js';
import { StaleDefinition1795500000002 } from './1795500000002-stale-definition.js';

export const databaseRoles = DATABASES['custom-objects'];
export const migrations = [
  CustomObjects1763700000000,
  FormulaFunctions1763700000001,
  FormulaFunctionsAgain1763700000002,
  NoInbox1763700000003,
  RecordIndexes1795300000001,
  ObjectShares1795300000002,
  OneEngine1795400000001,
  RecordSearch1795500000001,
  StaleDefinition1795500000002,
];
