import { Module } from '@nestjs/common';
import { UserModule } from '../people/user.module.js';
import { KeyModule } from './key.module.js';
import { GrantRecordModule } from '../oauth/grant-record.module.js';
import { ApiKeyModule } from '../api-keys/api-key.module.js';
import { CallerModule } from './caller.module.js';
import { RefreshTokenModule } from './refresh-token.module.js';
import { RevocationModule } from './revocation.module.js';
import { PendingSignInRepository } from './pending-sign-in.repository.js';
import { ProofWays } from './proof-ways.js';
import { RecentProof } from './recent-proof.js';
import { SessionController } from './session.controller.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';

/** Sessions: opened, refreshed, listed and ended. */
@Module({
  imports: [ApiKeyModule, UserModule, KeyModule, CallerModule, RefreshTokenModule, RevocationModule, GrantRecordModule],
  controllers: [SessionController],
  providers: [PendingSignInRepository, ProofWays, RecentProof, SessionRepository, SessionService],
  // Operators' sessions are made of the same parts.
  exports: [
    PendingSignInRepository,
    ProofWays,
    RecentProof,
    SessionRepository,
    SessionService,
    KeyModule,
    RefreshTokenModule,
    RevocationModule,
  ],
})
export class SessionModule {}
