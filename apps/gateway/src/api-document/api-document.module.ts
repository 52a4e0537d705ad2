import { Module } from '@nestjs/common';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { ApiDocumentController } from './api-document.controller.js';
import { ApiDocumentService } from './api-document.service.js';

@Module({ imports: [RateLimitModule], controllers: [ApiDocumentController], providers: [ApiDocumentService] })
export class ApiDocumentModule {}
