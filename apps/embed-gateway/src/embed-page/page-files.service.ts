import { ServedPage } from '@crm/http';
import { Inject, Injectable } from '@nestjs/common';
import { EMBED_GATEWAY_CONFIG, type EmbedGatewayConfig } from '../config.js';

/** The embed page, from the folder that the configuration names. */
@Injectable()
export class PageFilesService extends ServedPage {
  constructor(@Inject(EMBED_GATEWAY_CONFIG) { pageDir }: EmbedGatewayConfig) {
    super(pageDir, 'EMBED_PAGE_DIR');
  }
}
