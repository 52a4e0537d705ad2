import { KeySource, ProofSource } from '@crm/access';
import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { AccessRemovalService } from './access-removal.service.js';
import { AuthenticationMethods } from './authentication-methods.js';
import { CallerService } from './caller.service.js';
import { InternalTokenService } from './internal-token.service.js';
import { KeyController } from './key.controller.js';
import { LastingCutoffSweeper } from './lasting-cutoff.sweeper.js';
import { OwnKeySource } from './own-key-source.js';
import { PersonSessionRepository } from './person-session.repository.js';
import { PersonSessionService } from './person-session.service.js';
import { RecentProof } from './recent-proof.js';
import { RefreshTokenRepository } from './refresh-token.repository.js';
import { RevocationRepository } from './revocation.repository.js';
import { RevocationService } from './revocation.service.js';
import { RevocationSweeper } from './revocation.sweeper.js';
import { SessionController } from './session.controller.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';
import { SessionParts } from './session-parts.js';
import { SessionsRpc } from './sessions.rpc.js';
import { SigningKeyRepository } from './signing-key.repository.js';
import { SigningKeyService } from './signing-key.service.js';
import { TokenSigner } from './token-signer.js';
import { UserSessionController } from './user-session.controller.js';
import { UserSessionService } from './user-session.service.js';

/** What other nouns use. */
const SHARED = [
  CallerService,
  PersonSessionService,
  TokenSigner,
  RefreshTokenRepository,
  RevocationService,
  AuthenticationMethods,
  RecentProof,
  SessionParts,
  SessionRepository,
  SessionService,
  AccessRemovalService,
];

@Module({
  imports: [PeopleModule],
  controllers: [KeyController, SessionController, SessionsRpc, UserSessionController],
  providers: [
    ...SHARED,
    InternalTokenService,
    SigningKeyRepository,
    SigningKeyService,
    OwnKeySource,
    { provide: KeySource, useExisting: OwnKeySource },
    { provide: ProofSource, useExisting: RecentProof },
    LastingCutoffSweeper,
    PersonSessionRepository,
    RevocationRepository,
    RevocationSweeper,
    UserSessionService,
  ],
  exports: SHARED,
})
export class SessionsModule {}
