import { KeySource, ProofSource } from '@crm/access';
import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { AccessRemovalService } from './access-removal.service.js';
import { CallerService, UserSessionService } from './caller.service.js';
import { InternalTokenService } from './internal-token.service.js';
import { KeyController } from './key.controller.js';
import { PersonSessionRepository } from './person-session.repository.js';
import { PersonSessionService } from './person-session.service.js';
import { AuthenticationMethods, RecentProof } from './proof.service.js';
import { RefreshTokenRepository } from './refresh-token.repository.js';
import {
  LastingCutoffSweeper,
  RevocationRepository,
  RevocationService,
  RevocationSweeper,
} from './revocation.service.js';
import { SessionController, UserSessionController } from './session.controller.js';
import { SessionRepository } from './session.repository.js';
import { SessionParts, SessionService } from './session.service.js';
import { SessionsRpc } from './sessions.rpc.js';
import { SigningKeyRepository } from './signing-key.repository.js';
import { OwnKeySource, SigningKeyService, TokenSigner } from './signing-key.service.js';

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
