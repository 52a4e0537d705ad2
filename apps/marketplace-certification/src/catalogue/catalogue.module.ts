import { Module } from '@nestjs/common';
import { AppService } from './app.service.js';
import { AppRepository, VersionRepository } from './catalogue.repository.js';
import { VerdictEvents } from './verdict-events.js';
import { VersionDifferenceService } from './version-difference.service.js';

const shared = [AppRepository, AppService, VerdictEvents, VersionRepository, VersionDifferenceService];

@Module({ providers: shared, exports: shared })
export class CatalogueModule {}
