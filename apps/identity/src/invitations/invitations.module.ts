import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { MembershipsModule } from '../memberships/memberships.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SuspensionsModule } from '../suspensions/suspensions.module.js';
import { AcceptanceService } from './acceptance.service.js';
import { InvitationController } from './invitation.controller.js';
import { InvitationRepository } from './invitation.repository.js';
import { InvitationService } from './invitation.service.js';
import { OfferController } from './offer.controller.js';
import { OfferService } from './offer.service.js';

/** What other nouns use. */
const SHARED = [InvitationService];

@Module({
  imports: [MailModule, MembershipsModule, PasswordsModule, PeopleModule, SessionsModule, SuspensionsModule],
  controllers: [InvitationController, OfferController],
  providers: [...SHARED, AcceptanceService, InvitationRepository, OfferService],
  exports: SHARED,
})
export class InvitationsModule {}
