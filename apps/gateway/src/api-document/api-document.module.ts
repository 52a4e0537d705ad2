import {
  DOCUMENT_SOURCES,
  type DocumentSources,
  MergedDocument,
  PROXY_CONFIG,
  type ProxyConfig,
} from '@crm/runtime/proxy';
import { Module } from '@nestjs/common';
import { ProxyModule } from '../proxy/proxy.module.js';
import { upstreamFor } from '../routing/routing.js';
import { ApiDocumentController } from './api-document.controller.js';

const sources = ({ service }: ProxyConfig): DocumentSources => ({
  title: 'CRM developer platform',
  serverUrl: service.baseUrl,
  path: '/api/openapi.json',
  belongs: (path, name) => upstreamFor(path) === name,
});

@Module({
  imports: [ProxyModule],
  controllers: [ApiDocumentController],
  providers: [MergedDocument, { provide: DOCUMENT_SOURCES, inject: [PROXY_CONFIG], useFactory: sources }],
})
export class ApiDocumentModule {}
