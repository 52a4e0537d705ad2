import { IdempotencyModule } from '@crm/idempotency';
import { Module } from '@nestjs/common';
import { AfterAnswerModule } from '../after-answer.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { SingleSignOnModule } from '../single-sign-on/single-sign-on.module.js';
import { EmailChangeController } from './email-change.controller.js';
import { EmailChangeRepository } from './email-change.repository.js';
import { EmailChangeService } from './email-change.service.js';
import { EmailChangeLimit } from './email-change-limit.js';
import { EmailChangeUndoService } from './email-change-undo.service.js';
import { ErasureController } from './erasure.controller.js';
import { ErasureRepository } from './erasure.repository.js';
import { ErasureService } from './erasure.service.js';
import { ExpiredRowRepository } from './expired-row.repository.js';
import { ExpiredRowSweeper } from './expired-row.sweeper.js';
import { InvitationController } from './invitation.controller.js';
import { InvitationRepository } from './invitation.repository.js';
import { InvitationService } from './invitation.service.js';
import { LapsedClaimSweeper } from './lapsed-claim.sweeper.js';
import { PasswordChangeController } from './password-change.controller.js';
import { PasswordChangeService } from './password-change.service.js';
import { PasswordResetController } from './password-reset.controller.js';
import { PasswordResetRepository } from './password-reset.repository.js';
import { PasswordResetService } from './password-reset.service.js';
import { PasswordResetLimit } from './password-reset-limit.js';
import { PersonalDataRepository } from './personal-data.repository.js';
import { PersonalDataExportController } from './personal-data-export.controller.js';
import { PersonalDataExportService } from './personal-data-export.service.js';
import { RegistrationController } from './registration.controller.js';
import { RegistrationService } from './registration.service.js';
import { RegistrationLimit } from './registration-limit.js';
import { SuspensionRepository } from './suspension.repository.js';
import { SuspensionRpc } from './suspension.rpc.js';
import { SuspensionService } from './suspension.service.js';
import { SuspensionNoticeService } from './suspension-notice.service.js';
import { UserController } from './user-administration.controller.js';
import { UserAdministrationService } from './user-administration.service.js';
import { VerificationController } from './verification.controller.js';
import { VerificationService } from './verification.service.js';

@Module({
  imports: [
    AfterAnswerModule,
    SignInModule,
    MailModule,
    SessionsModule,
    PeopleModule,
    EmbeddingModule,
    SingleSignOnModule,
    AuditModule,
    IdempotencyModule,
  ],
  controllers: [
    EmailChangeController,
    ErasureController,
    InvitationController,
    PasswordChangeController,
    PasswordResetController,
    PersonalDataExportController,
    RegistrationController,
    SuspensionRpc,
    UserController,
    VerificationController,
  ],
  providers: [
    EmailChangeLimit,
    EmailChangeRepository,
    EmailChangeService,
    EmailChangeUndoService,
    ErasureRepository,
    ErasureService,
    ExpiredRowRepository,
    ExpiredRowSweeper,
    InvitationRepository,
    InvitationService,
    PasswordChangeService,
    PasswordResetLimit,
    PasswordResetRepository,
    PasswordResetService,
    PersonalDataExportService,
    PersonalDataRepository,
    RegistrationLimit,
    RegistrationService,
    SuspensionRepository,
    SuspensionNoticeService,
    SuspensionService,
    UserAdministrationService,
    LapsedClaimSweeper,
    VerificationService,
  ],
  exports: [InvitationService, PasswordResetRepository, PasswordResetService, VerificationService],
})
export class AccountsModule {}
