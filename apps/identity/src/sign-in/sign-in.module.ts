import { Module } from '@nestjs/common';
import { GuessesModule } from '../guesses/guesses.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SecondFactorModule } from '../second-factor/second-factor.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { PageCookie } from './page-cookie.js';
import { PageSessionController } from './page-session.controller.js';
import { PasswordStrategy } from './password.strategy.js';
import { SignInController } from './sign-in.controller.js';
import { SignInService } from './sign-in.service.js';
import { SignInPolicyController } from './sign-in-policy.controller.js';
import { WorkspaceSwitchService } from './workspace-switch.service.js';
import { WorkspacesController } from './workspaces.controller.js';

@Module({
  imports: [GuessesModule, PasswordsModule, PeopleModule, SecondFactorModule, SessionsModule],
  controllers: [PageSessionController, SignInController, SignInPolicyController, WorkspacesController],
  providers: [PageCookie, PasswordStrategy, SignInService, WorkspaceSwitchService],
})
export class SignInModule {}
