import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { RoleController } from './role.controller.js';
import { RoleRepository } from './role.repository.js';
import { RoleService } from './role.service.js';

@Module({
  imports: [PeopleModule],
  controllers: [RoleController],
  providers: [RoleRepository, RoleService],
  exports: [RoleService],
})
export class RolesModule {}
