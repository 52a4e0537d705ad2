import type { GrantView } from './grant.dto.js';
import type { Grant } from './grant.entity.js';

export function grantView({ id, appKey, appName, publisher, installationId, scopes, ...times }: Grant): GrantView {
  return {
    id,
    app: { key: appKey, name: appName, publisher },
    installationId,
    scopes,
    createdAt: times.createdAt.toISOString(),
    lastUsedAt: times.lastUsedAt.toISOString(),
    expiresAt: times.expiresAt.toISOString(),
  };
}
