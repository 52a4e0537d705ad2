import { Module } from '@nestjs/common';
import { AfterAnswerModule } from '../after-answer.module.js';
import { EmbedUserModule } from '../embedding/embed-user.module.js';
import { MailModule } from '../mail/mail.module.js';
import { RevocationModule } from '../sessions/revocation.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { AuthenticatorModule } from '../sign-in/authenticator.module.js';
import { LimitModule } from '../sign-in/limit.module.js';
import { PasskeyStoreModule } from '../sign-in/passkey-store.module.js';
import { ProviderLinkModule } from '../single-sign-on/provider-link.module.js';
import { PasswordResetModule } from './password-reset.module.js';
import { ReauthenticationModule } from '../sign-in/reauthentication.module.js';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { EmailChangeController } from './email-change.controller.js';
import { EmailChangeRepository } from './email-change.repository.js';
import { EmailChangeService } from './email-change.service.js';
import { EmailChangeLimit } from './email-change-limit.js';
import { EmailChangeUndoService } from './email-change-undo.service.js';

/** Changing the address with which one signs in, and undoing it. */
@Module({
  imports: [
    AfterAnswerModule,
    AuthenticatorModule,
    LimitModule,
    MailModule,
    PasswordResetModule,
    ReauthenticationModule,
    RevocationModule,
    SessionModule,
    TenantModule,
    UserModule,
    PasskeyStoreModule,
    EmbedUserModule,
    ProviderLinkModule,
  ],
  controllers: [EmailChangeController],
  providers: [EmailChangeLimit, EmailChangeRepository, EmailChangeService, EmailChangeUndoService],
})
export class EmailChangeModule {}
