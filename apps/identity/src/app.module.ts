import { KeySource } from '@crm/access';
import { DatabaseModule } from '@crm/database';
import { LimiterStore, MemoryLimiterStore } from '@crm/http';
import { IdempotencyModule } from '@crm/idempotency';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { InvitationController } from './accounts/invitation/invitation.controller.js';
import { InvitationRepository } from './accounts/invitation/invitation.repository.js';
import { InvitationService } from './accounts/invitation/invitation.service.js';
import { Passwords } from './accounts/password/password.service.js';
import { PasswordMarks } from './accounts/password/password-marks.js';
import { RegistrationController } from './accounts/registration/registration.controller.js';
import { RegistrationService } from './accounts/registration/registration.service.js';
import { RegistrationLimit } from './accounts/registration/registration-limit.js';
import { TenantRepository } from './accounts/tenant/tenant.repository.js';
import { TenantRpc } from './accounts/tenant/tenant.rpc.js';
import { TenantService } from './accounts/tenant/tenant.service.js';
import { SignInEmailRepository } from './accounts/user/sign-in-email.repository.js';
import { UserRepository } from './accounts/user/user.repository.js';
import { UserController } from './accounts/user-administration/user-administration.controller.js';
import { UserService } from './accounts/user-administration/user-administration.service.js';
import { IDENTITY_CONFIG, type IdentityConfig } from './config.js';
import { EmbedClientRepository } from './embedding/embed-client/embed-client.repository.js';
import { EmbedClientRpc } from './embedding/embed-client/embed-client.rpc.js';
import { EmbedClientService } from './embedding/embed-client/embed-client.service.js';
import { EmbedLinkController } from './embedding/embed-link/embed-link.controller.js';
import { EmbedLinkService } from './embedding/embed-link/embed-link.service.js';
import { EmbedTokenRpc } from './embedding/embed-token/embed-token.rpc.js';
import { EmbedTokenService } from './embedding/embed-token/embed-token.service.js';
import { EmbedUserRepository } from './embedding/embed-user/embed-user.repository.js';
import { EmbedUserService } from './embedding/embed-user/embed-user.service.js';
import { entities } from './entities.js';
import { ExpiredRowRepository } from './housekeeping/expired-row.repository.js';
import { ExpiredRowSweeper } from './housekeeping/expired-row.sweeper.js';
import { KeyController } from './keys/key.controller.js';
import { KeyRpc } from './keys/key.rpc.js';
import { OwnKeySource } from './keys/own-key-source.js';
import { SigningKeyRepository } from './keys/signing-key.repository.js';
import { SigningKeyService } from './keys/signing-key.service.js';
import { TokenSigner } from './keys/token-signer.js';
import { MailRepository } from './mail/mail.repository.js';
import { MailWorker } from './mail/mail.worker.js';
import { OperatorRepository } from './operators/operator.repository.js';
import { OperatorRpc } from './operators/operator.rpc.js';
import { OperatorService } from './operators/operator.service.js';
import { CallerService } from './sessions/caller/caller.service.js';
import { InternalTokenRpc } from './sessions/internal-token/internal-token.rpc.js';
import { InternalTokenService } from './sessions/internal-token/internal-token.service.js';
import { RefreshTokenRepository } from './sessions/refresh-token/refresh-token.repository.js';
import { RevocationRepository } from './sessions/revocation/revocation.repository.js';
import { RevocationService } from './sessions/revocation/revocation.service.js';
import { RevocationSweeper } from './sessions/revocation/revocation.sweeper.js';
import { SessionController } from './sessions/session/session.controller.js';
import { SessionRepository } from './sessions/session/session.repository.js';
import { SessionService } from './sessions/session/session.service.js';
import { SignInLimit } from './sign-in/limit/sign-in-limit.js';
import { MfaController } from './sign-in/mfa/mfa.controller.js';
import { MfaService } from './sign-in/mfa/mfa.service.js';
import { MfaRepository } from './sign-in/mfa/mfa-challenge.repository.js';
import { PasswordStrategy } from './sign-in/sign-in/password.strategy.js';
import { SignInController } from './sign-in/sign-in/sign-in.controller.js';
import { SignInService } from './sign-in/sign-in/sign-in.service.js';

const controllers = [
  EmbedLinkController,
  InvitationController,
  KeyController,
  MfaController,
  RegistrationController,
  SessionController,
  SignInController,
  UserController,
];

const rpcHandlers = [EmbedClientRpc, EmbedTokenRpc, InternalTokenRpc, KeyRpc, OperatorRpc, TenantRpc];

const repositories = [
  EmbedClientRepository,
  EmbedUserRepository,
  ExpiredRowRepository,
  InvitationRepository,
  MailRepository,
  MfaRepository,
  OperatorRepository,
  RefreshTokenRepository,
  RevocationRepository,
  SessionRepository,
  SignInEmailRepository,
  SigningKeyRepository,
  TenantRepository,
  UserRepository,
];

const services = [
  CallerService,
  EmbedClientService,
  EmbedLinkService,
  EmbedTokenService,
  EmbedUserService,
  ExpiredRowSweeper,
  InternalTokenService,
  InvitationService,
  MailWorker,
  MfaService,
  OperatorService,
  PasswordMarks,
  PasswordStrategy,
  Passwords,
  RegistrationLimit,
  RegistrationService,
  RevocationService,
  RevocationSweeper,
  SessionService,
  SignInLimit,
  SignInService,
  SigningKeyService,
  TenantService,
  TokenSigner,
  UserService,
];

@Module({})
export class AppModule {
  static with(config: IdentityConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService({ config: config.database, entities }),
        MessagingModule.forService({ config: config.service.nats, outbox: true }),
        IdempotencyModule,
      ],
      controllers: [...controllers, ...rpcHandlers],
      providers: [
        { provide: IDENTITY_CONFIG, useValue: config },
        { provide: KeySource, useClass: OwnKeySource },
        { provide: LimiterStore, useClass: MemoryLimiterStore },
        ...repositories,
        ...services,
      ],
      exports: [KeySource],
    };
  }
}
