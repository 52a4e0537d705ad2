import { DATABASES } from '@crm/contracts';
import { DecisionsInForce1795800000832 } from './1795800000832-decisions-in-force.js';
import { EventsByFunction1795800001640 } from './1795800001640-events-by-function.js';
import { EndsAndNotices1795800001730 } from './1795800001730-ends-and-notices.js';

export const migrations = [DecisionsInForce1795800000832, EventsByFunction1795800001640, EndsAndNotices1795800001730];
export const databaseRoles = DATABASES['marketplace-certification'];
