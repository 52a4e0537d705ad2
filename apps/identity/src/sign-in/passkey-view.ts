import type { PasskeyView } from '@crm/identity-views';
import type { Passkey } from './passkey.entity.js';

export function passkeyView({ id, name, backedUp, createdAt, lastUsedAt }: Passkey): PasskeyView {
  return {
    id,
    name,
    synced: backedUp,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
