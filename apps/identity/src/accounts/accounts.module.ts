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
import { AfterResponse } from './after-response.service.js';
import { EmailChangeController } from './email-change.controller.js';
import { EmailChangeRepository } from './email-change.repository.js';
import { EmailChangeService } from './email-change.service.js';
import { EmailChangeLimit } from './email-change-limit.js';
import { EmailChangeUndoService } from './email-change-undo.service.js';
import { ErasureController } from './erasure.controller.js';
import { ErasureRepository } from './erasure.repository.js';
import { ExpiredRowRepository } from './expired-row.repository.js';
import { ExpiredRowSweeper } from './expired-row.sweeper.js';
import { InvitationController } from './invitation.controller.js';
import { InvitationRepository } from './invitation.repository.js';
import { InvitationService } from './invitation.service.js';
import { LapsedClaimSweeper } from './lapsed-claim.sweeper.js';
import { LeaveWorkspaceService } from './leave-workspace.service.js';
import { MemberAdministrationService } from './member-administration.service.js';
import { MembershipRemovalService } from './membership-removal.service.js';
import { OfferController } from './offer.controller.js';
import { OfferService } from './offer.service.js';
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
import { PasswordChangeController } from './password-change.controller.js';
import { PasswordChangeService } from './password-change.service.js';
import { PasswordResetController } from './password-reset.controller.js';
import { PasswordResetRepository } from './password-reset.repository.js';
import { PasswordResetService } from './password-reset.service.js';
import { PasswordResetLimit } from './password-reset-limit.js';
import { PersonalDataRepository } from './personal-data.repository.js';
import { PersonalDataExportService } from './personal-data.service.js';
import { PersonalDataExportController } from './personal-data-export.controller.js';
import { RegistrationController } from './registration.controller.js';
import { RegistrationService } from './registration.service.js';
import { RegistrationLimit } from './registration-limit.js';
import { SuspensionRepository } from './suspension.repository.js';
import { SuspensionService } from './suspension.service.js';
import { UserController } from './user-administration.controller.js';
import { UserAdministrationService } from './user-administration.service.js';
import { VerificationController } from './verification.controller.js';
import { VerificationService } from './verification.service.js';

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
