import { DATABASES } from '@crm/contracts';
import { DecisionsInForce1795800000832 } from './1795800000832-decisions-in-force.js';

export const migrations = [DecisionsInForce1795800000832];
export const databaseRoles = DATABASES['marketplace-certification'];
