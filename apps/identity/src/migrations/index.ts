import { Schema1795910400000 } from './1795910400000-schema.js';

/** Migrations of the identity database, oldest first. */
export const migrations = [Schema1795910400000];
