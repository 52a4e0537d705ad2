import { Module } from '@nestjs/common';
import { GuessesModule } from '../guesses/guesses.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { PasskeyController } from './passkey.controller.js';
import { PasskeyRepository } from './passkey.repository.js';
import { PasskeyService } from './passkey.service.js';
import { PasskeyAssertionService } from './passkey-assertion.service.js';
import { PasskeyChallengeService } from './passkey-challenge.service.js';
import { PasskeyParts } from './passkey-parts.js';
import { PasskeyProofController } from './passkey-proof.controller.js';

/** What other nouns use. */
const SHARED = [PasskeyAssertionService, PasskeyParts, PasskeyRepository];

@Module({
  imports: [GuessesModule, MailModule, PeopleModule, SessionsModule],
  controllers: [PasskeyController, PasskeyProofController],
  providers: [...SHARED, PasskeyChallengeService, PasskeyService],
  exports: SHARED,
})
export class PasskeysModule {}
