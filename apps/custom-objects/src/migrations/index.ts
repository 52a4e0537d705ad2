import { DATABASES } from '@crm/contracts';
import { StaleDefinition1795500000002 } from './1795500000002-stale-definition.js';
import { ClaimFunctions1795500001630 } from './1795500001630-claim-functions.js';
import { EventsByFunction1795500001640 } from './1795500001640-events-by-function.js';

export const databaseRoles = DATABASES['custom-objects'];
export const migrations = [StaleDefinition1795500000002, ClaimFunctions1795500001630, EventsByFunction1795500001640];
