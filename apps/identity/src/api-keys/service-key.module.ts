import { Module } from '@nestjs/common';
import { ServiceAccountModule } from './service-account.module.js';
import { ServiceKeyController } from './service-key.controller.js';
import { ServiceKeyService } from './service-key.service.js';

/** The keys of service accounts. */
@Module({
  imports: [ServiceAccountModule],
  controllers: [ServiceKeyController],
  providers: [ServiceKeyService],
})
export class ServiceKeyModule {}
