import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { DeveloperDeliveryController } from './developer-delivery.controller.js';
import { DeveloperDeliveryService } from './developer-delivery.service.js';

@Module({
  imports: [CatalogueModule],
  controllers: [DeveloperDeliveryController],
  providers: [DeveloperDeliveryService],
})
export class DeveloperDeliveryModule {}
