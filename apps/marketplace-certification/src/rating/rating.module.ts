import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { InstallationModule } from '../installation/installation.module.js';
import { RatingController } from './rating.controller.js';
import { RatingRepository } from './rating.repository.js';
import { RatingService } from './rating.service.js';

@Module({
  imports: [CatalogueModule, InstallationModule],
  controllers: [RatingController],
  providers: [RatingRepository, RatingService],
  exports: [RatingRepository],
})
export class RatingModule {}
