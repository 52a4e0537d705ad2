import { NarrowerGrants1795800001301 } from './1795800001301-narrower-grants.js';
import { IssuersOfEmbedCredentials1795800001303 } from './1795800001303-issuers-of-embed-credentials.js';

/** Migrations of the identity database, oldest first. */
export const migrations = [NarrowerGrants1795800001301, IssuersOfEmbedCredentials1795800001303];
