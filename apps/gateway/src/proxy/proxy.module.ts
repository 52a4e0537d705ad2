import { Module } from '@nestjs/common';
import { ProxyService } from './proxy.service.js';
import { UpstreamConnector } from './upstream-connector.js';

@Module({
  providers: [ProxyService, UpstreamConnector],
  exports: [UpstreamConnector],
})
export class ProxyModule {}
