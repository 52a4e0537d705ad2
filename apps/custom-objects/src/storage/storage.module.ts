import { Module } from '@nestjs/common';
import { ObjectModule } from '../object/object.module.js';
import { StorageRpc } from './storage.rpc.js';
import { StorageLimit } from './storage-limit.service.js';
import { StorageUseRepository } from './storage-use.repository.js';

@Module({
  imports: [ObjectModule],
  controllers: [StorageRpc],
  providers: [StorageLimit, StorageUseRepository],
  exports: [StorageLimit, StorageUseRepository],
})
export class StorageModule {}
