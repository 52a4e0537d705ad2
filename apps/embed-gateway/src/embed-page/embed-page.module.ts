import { Module } from '@nestjs/common';
import { EmbedPageController } from './embed-page.controller.js';

@Module({ controllers: [EmbedPageController] })
export class EmbedPageModule {}
