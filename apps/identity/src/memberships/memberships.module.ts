import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ErasureRepository } from './erasure.repository.js';
import { LeaveWorkspaceService } from './leave-workspace.service.js';
import { MembershipRemovalService } from './membership-removal.service.js';

@Module({
  imports: [PeopleModule, SessionsModule],
  providers: [ErasureRepository, LeaveWorkspaceService, MembershipRemovalService],
  exports: [ErasureRepository, LeaveWorkspaceService, MembershipRemovalService],
})
export class MembershipsModule {}
