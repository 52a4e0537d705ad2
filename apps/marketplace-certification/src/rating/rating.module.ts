import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { InstallationModule } from '../installation/installation.module.js';
import { RatingConsumer } from './rating.consumer.js';
import { RatingController } from './rating.controller.js';
import { RatingRepository } from './rating.repository.js';
import { RatingService } from './rating.service.js';

@Module({
  imports: [CatalogueModule, InstallationModule],
  controllers: [RatingConsumer, RatingController],
  providers: [RatingRepository, RatingService],
  exports: [RatingRepository],
})
export class RatingModule {}
