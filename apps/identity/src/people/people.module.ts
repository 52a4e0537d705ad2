import { Module } from '@nestjs/common';
import { EmailClaimRepository } from './email.repository.js';
import { TenantRepository, UserRepository } from './people.repository.js';
import { TenantService, UserService } from './people.service.js';
import { PersonRepository } from './person.repository.js';
import { PersonService } from './person.service.js';
import { TenantRpc } from './tenant.rpc.js';
import { WorkspaceController } from './workspace.controller.js';

/** What other nouns use. */
const SHARED = [
  TenantRepository,
  TenantService,
  EmailClaimRepository,
  PersonRepository,
  PersonService,
  UserRepository,
  UserService,
];

@Module({
  controllers: [TenantRpc, WorkspaceController],
  providers: [...SHARED],
  exports: SHARED,
})
export class PeopleModule {}
