import { Module } from '@nestjs/common';
import { EmbedPageController } from './embed-page.controller.js';
import { PageFilesService } from './page-files.service.js';

@Module({ controllers: [EmbedPageController], providers: [PageFilesService] })
export class EmbedPageModule {}
