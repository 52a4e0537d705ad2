import { Module } from '@nestjs/common';
import { ApiDocumentController } from './api-document.controller.js';
import { ApiDocumentService } from './api-document.service.js';

@Module({ controllers: [ApiDocumentController], providers: [ApiDocumentService] })
export class ApiDocumentModule {}
