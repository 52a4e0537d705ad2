import { IdempotencyModule } from '@crm/database';
import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { RolesModule } from '../roles/roles.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { SingleSignOnModule } from '../single-sign-on/single-sign-on.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { AcceptanceService } from './acceptance.service.js';
import {
  EmailChangeController,
  PasswordChangeController,
  PasswordResetController,
  RegistrationController,
  VerificationController,
} from './account.controller.js';
import {
  EmailChangeRepository,
  InvitationRepository,
  OperatorRepository,
  PasswordResetRepository,
  SuspensionRepository,
} from './accounts.repository.js';
import { ExpiredRowRepository, ExpiredRowSweeper, LapsedClaimSweeper } from './accounts.sweeper.js';
import { AfterResponse } from './after-response.service.js';
import { EmailChangeService, EmailChangeUndoService } from './email-change.service.js';
import { InvitationController } from './invitation.controller.js';
import { InvitationService } from './invitation.service.js';
import { LeaveWorkspaceService } from './leave-workspace.service.js';
import { EmailChangeLimit, PasswordResetLimit, RegistrationLimit } from './limits.js';
import { MemberAdministrationService } from './member-administration.service.js';
import { MembershipRemovalService } from './membership-removal.service.js';
import { OfferController } from './offer.controller.js';
import { OfferService } from './offer.service.js';
import { OperatorService } from './operator.service.js';
import {
  OperatorController,
  OperatorsAuditController,
  OperatorsEmbedConflictController,
  OperatorsTenantController,
} from './operator-administration.controller.js';
import { OperatorAdministrationService } from './operator-administration.service.js';
import { OperatorPasswordService } from './operator-password.service.js';
import { OperatorPasskeyService, OperatorSessionService } from './operator-session.service.js';
import {
  OperatorPasswordStrategy,
  OperatorsAccountController,
  OperatorsPasskeyController,
  OperatorsPasskeySignInController,
  OperatorsSessionController,
} from './operator-sign-in.controller.js';
import { PasswordChangeService, PasswordResetService } from './password-change.service.js';
import { ErasureController, PersonalDataExportController } from './personal-data.controller.js';
import { ErasureRepository, PersonalDataRepository } from './personal-data.repository.js';
import { PersonalDataExportService } from './personal-data.service.js';
import { RegistrationService, VerificationService } from './registration.service.js';
import { SuspensionService } from './suspension.service.js';
import { UserController } from './user-administration.controller.js';
import { UserAdministrationService } from './user-administration.service.js';

@Module({
  imports: [
    SignInModule,
    MailModule,
    SessionsModule,
    PeopleModule,
    EmbeddingModule,
    SingleSignOnModule,
    AuditModule,
    IdempotencyModule,
    RolesModule,
    UsageModule,
  ],
  controllers: [
    EmailChangeController,
    ErasureController,
    InvitationController,
    OfferController,
    OperatorController,
    OperatorsAccountController,
    OperatorsAuditController,
    OperatorsEmbedConflictController,
    OperatorsPasskeyController,
    OperatorsPasskeySignInController,
    OperatorsSessionController,
    OperatorsTenantController,
    PasswordChangeController,
    PasswordResetController,
    PersonalDataExportController,
    RegistrationController,
    UserController,
    VerificationController,
  ],
  providers: [
    AcceptanceService,
    AfterResponse,
    MembershipRemovalService,
    EmailChangeLimit,
    EmailChangeRepository,
    EmailChangeService,
    EmailChangeUndoService,
    ErasureRepository,
    ExpiredRowRepository,
    ExpiredRowSweeper,
    InvitationRepository,
    InvitationService,
    OfferService,
    LeaveWorkspaceService,
    MemberAdministrationService,
    OperatorAdministrationService,
    OperatorPasskeyService,
    OperatorPasswordService,
    OperatorPasswordStrategy,
    OperatorRepository,
    OperatorService,
    OperatorSessionService,
    PasswordChangeService,
    PasswordResetLimit,
    PasswordResetRepository,
    PasswordResetService,
    PersonalDataExportService,
    PersonalDataRepository,
    RegistrationLimit,
    RegistrationService,
    SuspensionRepository,
    SuspensionService,
    UserAdministrationService,
    LapsedClaimSweeper,
    VerificationService,
  ],
})
export class AccountsModule {}
