import { Module } from '@nestjs/common';
import { AppRepository } from './app.repository.js';
import { AppService } from './app.service.js';
import { VerdictEvents } from './verdict-events.js';
import { VersionRepository } from './version.repository.js';
import { VersionDifferenceService } from './version-difference.service.js';

const shared = [AppRepository, AppService, VerdictEvents, VersionRepository, VersionDifferenceService];

@Module({ providers: shared, exports: shared })
export class CatalogueModule {}
