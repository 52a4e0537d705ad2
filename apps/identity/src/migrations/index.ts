import { NarrowerGrants1795800001301 } from './1795800001301-narrower-grants.js';
import { ClaimsFoundByPassword1795800001302 } from './1795800001302-claims-found-by-password.js';
import { IssuedSecrets1795800001303 } from './1795800001303-issued-secrets.js';
import { EventsByFunction1795800001640 } from './1795800001640-events-by-function.js';
import { WorkspaceSettings1795800001700 } from './1795800001700-workspace-settings.js';
import { Persons1795800001800 } from './1795800001800-persons.js';
import { PersonSessions1795800001810 } from './1795800001810-person-sessions.js';
import { HostUsersOfTheirOwn1795800011710 } from './1795800011710-host-users-of-their-own.js';
import { EmbeddingEnds1795800011711 } from './1795800011711-embedding-ends.js';
import { RevokedApps1795800011730 } from './1795800011730-revoked-apps.js';
import { PageTokens1795800011760 } from './1795800011760-page-tokens.js';
import { FactorOfPerson1795800011761 } from './1795800011761-factor-of-person.js';
import { WorkspaceLimits1795800011790 } from './1795800011790-workspace-limits.js';
import { LinkRequests1795800011795 } from './1795800011795-link-requests.js';
import { WorkspaceRoles1795800011800 } from './1795800011800-workspace-roles.js';

/** Migrations of the identity database, oldest first. */
export const migrations = [
  NarrowerGrants1795800001301,
  ClaimsFoundByPassword1795800001302,
  IssuedSecrets1795800001303,
  EventsByFunction1795800001640,
  WorkspaceSettings1795800001700,
  Persons1795800001800,
  PersonSessions1795800001810,
  HostUsersOfTheirOwn1795800011710,
  EmbeddingEnds1795800011711,
  RevokedApps1795800011730,
  PageTokens1795800011760,
  FactorOfPerson1795800011761,
  WorkspaceLimits1795800011790,
  LinkRequests1795800011795,
  WorkspaceRoles1795800011800,
];
