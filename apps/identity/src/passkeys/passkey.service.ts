import { PlatformError } from '@crm/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { UserRepository } from '../people/user.repository.js';
import { SessionService } from '../sessions/session.service.js';
import type { PasskeyView } from './passkey.dto.js';
import type { Passkey } from './passkey.entity.js';
import { PasskeyParts } from './passkey-parts.js';
import { Passkeys } from './passkeys.js';

@Injectable()
export class PasskeyService extends Passkeys {
  constructor(
    parts: PasskeyParts,
    sessions: SessionService,
    users: UserRepository,
    @Inject(IDENTITY_CONFIG) config: IdentityConfig,
  ) {
    super(parts, {
      kind: 'users',
      party: config.passkeys.users,
      sessions,
      lock: async (tx, id) => {
        const user = await users.lock(tx, id);
        return user?.status === 'active' ? user : null;
      },
      admit: async (tx, id) => {
        // Sent together: one round trip.
        const [user, needsProvider] = await Promise.all([users.find(tx, id), users.needsProvider(tx, tx.tenantId, id)]);
        // Passwords are refused for the same reason.
        if (needsProvider) throw new PlatformError('SINGLE_SIGN_ON_REQUIRED');
        return user;
      },
    });
  }
}

export function passkeyView({ id, name, backedUp, createdAt, lastUsedAt }: Passkey): PasskeyView {
  return {
    id,
    name,
    synced: backedUp,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
