import { Module } from '@nestjs/common';
import { UserModule } from '../people/user.module.js';
import { SessionModule } from './session.module.js';
import { UserSessionController } from './user-session.controller.js';
import { UserSessionService } from './user-session.service.js';

/** The sessions of the users of a workspace, as its administrators see and end them. */
@Module({
  imports: [UserModule, SessionModule],
  controllers: [UserSessionController],
  providers: [UserSessionService],
})
export class UserSessionModule {}
