import { Module } from '@nestjs/common';
import { EmailClaimRepository } from './email-claim.repository.js';
import { PersonRepository } from './person.repository.js';
import { PersonService } from './person.service.js';
import { SignInPolicyRepository } from './sign-in-policy.repository.js';
import { TenantRepository } from './tenant.repository.js';
import { TenantRpc } from './tenant.rpc.js';
import { TenantService } from './tenant.service.js';
import { UserRepository } from './user.repository.js';
import { UserService } from './user.service.js';
import { WorkspaceController } from './workspace.controller.js';

/** What other nouns use. */
const SHARED = [
  TenantRepository,
  TenantService,
  EmailClaimRepository,
  PersonRepository,
  PersonService,
  SignInPolicyRepository,
  UserRepository,
  UserService,
];

@Module({
  controllers: [TenantRpc, WorkspaceController],
  providers: [...SHARED],
  exports: SHARED,
})
export class PeopleModule {}
