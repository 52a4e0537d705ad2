import { PlatformError } from '@crm/contracts';
import { type Asset, type PageFiles, readPage } from '@crm/http';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { EMBED_GATEWAY_CONFIG, type EmbedGatewayConfig } from '../config.js';

/** The built page of the folder that the configuration names. Without one the service does not start. */
@Injectable()
export class PageFilesService implements OnModuleInit {
  private page: PageFiles | undefined;

  constructor(@Inject(EMBED_GATEWAY_CONFIG) private readonly config: EmbedGatewayConfig) {}

  async onModuleInit(): Promise<void> {
    this.page = await readPage(this.config.pageDir, 'EMBED_PAGE_DIR');
  }

  get document(): string {
    return this.files.document;
  }

  /** @throws PlatformError NOT_FOUND */
  getAsset(name: string): Asset {
    const asset = this.files.assets.get(name);
    if (!asset) throw new PlatformError('NOT_FOUND');
    return asset;
  }

  private get files(): PageFiles {
    if (!this.page) throw new Error('The page is read when the module starts');
    return this.page;
  }
}
