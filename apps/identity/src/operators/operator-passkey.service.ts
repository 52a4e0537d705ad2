import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { PasskeyParts } from '../passkeys/passkey-parts.js';
import { Passkeys } from '../passkeys/passkeys.js';
import { OperatorRepository } from './operator.repository.js';
import { OperatorSessionService } from './operator-session.service.js';

@Injectable()
export class OperatorPasskeyService extends Passkeys {
  constructor(
    parts: PasskeyParts,
    sessions: OperatorSessionService,
    operators: OperatorRepository,
    @Inject(IDENTITY_CONFIG) config: IdentityConfig,
  ) {
    super(parts, {
      kind: 'operators',
      party: config.passkeys.operators,
      sessions,
      lock: async (tx, id) => {
        const operator = await operators.lock(tx, id);
        return operator?.status === 'active' ? operator : null;
      },
      admit: (tx, id) => operators.find(tx, id),
    });
  }
}
