import { Module } from '@nestjs/common';
import { EmbedPageController } from './embed-page.controller.js';
import { PageFilesService } from './page-files.service.js';
import { PageLimit } from './page-limit.js';

@Module({ controllers: [EmbedPageController], providers: [PageFilesService, PageLimit] })
export class EmbedPageModule {}
