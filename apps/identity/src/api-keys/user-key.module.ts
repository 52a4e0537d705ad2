import { Module } from '@nestjs/common';
import { UserModule } from '../people/user.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { KeyIssueModule } from './key-issue.module.js';
import { UserKeyController } from './user-key.controller.js';
import { UserKeyService } from './user-key.service.js';

/** The keys of the users of a workspace, as its administrators see and end them. */
@Module({
  imports: [KeyIssueModule, SessionModule, UserModule],
  controllers: [UserKeyController],
  providers: [UserKeyService],
})
export class UserKeyModule {}
