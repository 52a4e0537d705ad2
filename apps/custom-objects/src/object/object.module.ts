import { Module } from '@nestjs/common';
import { TenantModule } from '../tenant/tenant.module.js';
import { ObjectController } from './object.controller.js';
import { ObjectRepository } from './object.repository.js';
import { ObjectRpc } from './object.rpc.js';
import { ObjectService } from './object.service.js';
import { ObjectModelStore } from './object-model.store.js';

@Module({
  imports: [TenantModule],
  controllers: [ObjectController, ObjectRpc],
  providers: [ObjectRepository, ObjectModelStore, ObjectService],
  // Records are read and written by the definition in force; shares are part of it.
  exports: [ObjectModelStore, ObjectRepository],
})
export class ObjectModule {}
