import { KeySource } from '@crm/access';
import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { CallerService } from './caller.service.js';
import { InternalTokenRpc } from './internal-token.rpc.js';
import { InternalTokenService } from './internal-token.service.js';
import { KeyController } from './key.controller.js';
import { KeyRpc } from './key.rpc.js';
import { LastingCutoffSweeper } from './lasting-cutoff.sweeper.js';
import { OwnKeySource } from './own-key-source.js';
import { PendingSignInRepository } from './pending-sign-in.repository.js';
import { ProofWays } from './proof-ways.js';
import { RecentProof } from './recent-proof.js';
import { RefreshTokenRepository } from './refresh-token.repository.js';
import { RevocationRepository } from './revocation.repository.js';
import { RevocationService } from './revocation.service.js';
import { RevocationSweeper } from './revocation.sweeper.js';
import { SessionController } from './session.controller.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';
import { SigningKeyRepository } from './signing-key.repository.js';
import { SigningKeyService } from './signing-key.service.js';
import { TokenSigner } from './token-signer.js';
import { UserSessionController } from './user-session.controller.js';
import { UserSessionService } from './user-session.service.js';

@Module({
  imports: [PeopleModule],
  controllers: [InternalTokenRpc, KeyController, KeyRpc, SessionController, UserSessionController],
  providers: [
    CallerService,
    InternalTokenService,
    SigningKeyRepository,
    SigningKeyService,
    TokenSigner,
    OwnKeySource,
    { provide: KeySource, useExisting: OwnKeySource },
    RefreshTokenRepository,
    LastingCutoffSweeper,
    RevocationRepository,
    RevocationService,
    RevocationSweeper,
    PendingSignInRepository,
    ProofWays,
    RecentProof,
    SessionRepository,
    SessionService,
    UserSessionService,
  ],
  exports: [
    CallerService,
    TokenSigner,
    RefreshTokenRepository,
    RevocationService,
    PendingSignInRepository,
    ProofWays,
    RecentProof,
    SessionRepository,
    SessionService,
  ],
})
export class SessionsModule {}
