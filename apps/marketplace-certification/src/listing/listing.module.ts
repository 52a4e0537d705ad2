import { Module } from '@nestjs/common';
import { InstallCountModule } from '../install-count/install-count.module.js';
import { RatingModule } from '../rating/rating.module.js';
import { ListingController } from './listing.controller.js';
import { ListingRepository } from './listing.repository.js';
import { ListingService } from './listing.service.js';

@Module({
  imports: [InstallCountModule, RatingModule],
  controllers: [ListingController],
  providers: [ListingRepository, ListingService],
})
export class ListingModule {}
