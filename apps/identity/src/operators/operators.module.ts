import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { GuessesModule } from '../guesses/guesses.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SecondFactorModule } from '../second-factor/second-factor.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SuspensionsModule } from '../suspensions/suspensions.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { OperatorController } from './operator.controller.js';
import { OperatorRepository } from './operator.repository.js';
import { OperatorService } from './operator.service.js';
import { OperatorAdministrationService } from './operator-administration.service.js';
import { OperatorPasskeyService } from './operator-passkey.service.js';
import { OperatorPasswordService } from './operator-password.service.js';
import { OperatorPasswordStrategy } from './operator-password.strategy.js';
import { OperatorSessionService } from './operator-session.service.js';
import { OperatorsAccountController } from './operators-account.controller.js';
import { OperatorsAuditController } from './operators-audit.controller.js';
import { OperatorsEmbedConflictController } from './operators-embed-conflict.controller.js';
import { OperatorsPasskeyController } from './operators-passkey.controller.js';
import { OperatorsPasskeySignInController } from './operators-passkey-sign-in.controller.js';
import { OperatorsSessionController } from './operators-session.controller.js';
import { OperatorsTenantController } from './operators-tenant.controller.js';

@Module({
  imports: [
    EmbeddingModule,
    GuessesModule,
    MailModule,
    PasskeysModule,
    PasswordsModule,
    PeopleModule,
    SecondFactorModule,
    SessionsModule,
    SuspensionsModule,
    UsageModule,
  ],
  controllers: [
    OperatorController,
    OperatorsAccountController,
    OperatorsAuditController,
    OperatorsEmbedConflictController,
    OperatorsPasskeyController,
    OperatorsPasskeySignInController,
    OperatorsSessionController,
    OperatorsTenantController,
  ],
  providers: [
    OperatorAdministrationService,
    OperatorPasskeyService,
    OperatorPasswordService,
    OperatorPasswordStrategy,
    OperatorRepository,
    OperatorService,
    OperatorSessionService,
  ],
})
export class OperatorsModule {}
