import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { InstallationModule } from '../installation/installation.module.js';
import { ListingController, RatingController } from './listing.controller.js';
import { ListingRepository } from './listing.repository.js';
import { ListingService } from './listing.service.js';
import { RatingConsumer } from './rating.consumer.js';
import { RatingRepository } from './rating.repository.js';
import { RatingService } from './rating.service.js';

@Module({
  imports: [CatalogueModule, InstallationModule],
  controllers: [ListingController, RatingController, RatingConsumer],
  providers: [ListingRepository, ListingService, RatingRepository, RatingService],
})
export class ListingModule {}
