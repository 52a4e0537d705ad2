import { KeySource } from '@crm/access';
import { DatabaseModule } from '@crm/database';
import { LimiterStore, MemoryLimiterStore } from '@crm/http';
import { IdempotencyModule } from '@crm/idempotency';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from './config.js';
import { EmbedClientRepository } from './embed-client/embed-client.repository.js';
import { EmbedClientRpc } from './embed-client/embed-client.rpc.js';
import { EmbedClientService } from './embed-client/embed-client.service.js';
import { EmbedLinkController } from './embed-link/embed-link.controller.js';
import { EmbedLinkService } from './embed-link/embed-link.service.js';
import { EmbedTokenRpc } from './embed-token/embed-token.rpc.js';
import { EmbedTokenService } from './embed-token/embed-token.service.js';
import { EmbedUserRepository } from './embed-token/embed-user.repository.js';
import { EmbedUserService } from './embed-token/embed-user.service.js';
import { entities } from './entities.js';
import { ExpiredRowRepository } from './housekeeping/expired-row.repository.js';
import { ExpiredRowSweeper } from './housekeeping/expired-row.sweeper.js';
import { InternalTokenRpc } from './internal-token/internal-token.rpc.js';
import { InternalTokenService } from './internal-token/internal-token.service.js';
import { InvitationController } from './invitation/invitation.controller.js';
import { InvitationRepository } from './invitation/invitation.repository.js';
import { InvitationService } from './invitation/invitation.service.js';
import { KeyController } from './key/key.controller.js';
import { KeyRpc } from './key/key.rpc.js';
import { OwnKeySource } from './key/own-key-source.js';
import { SigningKeyRepository } from './key/signing-key.repository.js';
import { SigningKeyService } from './key/signing-key.service.js';
import { MailRepository } from './mail/mail.repository.js';
import { MailWorker } from './mail/mail.worker.js';
import { MfaController } from './mfa/mfa.controller.js';
import { MfaRepository } from './mfa/mfa.repository.js';
import { MfaService } from './mfa/mfa.service.js';
import { OperatorRepository } from './operator/operator.repository.js';
import { OperatorRpc } from './operator/operator.rpc.js';
import { OperatorService } from './operator/operator.service.js';
import { PasswordMarks } from './password/password-marks.js';
import { Passwords } from './password/passwords.js';
import { RegistrationController } from './registration/registration.controller.js';
import { RegistrationService } from './registration/registration.service.js';
import { RevocationRepository } from './revocation/revocation.repository.js';
import { RevocationService } from './revocation/revocation.service.js';
import { RevocationSweeper } from './revocation/revocation.sweeper.js';
import { CallerService } from './session/caller.service.js';
import { RefreshTokenRepository } from './session/refresh-token.repository.js';
import { SessionController } from './session/session.controller.js';
import { SessionRepository } from './session/session.repository.js';
import { SessionService } from './session/session.service.js';
import { PasswordStrategy } from './sign-in/password.strategy.js';
import { RegistrationLimit } from './sign-in/registration-limit.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignInService } from './sign-in/sign-in.service.js';
import { SignInLimit } from './sign-in/sign-in-limit.js';
import { TenantRepository } from './tenant/tenant.repository.js';
import { TenantRpc } from './tenant/tenant.rpc.js';
import { TenantService } from './tenant/tenant.service.js';
import { TokenSigner } from './token/token-signer.js';
import { SignInEmailRepository } from './user/sign-in-email.repository.js';
import { UserController } from './user/user.controller.js';
import { UserRepository } from './user/user.repository.js';
import { UserService } from './user/user.service.js';

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
