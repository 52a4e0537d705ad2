import { NarrowerGrants1795800001301 } from './1795800001301-narrower-grants.js';

/** Migrations of the identity database, oldest first. */
export const migrations = [NarrowerGrants1795800001301];
