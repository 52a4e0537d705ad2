import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AfterResponseModule } from '../after-response.module.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { OperatorRepository } from './operator.repository.js';
import { OperatorService } from './operator.service.js';
import { OperatorsAccountController, OperatorsPasskeyController } from './operator-account.controller.js';
import {
  OperatorController,
  OperatorsAuditController,
  OperatorsEmbedConflictController,
  OperatorsTenantController,
} from './operator-administration.controller.js';
import { OperatorAdministrationService } from './operator-administration.service.js';
import { OperatorPasskeyService } from './operator-passkey.service.js';
import { OperatorSessionService } from './operator-session.service.js';
import {
  OperatorPasswordStrategy,
  OperatorsPasskeySignInController,
  OperatorsSessionController,
} from './operator-sign-in.controller.js';

/** Operators: their sign-in, their sessions, their administration, and what they do with workspaces. */
@Module({
  imports: [AfterResponseModule, SignInModule, SessionsModule, AccountsModule, EmbeddingModule, PeopleModule],
  providers: [
    OperatorRepository,
    OperatorSessionService,
    OperatorService,
    OperatorAdministrationService,
    OperatorPasskeyService,
    OperatorPasswordStrategy,
  ],
  controllers: [
    OperatorsSessionController,
    OperatorsPasskeySignInController,
    OperatorsAccountController,
    OperatorsPasskeyController,
    OperatorController,
    OperatorsTenantController,
    OperatorsEmbedConflictController,
    OperatorsAuditController,
  ],
})
export class OperatorModule {}
