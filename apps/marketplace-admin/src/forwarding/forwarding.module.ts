import { OPERATORS_PREFIX } from '@crm/contracts';
import { openApiDocument } from '@crm/http';
import {
  DOCUMENT_SOURCES,
  type DocumentSources,
  MergedDocument,
  PROXY_CONFIG,
  type ProxyConfig,
  UpstreamClient,
  UpstreamConnector,
} from '@crm/runtime/proxy';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApiDocumentController } from './api-document.controller.js';
import { OperatorsProxy } from './operators-proxy.service.js';
import { isServedBy } from './routes.js';

const sources = ({ service }: ProxyConfig, modules: ModuleRef): DocumentSources => ({
  title: `CRM developer platform: ${service.name}`,
  serverUrl: '/',
  path: `${OPERATORS_PREFIX}/api/openapi.json`,
  belongs: (path, name) => name === service.name || isServedBy(name, path),
  own: () => openApiDocument(modules as unknown as INestApplicationContext, service),
});

/** What operators call, forwarded to the services that serve it, and its documentation. */
@Module({
  controllers: [ApiDocumentController],
  providers: [
    OperatorsProxy,
    UpstreamConnector,
    UpstreamClient,
    MergedDocument,
    { provide: DOCUMENT_SOURCES, inject: [PROXY_CONFIG, ModuleRef], useFactory: sources },
  ],
  exports: [UpstreamClient],
})
export class ForwardingModule {}
