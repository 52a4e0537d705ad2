import { UpstreamClient, UpstreamConnector } from '@crm/runtime/proxy';
import { Module } from '@nestjs/common';
import { ProxyService } from './proxy.service.js';

@Module({
  providers: [ProxyService, UpstreamConnector, UpstreamClient],
  exports: [UpstreamClient],
})
export class ProxyModule {}
