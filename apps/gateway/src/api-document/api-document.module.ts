import { Module } from '@nestjs/common';
import { ProxyModule } from '../proxy/proxy.module.js';
import { ApiDocumentController } from './api-document.controller.js';
import { ApiDocumentService } from './api-document.service.js';

@Module({
  imports: [ProxyModule],
  controllers: [ApiDocumentController],
  providers: [ApiDocumentService],
})
export class ApiDocumentModule {}
