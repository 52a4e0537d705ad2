import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { RefreshTokenRepository } from './refresh-token.repository.js';
import { RevocationService } from './revocation.service.js';
import { SessionRepository } from './session.repository.js';
import { TokenSigner } from './token-signer.js';

@Injectable()
export class SessionParts {
  constructor(
    readonly database: Database,
    readonly sessions: SessionRepository,
    readonly refreshTokens: RefreshTokenRepository,
    readonly signer: TokenSigner,
    readonly revocations: RevocationService,
    readonly trail: AuditTrail,
  ) {}
}
