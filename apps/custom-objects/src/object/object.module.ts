import { TenantDirectory } from '@crm/messaging';
import { Module } from '@nestjs/common';
import { ObjectController, ShareController } from './object.controller.js';
import { ObjectRepository } from './object.repository.js';
import { ObjectRpc } from './object.rpc.js';
import { ObjectService } from './object.service.js';
import { ObjectCatalogueController } from './object-catalogue.controller.js';
import { ObjectCatalogueService } from './object-catalogue.service.js';
import { ObjectModelStore } from './object-model.js';
import { OptionController, PipelineController } from './picklist.controller.js';
import { PicklistService } from './picklist.service.js';
import { ShareService } from './share.service.js';

@Module({
  controllers: [
    ObjectCatalogueController,
    ObjectController,
    ObjectRpc,
    OptionController,
    PipelineController,
    ShareController,
  ],
  // The tenants' zones, countries and plans, which identity owns, are cached once for the whole service.
  providers: [
    ObjectCatalogueService,
    ObjectModelStore,
    ObjectRepository,
    ObjectService,
    PicklistService,
    ShareService,
    TenantDirectory,
  ],
  exports: [ObjectModelStore, ObjectRepository, TenantDirectory],
})
export class ObjectModule {}
