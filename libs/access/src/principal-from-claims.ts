import { type AccessTokenClaims, ANY_APP, AUDIENCES, isAppRole } from '@crm/contracts';
import { uuidTimeMs } from './claims.js';
import type { Principal } from './principal.js';

/** The principal of verified claims. */
export function toPrincipal(claims: AccessTokenClaims, token: string): Principal {
  return Object.freeze({
    kind: kindOf(claims),
    userId: claims.sub,
    tenantId: claims.tid ?? '',
    roles: Object.freeze([...claims.roles]),
    scopes: Object.freeze([...claims.scopes]),
    ...(claims.linked_tid !== undefined && { linkedTenantId: claims.linked_tid }),
    ...(claims.sid !== undefined && (claims.api_key ? { apiKeyId: claims.sid } : { sessionId: claims.sid })),
    ...(claims.service_account && { serviceAccount: true as const }),
    tokenId: claims.jti,
    issuedAtMs: uuidTimeMs(claims.jti),
    ...appOf(claims),
    token,
  });
}

function kindOf(claims: AccessTokenClaims): Principal['kind'] {
  if (claims.aud === AUDIENCES.admin) return 'operator';
  if (claims.aud === AUDIENCES.internal) return 'internal';
  if (claims.embed) return 'embed';
  // An app's own token has both a role and an actor that identify it; either is enough to restrict it.
  const hasAppRole = claims.roles.some((role) => role === ANY_APP || isAppRole(role));
  return claims.act !== undefined || hasAppRole ? 'app' : 'user';
}

function appOf(claims: AccessTokenClaims): Pick<Principal, 'appKey' | 'installationId'> {
  const appKey = claims.act?.sub ?? claims.embed_app_id;
  const installationId = claims.act?.installation_id;
  return { ...(appKey !== undefined && { appKey }), ...(installationId !== undefined && { installationId }) };
}
